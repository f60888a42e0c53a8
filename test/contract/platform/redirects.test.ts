import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../src/kernel/platform-profile.ts";
import { PlatformApi } from "../../../src/platform/api/api.ts";
import type { Wire } from "../../../src/platform/api/exchange.ts";
import { Images } from "../../../src/platform/images.ts";
import { readLater } from "../../../src/platform/later.ts";
import { oddPlatform } from "../../support/odd-platform.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server at another port, in place of another host. It notes the headers of its requests. */
async function elsewhere(reply: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.end("{}")) {
  const asked: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? "", headers: request.headers });
    reply(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()));
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function platform(...given: Parameters<typeof oddPlatform>) {
  const opened = await oddPlatform(...given);
  closing.push(opened.close);
  return opened;
}

const leadsTo =
  (url: string, status = 302) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { location: url }).end("<html>");
const uom = { method: "GET", path: "entity/uom" } as const;

describe("a platform that leads to another host", () => {
  it.each([301, 302, 303, 307, 308])("by %i is followed with no read but a file's", async (status) => {
    const other = await elsewhere();
    const { api, asked } = await platform(leadsTo(`${other.url}/x`, status));
    await expect(api.call(uom)).rejects.toMatchObject({
      code: "platform-unavailable",
      status,
      message: expect.stringContaining(other.url),
    });
    await expect(api.call({ ...uom, method: "PUT", body: {} })).rejects.toMatchObject({ status });
    expect([other.asked, asked()]).toEqual([[], 2]);
  });

  it("has a picture fetched there, without the token", async () => {
    const other = await elsewhere((_, response) => void response.end("a picture"));
    const { api, url } = await platform(leadsTo(`${other.url}/tea.png?signature=x`));
    const meta = { downloadHref: `${url}/api/remap/1.2/download/1` };
    expect((await new Images(api, "entity/product/1/images").download({ meta }))?.toString()).toBe("a picture");
    expect(other.asked.map((each) => each.url)).toEqual(["/tea.png?signature=x"]);
    expect(other.asked[0]?.headers).not.toHaveProperty("authorization");
  });

  it("has the result of an asynchronous reading fetched there, without the token", async () => {
    const other = await elsewhere((_, response) => void response.end('{"rows":[1]}'));
    const { api, url } = await platform((request, response) => {
      const path = request.url ?? "";
      const task = `${url}/api/remap/1.2/async/1`;
      if (path.endsWith("/result")) response.writeHead(302, { location: `${other.url}/result.json` }).end();
      else if (path.includes("/async/")) response.end(JSON.stringify({ meta: { href: task }, id: "1", state: "DONE" }));
      else response.writeHead(202, { location: `${task}/result`, "content-location": task }).end();
    });
    expect(await readLater(api, systemClock, { path: "report/stock/all" })).toEqual({ rows: [1] });
    expect(other.asked[0]?.headers).not.toHaveProperty("authorization");
  });

  it("has no file fetched that is led on and on, or that has no end", async () => {
    const ring = await elsewhere((_, response) => void response.writeHead(302, { location: "/again" }).end());
    const round = await platform(leadsTo(`${ring.url}/x`));
    await expect(round.api.call({ ...uom, form: "bytes" })).rejects.toMatchObject({ status: 302 });
    expect(ring.asked).toHaveLength(3);
    const endless = await elsewhere((_, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(64 * 1024)));
      };
      response.on("drain", more);
      more();
    });
    const long = await platform(leadsTo(`${endless.url}/x`));
    await expect(long.api.call({ ...uom, form: "bytes", maxBytes: 1_000_000 })).rejects.toMatchObject({ code: "platform-unavailable" });
  });

  it("does not get its token back by leading there and back again", async () => {
    const seen: (string | undefined)[] = [];
    const other = await elsewhere((_, response) => void response.writeHead(302, { location: `${url}/api/remap/1.2/back` }).end());
    const { api, url } = await platform((request, response) => {
      seen.push(request.headers.authorization);
      if (request.url?.endsWith("/back")) response.end("a page");
      else response.writeHead(302, { location: `${other.url}/x` }).end();
    });
    await api.call({ ...uom, form: "bytes" });
    expect(seen).toEqual(["Bearer x", undefined]);
  });
});

it.each(["PUT", "GET"] as const)("a platform that leads to an address inside another scheme is not followed: %s", async (method) => {
  const asked: string[] = [];
  const wire: Wire = {
    async exchange({ url }) {
      asked.push(url);
      return { status: 307, headers: { location: "blob:https://api.platform.example/x" }, body: Buffer.alloc(0) };
    },
    close: async () => {},
    abandon: async () => {},
  };
  const { canonical } = PLATFORM_PROFILES;
  const options = { url: "https://api.platform.example/api/remap/1.2", authorization: () => "Bearer secret", headers: canonical.headers };
  const api = new PlatformApi({ ...options, wire, clock: systemClock, log: silentLog });
  const call = { ...uom, method, ...(method === "PUT" ? { body: {} } : { form: "bytes" as const }) };
  await expect(api.call(call)).rejects.toMatchObject({ code: "platform-unavailable", status: 307 });
  expect(asked).toEqual(["https://api.platform.example/api/remap/1.2/entity/uom"]);
});

it("a platform that leads to another address of its own is followed with the token", async () => {
  const seen: (string | undefined)[] = [];
  const { api } = await platform((request, response) => {
    seen.push(request.headers.authorization);
    if (request.url?.endsWith("/uom")) response.writeHead(308, { location: "/api/remap/1.2/entity/uom/1" }).end();
    else response.end('{"id":"1"}');
  });
  expect((await api.call(uom)).body).toEqual({ id: "1" });
  expect(seen).toEqual(["Bearer x", "Bearer x"]);
});
