import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../../src/kernel/clock.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { openWire } from "../../../src/platform/api/exchange.ts";
import { freePort } from "../../../src/tools/demo/processes/free-port.ts";
import { ENTRY, vendorClient } from "../../support/vendor-client.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const OWN = { appId: ENTRY.appId, accountId: "c0ffee00-0000-4000-8000-000000000001" };
const TOKEN = new Secret("a1b2c3d4e5f6478901234567890abcdef1234567");
const USER = { accountId: OWN.accountId, userId: "e", userUid: "admin@shop", role: "admin" };
const PAGE = "<html><body><h1>502 Bad Gateway</h1></body></html>";

type Misdeed = (response: ServerResponse, request: IncomingMessage) => void;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server that answers each request with the next fault, and remembers the requests. */
async function badPlatform(misdeeds: Misdeed[]) {
  const received: { token: string | undefined; body: string; encoding: string | undefined }[] = [];
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const { authorization, "accept-encoding": encoding } = request.headers;
    received.push({ token: authorization, body: Buffer.concat(chunks).toString(), encoding: String(encoding) });
    const misdeed = misdeeds[received.length - 1] ?? json(500, { errors: [{ error: "one too many", code: 1 }] });
    misdeed(response, request);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => end(server));
  return { url: urlOf(server), received };
}

function end(server: Server): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

/** An address at which nobody listens. The system gives its port to no program that takes any free port. */
const silentUrl = async () => `http://127.0.0.1:${await freePort()}`;
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const json =
  (status: number, body: object): Misdeed =>
  (response) => {
    const packed = gzipSync(JSON.stringify(body));
    response.writeHead(status, { "content-type": "application/json", "content-encoding": "GZIP" }).end(packed);
  };
const page: Misdeed = (response) => void response.writeHead(502, { "content-type": "text/html" }).end(PAGE);
const cut: Misdeed = (response) => void response.socket?.destroy();
const half: Misdeed = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"status":', () => response.socket?.destroy());
};
const brokenGzip: Misdeed = (response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip at all");
const mute: Misdeed = () => undefined;

/** Pauses are a hundred times shorter, but a slow machine still has the whole time limit for an answer. */
const impatient: Clock = {
  ...systemClock,
  after: (delayMs, callback) => systemClock.after(delayMs < 5_000 ? delayMs / 100 : delayMs, callback),
};

function client(url: string, clock: Clock = impatient) {
  const wire = openWire({ parallel: 2 });
  closing.push(() => wire.close());
  return vendorClient({ url, wire, clock });
}

describe("the vendor client against a server that is not well", () => {
  it("reads a status through a lost connection and a proxy's page, each time with another token", async () => {
    const { url, received } = await badPlatform([cut, page, json(200, { status: "Activated", cause: "Install" })]);
    expect(await client(url).status(OWN)).toMatchObject({ kind: "installed", status: "Activated", cause: "Install" });
    expect(new Set(received.map(({ token }) => token)).size).toBe(3);
    expect(received.map(({ encoding }) => encoding)).toEqual(["gzip", "gzip", "gzip"]);
  });

  it.each([
    ["half an answer", half],
    ["gzip that is none", brokenGzip],
  ])("tells a status again after %s", async (_, misdeed) => {
    const { url, received } = await badPlatform([misdeed, json(200, {})]);
    expect(await client(url).tellStatus(OWN, "Activated")).toEqual({ kind: "reported" });
    expect(received.map(({ body }) => body)).toEqual(['{"status":"Activated"}', '{"status":"Activated"}']);
  });

  it("waits no longer than it is told to for an answer that does not come", async () => {
    const { url, received } = await badPlatform([mute, mute, mute]);
    const clock = new VirtualClock(0);
    const asked = client(url, clock).status(OWN);
    for (const [count, pauseMs] of [500, 2_000, 0].entries()) {
      await expect.poll(() => received.length).toBe(count + 1);
      await clock.advance(5_000);
      await clock.advance(pauseMs);
    }
    expect(await asked).toEqual({ kind: "unreachable", reason: "no answer within 5000 ms" });
    expect(received).toHaveLength(3);
  });

  const dubious: [string, Misdeed][] = [
    ["the connection is lost", cut],
    ["half an answer comes", half],
    ["its gzip is none", brokenGzip],
    ["a proxy answers with a page", page],
    ["the platform fails", json(500, { errors: [{ error: "Внутренняя ошибка", code: 1999 }] })],
  ];
  it.each(dubious)("sends a one-time token once when %s, and says that it is in doubt", async (_, misdeed) => {
    const { url, received } = await badPlatform([misdeed, json(200, USER)]);
    expect(await client(url).userByToken(ENTRY.appId, TOKEN)).toMatchObject({ kind: "in-doubt" });
    expect(received).toHaveLength(1);
  });

  it("sends a one-time token once when no answer comes in its time, and says that it is in doubt", async () => {
    const { url, received } = await badPlatform([mute, json(200, USER)]);
    const clock = new VirtualClock(0);
    const asked = client(url, clock).userByToken(ENTRY.appId, TOKEN);
    await expect.poll(() => received.length).toBe(1);
    await clock.advance(60_000);
    expect(await asked).toEqual({ kind: "in-doubt", reason: "no answer within 5000 ms" });
    expect(received).toHaveLength(1);
  });

  it("sends a one-time token once also over a connection that was good before", async () => {
    const { url, received } = await badPlatform([json(200, { status: "Activated" }), cut, json(200, USER)]);
    const same = client(url);
    await same.status(OWN);
    expect(await same.userByToken(ENTRY.appId, TOKEN)).toMatchObject({ kind: "in-doubt" });
    expect(received).toHaveLength(2);
  });

  it("says that a one-time token never left when nobody listens", async () => {
    const result = await client(await silentUrl()).userByToken(ENTRY.appId, TOKEN);
    expect(result).toEqual({ kind: "unreachable", reason: expect.stringContaining("ECONNREFUSED") });
  });

  it("names every address of a host that nobody listens at", async () => {
    const result = await client((await silentUrl()).replace("127.0.0.1", "localhost")).tellStatus(OWN, "Activated");
    expect(result).toEqual({ kind: "unreachable", reason: expect.stringMatching(/ECONNREFUSED \S+/) });
  });

  it.each([301, 302, 307, 308])("does not carry its token after a redirection by %i", async (status) => {
    const elsewhere = await badPlatform([json(200, { status: "Activated" })]);
    const { url } = await badPlatform([(response) => void response.writeHead(status, { location: `${elsewhere.url}/x` }).end()]);
    expect(await client(url).status(OWN)).toMatchObject({ kind: "refused", reply: { status } });
    expect(elsewhere.received).toEqual([]);
  });

  it("does not wait for what nobody wants any more", async () => {
    const { url, received } = await badPlatform([mute]);
    const given = new AbortController();
    const asked = client(url, systemClock).userByToken(ENTRY.appId, TOKEN, { signal: given.signal });
    await expect.poll(() => received.length).toBe(1);
    given.abort();
    expect(await asked).toEqual({ kind: "cancelled" });
  });
});
