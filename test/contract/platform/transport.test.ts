import { afterEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../src/kernel/platform-profile.ts";
import { PlatformApi } from "../../../src/platform/api/api.ts";
import { openWire } from "../../../src/platform/api/exchange.ts";
import { freePort } from "../../../src/tools/demo/processes/free-port.ts";
import { hastyClock } from "../../support/platform-client.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function scene(options: Parameters<typeof testSandbox>[0] & { clock?: Clock; parallel?: number; url?: string } = {}) {
  const { clock = hastyClock, parallel = 4, url, ...of } = options;
  const sandbox = await testSandbox(of);
  const wire = openWire({ parallel });
  closing.push(
    () => sandbox.close(),
    () => wire.close(),
  );
  const api = new PlatformApi({
    url: url ?? sandbox.api,
    authorization: () => `Bearer ${sandbox.token}`,
    headers: PLATFORM_PROFILES.canonical.headers,
    wire,
    clock,
    log: silentLog,
    parallel,
    rateHeeded: of.limited === true,
  });
  return { sandbox, wire, api };
}

async function connectionsOf({ call, base }: TestSandbox): Promise<unknown> {
  return (await call("GET", `${base}/sandbox/counters`)).at("connections");
}

const uom = { method: "GET", path: "entity/uom", query: { limit: "1" } } as const;

describe("the transport against the sandbox", () => {
  it("uses few connections for many requests, and none for more than a hundred", async () => {
    const { sandbox, api } = await scene();
    for (let round = 0; round < 125; round += 1) await Promise.all([uom, uom, uom, uom].map((call) => api.call(call)));
    const counted = await connectionsOf(sandbox);
    expect(counted).toMatchObject({ above100Requests: 0, withOneRequest: 0 });
    expect(Reflect.get(Object(counted), "opened")).toBeLessThanOrEqual(10);
  });

  it("reads what comes packed, and says so in every request", async () => {
    const { api } = await scene({ settings: { gzip: "demanded" } });
    const { headers, body } = await api.call({ method: "GET", path: "entity/uom" });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(body).toHaveProperty("rows");
  });

  it("creates once though the answer is lost again and again, when there is a syncId", async () => {
    const { sandbox, api } = await scene({ faults: [{ name: "lost-answer", share: 0.5 }] });
    for (let at = 0; at < 8; at += 1) {
      const syncId = `99990000-0000-4000-8000-00000000000${at}`;
      await api.call({ method: "POST", path: "entity/product", body: { name: `Goods ${at}`, syncId }, repeatable: true });
    }
    const listed = await sandbox.call("GET", "entity/product?search=Goods");
    expect(listed.at("meta", "size")).toBe(8);
  });

  it("does not create twice without one: the caller learns that nothing is known", async () => {
    const { sandbox, api } = await scene({ faults: [{ name: "lost-answer", share: 1 }] });
    const created = api.call({ method: "POST", path: "entity/product", body: { name: "Goods" } });
    await expect(created).rejects.toMatchObject({ code: "platform-unreachable", status: undefined });
    expect((await sandbox.call("GET", "entity/product?search=Goods")).at("meta", "size")).toBe(1);
  });

  it("reads through pages of a proxy", async () => {
    const { api } = await scene({ faults: [{ name: "html-error", share: 0.4 }] });
    for (let at = 0; at < 12; at += 1) expect((await api.call(uom)).status).toBe(200);
  });

  it("waits out a burst of refusals, for reads and writes alike", async () => {
    const { sandbox, api } = await scene({ faults: [{ name: "burst-429", share: 0.4 }] });
    for (let at = 0; at < 6; at += 1) {
      await api.call(uom);
      await api.call({ method: "POST", path: "entity/uom", body: { name: `pack ${at}` } });
    }
    expect((await sandbox.call("GET", `${sandbox.base}/sandbox/counters`)).at("faults", "burst-429")).toBeGreaterThan(0);
  });

  it("waits for slow answers, and no longer than it is told to", async () => {
    const { api } = await scene({ faults: [{ name: "slow-answer", share: 1 }], clock: systemClock });
    const hurried = api.call({ ...uom, timeoutMs: 50 });
    await expect(hurried).rejects.toMatchObject({ code: "platform-unreachable", message: expect.stringContaining("within 50 ms") });
    expect((await api.call(uom)).status).toBe(200);
  });

  it("is told of too many at once, and goes on with fewer", async () => {
    const { api } = await scene({ limited: true, parallel: 12, clock: systemClock });
    for (let each = 0; each < 2; each += 1) await api.call(uom);
    const answers = await Promise.all(Array.from({ length: 24 }, () => api.call(uom)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  it("follows a redirect to a file, and takes its bytes", async () => {
    const { sandbox, api } = await scene();
    const product = String((await sandbox.call("GET", "entity/product?limit=1")).at("rows", 0, "id"));
    const content = Buffer.from("\x89PNG\r\n\x1a\nnot much of a picture", "latin1").toString("base64");
    const added = await sandbox.call("POST", `entity/product/${product}/images`, { filename: "tea.png", content });
    const href = String(added.at(0, "meta", "downloadHref"));
    const { bytes } = await api.call({ method: "GET", path: href, form: "bytes" });
    expect(bytes?.toString("base64")).toBe(content);
  });

  it("ends at once when whoever asked gives up", async () => {
    const { api } = await scene({ faults: [{ name: "slow-answer", share: 1 }] });
    const given = new AbortController();
    const call = api.call({ ...uom, signal: given.signal });
    given.abort(new Error("enough"));
    await expect(call).rejects.toMatchObject({ code: "platform-cancelled" });
  });

  it("says that nobody listens", async () => {
    // A port that a program has just left may be given to another program of the tests.
    const { api } = await scene({ url: `http://127.0.0.1:${await freePort()}/api/remap/1.2` });
    await expect(api.call({ ...uom, repeatable: false })).rejects.toMatchObject({ code: "platform-unreachable" });
  });
});
