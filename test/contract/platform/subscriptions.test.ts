import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Subscriptions } from "../../../src/accounts/shop/subscriptions.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../src/kernel/platform-profile.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { openWire } from "../../../src/platform/api/exchange.ts";
import { openClient } from "../../../src/platform/client.ts";
import { basic } from "../../../src/platform/token.ts";
import type { SandboxSettings } from "../../../src/tools/sandbox/settings.ts";
import { keptLog } from "../../support/http-server.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { hastyClock, testClient } from "../../support/platform-client.ts";
import { EMPLOYEE } from "../../support/sandbox.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
const MINUTE_MS = 60_000;
const KEY = { appId: "app", accountId: "account" };
const SECRET = "Zm9yIHRoZSB0ZXN0cyBvbmx5ISEhISEh";
const ADDRESS = `https://fiscal.shop.example/webhooks/${SECRET}`;
const TYPES = ["bundle", "employee", "organization", "product", "retailstore", "service", "uom", "variant"];
const PAIRS = TYPES.flatMap((type) => ["CREATE", "DELETE", "UPDATE"].map((action) => `${type} ${action}`));

/** A platform for one test, and subscriptions with a database in memory. */
async function open(settings: Partial<SandboxSettings> = {}) {
  const scene = await testClient({ settings });
  const clock = new VirtualClock(NOW_MS);
  const store = await openMemoryStore();
  onTestFinished(async () => {
    await scene.close();
    await store.close();
  });
  const { log, lines } = keptLog();
  const subscriptions = new Subscriptions({ store, clock, log });
  const { client, sandbox } = scene;
  return {
    clock,
    lines,
    client,
    sandbox,
    subscriptions,
    store,
    subscribe: (address: string | undefined = ADDRESS) => subscriptions.subscribe(KEY, client, address),
    /** The webhooks at the platform, whoever made them. */
    async atPlatform() {
      const { rows } = await client.webhooks.list();
      return rows.map(({ id, entityType, action, url, enabled }) => ({ id, pair: `${entityType} ${action}`, url, enabled }));
    },
    async states() {
      return new Map((await subscriptions.list(KEY)).map((each) => [`${each.entityType} ${each.action}`, each]));
    },
  };
}

const pairsOf = (webhooks: { pair: string }[]) => webhooks.map(({ pair }) => pair).toSorted();

describe("webhooks that are wanted", () => {
  it("are made once for every type that something is kept of, and left alone from then on", async () => {
    const { subscribe, atPlatform, subscriptions, lines, clock, sandbox } = await open();
    expect(await subscriptions.list(KEY)).toEqual([]);
    await subscribe();
    const made = await atPlatform();
    expect(pairsOf(made)).toEqual(PAIRS);
    expect(new Set(made.map(({ url, enabled }) => `${enabled} ${url}`))).toEqual(new Set([`true ${ADDRESS}`]));
    const listed = await subscriptions.list(KEY);
    expect(listed.map(({ entityType, action }) => `${entityType} ${action}`)).toEqual(PAIRS);
    expect(listed[0]).toEqual({ entityType: "bundle", action: "CREATE", state: "ours", checkedAtMs: NOW_MS });
    await clock.advance(60 * MINUTE_MS);
    await subscribe();
    expect(await atPlatform()).toEqual(made);
    const counters = await sandbox.call("GET", `${sandbox.base}/sandbox/counters`);
    expect(counters.at("abuse", "highestPerMinute")).toMatchObject({ putsOfOneObject: 0, identicalFailures: 0 });
    expect((await subscriptions.list(KEY))[0]?.checkedAtMs).toBe(NOW_MS + 60 * MINUTE_MS);
    expect(lines.map(({ level }) => level)).toEqual(["info"]);
  });

  it("that two ask for at once are made once", async () => {
    const { subscribe, atPlatform, subscriptions } = await open();
    await Promise.all([subscribe(), subscribe(), subscribe()]);
    expect(pairsOf(await atPlatform())).toEqual(PAIRS);
    expect((await subscriptions.list(KEY)).map(({ state }) => state)).toEqual(PAIRS.map(() => "ours"));
  });

  it("are not made without an address, and nothing is kept then", async () => {
    const { subscriptions, client, atPlatform } = await open();
    await subscriptions.subscribe(KEY, client, undefined);
    expect([await atPlatform(), await subscriptions.list(KEY)]).toEqual([[], []]);
  });

  it("that were switched off are switched on, and those with an address of before are changed, none made twice", async () => {
    const { subscribe, atPlatform, client } = await open();
    await subscribe("https://old.shop.example/webhooks/another-secret-of-before");
    const made = await atPlatform();
    const changed = made.map((each) => ({ ...each, url: ADDRESS }));
    await subscribe();
    expect(await atPlatform()).toEqual(changed);
    await client.webhooks.update(made[0]?.id ?? "", { enabled: false });
    await subscribe();
    expect(await atPlatform()).toEqual(changed);
  });

  it("that were made though their answer was lost are found by the secret in their address", async () => {
    const { subscribe, atPlatform, client, states } = await open();
    const lost = await client.webhooks.create({
      entityType: "product",
      action: "UPDATE",
      url: `https://old.shop.example/webhooks/${SECRET}`,
    });
    await subscribe();
    const found = (await atPlatform()).filter(({ pair }) => pair === "product UPDATE");
    expect(found).toEqual([{ id: lost.id, pair: "product UPDATE", url: ADDRESS, enabled: true }]);
    expect((await states()).get("product UPDATE")?.state).toBe("ours");
  });

  it("are all that is left of ours: what nobody wants any more, and a second one on a pair, are deleted; others' stay", async () => {
    const { subscribe, atPlatform, client } = await open({ webhookUniqueness: "triple" });
    const make = (entityType: string, url: string) => client.webhooks.create({ entityType, action: "UPDATE", url });
    await make("counterparty", ADDRESS);
    await make("product", ADDRESS);
    await make("product", `https://old.shop.example/webhooks/${SECRET}`);
    const theirs = [await make("product", "https://hooks.other.example/in"), await make("counterparty", "https://hooks.other.example/in")];
    await subscribe();
    const now = await atPlatform();
    expect(pairsOf(now.filter(({ url }) => url === ADDRESS))).toEqual(PAIRS);
    expect(now.filter(({ url }) => url !== ADDRESS).map(({ id }) => id)).toEqual(theirs.map(({ id }) => id));
  });
});

describe("a pair that another integration has", () => {
  it("is shown as taken with the platform's words, the others are ours, and it is asked for again by the hourly round alone", async () => {
    const { subscribe, states, client, clock, lines } = await open();
    const theirs = await client.webhooks.create({ entityType: "product", action: "UPDATE", url: "https://hooks.other.example/in" });
    await subscribe();
    const first = await states();
    expect(first.get("product UPDATE")).toMatchObject({ state: "taken", problem: expect.stringMatching(/^30003 .+/) });
    expect([...first.values()].filter(({ state }) => state === "ours")).toHaveLength(PAIRS.length - 1);
    await client.webhooks.delete(theirs);
    await clock.advance(54 * MINUTE_MS);
    await subscribe();
    expect((await states()).get("product UPDATE")).toEqual(first.get("product UPDATE"));
    await clock.advance(6 * MINUTE_MS);
    await subscribe();
    const third = (await states()).get("product UPDATE");
    expect(third).toEqual({ entityType: "product", action: "UPDATE", state: "ours", checkedAtMs: NOW_MS + 60 * MINUTE_MS });
    expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("by the public rule, with as many webhooks on it as may be, is taken too", async () => {
    const { subscribe, states, client } = await open({ webhookUniqueness: "triple" });
    for (let count = 0; count < 5; count += 1)
      await client.webhooks.create({ entityType: "uom", action: "DELETE", url: `https://hooks.other.example/${count}` });
    await subscribe();
    expect((await states()).get("uom DELETE")).toMatchObject({ state: "taken", problem: expect.stringMatching(/^30007 /) });
  });

  it("is asked for at once with another address, and told once however often it is refused", async () => {
    const { subscribe, states, client, lines, clock } = await open();
    const theirs = await client.webhooks.create({ entityType: "product", action: "UPDATE", url: "https://hooks.other.example/in" });
    await subscribe();
    await clock.advance(60 * MINUTE_MS);
    await subscribe();
    expect((await states()).get("product UPDATE")?.checkedAtMs).toBe(NOW_MS + 60 * MINUTE_MS);
    expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
    await client.webhooks.delete(theirs);
    await subscribe(`https://new.shop.example/webhooks/${SECRET}`);
    expect((await states()).get("product UPDATE")?.state).toBe("ours");
  });
});

describe("a platform that refuses", () => {
  it("on the free plan has every pair shown as refused after one request, and all are made once it is paid for", async () => {
    const [{ subscribe, states, sandbox, subscriptions, clock }, paid] = [await open({ plan: "free" }), await open()];
    await subscribe();
    const counters = await sandbox.call("GET", `${sandbox.base}/sandbox/counters`);
    expect(counters.at("errorsByCode")).toEqual({ 30006: 1 });
    const refused = [...(await states()).values()];
    expect(refused.map(({ state }) => state)).toEqual(PAIRS.map(() => "refused"));
    expect(new Set(refused.map(({ problem }) => problem?.slice(0, 6)))).toEqual(new Set(["30006 "]));
    await clock.advance(60 * MINUTE_MS);
    await subscriptions.subscribe(KEY, paid.client, ADDRESS);
    expect([pairsOf(await paid.atPlatform()), [...(await states()).values()].every(({ state }) => state === "ours")]).toEqual([
      PAIRS,
      true,
    ]);
  });

  it("for want of an administrator is not asked a second time within the hour", async () => {
    const { sandbox, subscriptions, clock, client } = await open();
    const wire = openWire({ parallel: 1 });
    onTestFinished(() => wire.close());
    const authorization = basic(EMPLOYEE.login, new Secret(EMPLOYEE.password));
    const { headers } = PLATFORM_PROFILES.canonical;
    const employee = openClient({ url: sandbox.api, authorization, headers, wire, clock: hastyClock, log: silentLog, rateHeeded: false });
    await subscriptions.subscribe(KEY, employee, ADDRESS);
    const listed = await subscriptions.list(KEY);
    expect(listed).toHaveLength(PAIRS.length);
    expect(listed[0]).toMatchObject({ state: "refused", problem: expect.stringMatching(/^30004 /) });
    await clock.advance(54 * MINUTE_MS);
    await subscriptions.subscribe(KEY, employee, ADDRESS);
    expect(await subscriptions.list(KEY)).toEqual(listed);
    expect((await sandbox.call("GET", `${sandbox.base}/sandbox/counters`)).at("errorsByCode")).toEqual({ 30004: 1 });
    await clock.advance(6 * MINUTE_MS);
    await subscriptions.subscribe(KEY, client, ADDRESS);
    expect((await subscriptions.list(KEY)).map(({ state }) => state)).toEqual(PAIRS.map(() => "ours"));
  });

  it("is not even asked with an address longer than it takes", async () => {
    const { subscribe, states, atPlatform } = await open();
    await subscribe(`https://${"x".repeat(220)}.example/webhooks/${SECRET}`);
    const shown = [...(await states()).values()];
    expect(shown.map(({ state }) => state)).toEqual(PAIRS.map(() => "refused"));
    expect(shown[0]?.problem).toMatch(/255/);
    expect(await atPlatform()).toEqual([]);
  });

  it("and repeats the address in its words does not bring the secret before anybody", async () => {
    const asked: string[] = [];
    const platform = createServer((incoming, response) => {
      asked.push(incoming.method ?? "");
      const list = { meta: { href: "x", type: "webhook", size: 0, limit: 1000, offset: 0 }, rows: [] };
      const refusal = { errors: [{ error: `Вебхук ${ADDRESS} уже существует`, code: 30003 }] };
      response.writeHead(incoming.method === "GET" ? 200 : 412, { "content-type": "application/json" });
      response.end(JSON.stringify(incoming.method === "GET" ? list : refusal));
    });
    await new Promise<void>((resolve) => platform.listen(0, "127.0.0.1", resolve));
    const { subscriptions, lines } = await open();
    const wire = openWire({ parallel: 1 });
    onTestFinished(async () => {
      await wire.close();
      platform.close();
    });
    const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}/api/remap/1.2`;
    const { headers } = PLATFORM_PROFILES.canonical;
    const client = openClient({
      url,
      authorization: () => "Bearer x",
      headers,
      wire,
      clock: hastyClock,
      log: silentLog,
      rateHeeded: false,
    });
    await subscriptions.subscribe(KEY, client, ADDRESS);
    const listed = await subscriptions.list(KEY);
    expect(listed[0]).toMatchObject({ state: "taken", problem: expect.stringContaining("уже существует") });
    expect(JSON.stringify([listed, lines])).not.toContain(SECRET);
    expect(asked.filter((method) => method === "POST")).toHaveLength(PAIRS.length);
  });
});

describe("a platform that does not answer", () => {
  it("because the token is revoked has refused no webhook: they are made as soon as there is another", async () => {
    const { subscriptions, sandbox, client, atPlatform } = await open();
    const wire = openWire({ parallel: 1 });
    onTestFinished(() => wire.close());
    const { headers } = PLATFORM_PROFILES.canonical;
    const authorization = () => "Bearer revoked";
    const revoked = openClient({ url: sandbox.api, authorization, headers, wire, clock: hastyClock, log: silentLog, rateHeeded: false });
    await expect(subscriptions.subscribe(KEY, revoked, ADDRESS)).rejects.toMatchObject({ status: 401 });
    expect(await subscriptions.list(KEY)).toEqual([]);
    await subscriptions.subscribe(KEY, client, ADDRESS);
    expect(pairsOf(await atPlatform())).toEqual(PAIRS);
  });

  it("is told to whoever asked; what was settled before is kept, and the rest is made the next time", async () => {
    let left = 3;
    const { sandbox, subscriptions, client, atPlatform } = await open();
    const relay = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", async () => {
        if (incoming.method === "POST" && left === 0) return void incoming.socket.destroy();
        if (incoming.method === "POST") left -= 1;
        const body = chunks.length === 0 ? undefined : Buffer.concat(chunks).toString();
        const answer = await sandbox.call(incoming.method ?? "", `${sandbox.base}${incoming.url}`, body);
        response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.text);
      });
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    const wire = openWire({ parallel: 1 });
    onTestFinished(async () => {
      await wire.close();
      relay.close();
    });
    const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}/api/remap/1.2`;
    const { headers } = PLATFORM_PROFILES.canonical;
    const cut = openClient({ url, authorization: () => "Bearer x", headers, wire, clock: hastyClock, log: silentLog, rateHeeded: false });
    await expect(subscriptions.subscribe(KEY, cut, ADDRESS)).rejects.toMatchObject({ code: "platform-unreachable" });
    expect((await subscriptions.list(KEY)).map(({ state }) => state)).toEqual(["ours", "ours", "ours"]);
    await subscriptions.subscribe(KEY, client, ADDRESS);
    expect(pairsOf(await atPlatform())).toEqual(PAIRS);
    expect(await subscriptions.list(KEY)).toHaveLength(PAIRS.length);
  });
});
