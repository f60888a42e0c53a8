import { gzipSync } from "node:zlib";
import request, { type Response } from "supertest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { InstallationKey } from "../../src/accounts/installation.ts";
import type { Notifications } from "../../src/accounts/shop/notifications.ts";
import { eventsRoutes } from "../../src/contracts/events/routes.ts";
import type { SeenRequest } from "../../src/http/access-log.ts";
import { application } from "../../src/http/application.ts";
import { LongBodies } from "../../src/http/bodies/long-bodies.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/store/database.ts";
import { keptLog, type LogLine } from "../support/http-server.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { AskedReading, eventually, type Notified, openNotifications, product } from "../support/notifications.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const NOW_MS = Date.parse("2026-03-05T09:40:17Z");
const ACCOUNT = "7a11c0de-0000-4000-8000-000000000001";
const API = "https://api.platform.example/api/remap/1.2";
const TEA = "5f0c1d2e-0000-4000-8000-0000000000d1";
const KILO = "5f0c1d2e-0000-4000-8000-0000000000d2";

/** The body of json-api 9.2. */
const DOCUMENTED = {
  auditContext: {
    meta: { type: "audit", href: `${API}/audit/0d9b7c4e-0000-4000-8000-00000000000a` },
    uid: "cashier@teashop",
    moment: "2026-03-05 12:40:17",
  },
  events: [
    {
      meta: { type: "retaildemand", href: `${API}/entity/retaildemand/${TEA}` },
      action: "UPDATE",
      accountId: ACCOUNT,
      updatedFields: ["positions", "cashSum"],
    },
  ],
};
const event = (type: string, id: string, action: string, more: object = {}) => ({
  meta: { type, href: `${API}/entity/${type}/${id}` },
  action,
  accountId: ACCOUNT,
  ...more,
});
const about = (...events: object[]) => ({ ...DOCUMENTED, events });

let store: Store;
let clock: VirtualClock;
let reading: AskedReading;
let lines: LogLine[];
let seen: SeenRequest[];
let notified: Notified;
let key: InstallationKey;
let secret: string;
let app: Parameters<typeof request>[0];
let longBodies: LongBodies;
/** The methods of the notifications that the routes use. A test may replace them. */
let doors: Pick<Notifications, "holderOf" | "take">;

beforeEach(async () => {
  clock = new VirtualClock(NOW_MS);
  longBodies = new LongBodies(clock);
  reading = new AskedReading();
  seen = [];
  store = await openMemoryStore({ clock });
  const kept = keptLog();
  lines = kept.lines;
  notified = openNotifications(store, { clock, log: kept.log, reading });
  key = await notified.install(ACCOUNT);
  secret = (await notified.links.webhookSecret(key)).reveal();
  doors = notified.notifications;
  const notifications = {
    holderOf: (given: string) => doors.holderOf(given),
    take: (...given: Parameters<Notifications["take"]>) => doors.take(...given),
  };
  app = application({
    requestIdHeader: "X_Platform_RequestId",
    mounts: [{ base: "/webhooks", router: eventsRoutes({ notifications, clock, longBodies, chance: systemChance }) }],
    log: kept.log,
    clock,
    chance: systemChance,
    observe: (one) => void seen.push(one),
  });
});
afterEach(() => store.close());

/** A call as the platform makes it: the request id is added to the address. */
function send(body: object | string | Buffer, { id = "", headers = {}, to = secret }: Sending = {}): request.Test {
  const test = request(app)
    .post(`/webhooks/${to}${id === "" ? "" : `?requestId=${id}`}`)
    .set("Content-Type", "application/json")
    .set("User-Agent", "Platform webhook touch agent 2.0 (https://www.platform.example)");
  for (const [name, value] of Object.entries(headers)) test.set(name, value);
  if (Buffer.isBuffer(body)) return test.serialize((bytes) => bytes).send(body);
  return test.send(typeof body === "string" ? body : JSON.stringify(body));
}

interface Sending {
  id?: string;
  headers?: Record<string, string>;
  to?: string;
}

const stored = () => store.db.selectFrom("day_notifications").selectAll().orderBy("id").execute();
const namedIn = async () => (await stored()).map(({ events }) => JSON.parse(events ?? "null"));
const problemOf = ({ status, body, headers }: Response) => [status, headers["content-type"], body.errors?.[0]?.code];

describe("a notification", () => {
  it("is on disk, with what has changed and no more, before it is answered 204 with nothing", async () => {
    const answer = await send(about(event("product", TEA, "UPDATE"), event("uom", KILO, "DELETE")), { id: "r-1" });
    expect([answer.status, answer.text, answer.headers["content-type"]]).toEqual([204, "", undefined]);
    expect(await stored()).toMatchObject([{ account_id: ACCOUNT, request_id: "r-1", objects: 2, received_at_ms: NOW_MS }]);
    expect(await namedIn()).toEqual([[product(TEA), { type: "uom", id: KILO, action: "DELETE" }]]);
  });

  it("leads to the objects being read again", async () => {
    notified.notifications.start();
    await send(about(event("product", TEA, "UPDATE")), { id: "r-1" });
    await eventually(() => reading.asked.length === 1);
    expect(reading.asked).toEqual([{ key, what: [product(TEA)] }]);
    await notified.notifications.close();
  });

  it("that is repeated is answered and not stored again; another request id is another notification", async () => {
    for (const id of ["r-1", "r-1", "r-2", "r-1"]) expect((await send(about(event("product", TEA, "UPDATE")), { id })).status).toBe(204);
    expect((await stored()).map((row) => row.request_id)).toEqual(["r-1", "r-2"]);
  });

  it("without a request id is known by its body when that names its audit record", async () => {
    const body = about(event("product", TEA, "UPDATE"));
    for (const sent of [body, body, about(event("product", KILO, "UPDATE"))]) expect((await send(sent)).status).toBe(204);
    expect(await namedIn()).toEqual([[product(TEA)], [product(KILO)]]);
  });

  it("without a request id and an audit record is taken each time: it may tell of a second change", async () => {
    for (let count = 0; count < 2; count += 1) await send({ events: [event("product", TEA, "UPDATE")] });
    expect(await namedIn()).toEqual([[product(TEA)], [product(TEA)]]);
  });

  it("of types that nothing is kept of is answered, and the others in it are stored", async () => {
    expect((await send(DOCUMENTED, { id: "r-1" })).status).toBe(204);
    expect(await stored()).toEqual([]);
    await send(about(event("retaildemand", TEA, "CREATE"), event("product", TEA, "UPDATE"), event("moon", TEA, "RISE")), { id: "r-2" });
    expect(await namedIn()).toEqual([[product(TEA)]]);
    const empty = await send({ events: [] }, { id: "r-3" });
    expect([empty.status, (await stored()).length]).toEqual([204, 1]);
  });

  it("names objects by addresses with whatever follows the id, and passes over those that lead to none", async () => {
    const hrefs = [
      `${API}/entity/product/${TEA}?expand=supplier`,
      `${API}/entity/product/${KILO}#top`,
      `${API}/entity/product/`,
      "чай",
      "",
    ];
    const events = hrefs.map((href) => ({ meta: { type: "product", href }, action: "UPDATE" }));
    expect((await send({ events }, { id: "r-1" })).status).toBe(204);
    expect(await namedIn()).toEqual([[product(TEA), product(KILO)]]);
  });

  it("of another account is passed over with a line", async () => {
    const foreign = event("product", TEA, "UPDATE", { accountId: "7a11c0de-0000-4000-8000-000000000002" });
    expect((await send(about(foreign, event("product", KILO, "UPDATE", { accountId: null })), { id: "r-1" })).status).toBe(204);
    expect(await namedIn()).toEqual([[product(KILO)]]);
    expect(lines).toContainEqual(expect.objectContaining({ level: "warn", values: expect.objectContaining({ foreign: 1 }) }));
  });

  it("may be gzipped, have unknown fields, and nulls for what is not there", async () => {
    const body = { ...about(event("product", TEA, "UPDATE", { unheardOf: 1 })), auditContext: null, more: {} };
    const answer = await send(gzipSync(JSON.stringify(body)), { id: "r-1", headers: { "Content-Encoding": "gzip" } });
    expect([answer.status, await namedIn()]).toEqual([204, [[product(TEA)]]]);
  });

  it("of stock, which nobody asked for, is answered and passed over with a line", async () => {
    const body = {
      accountId: ACCOUNT,
      stockType: "stock",
      reportType: "all",
      reportUrl: `${API}/report/stock/all/current?changedSince=2026-03-05%2012:40:17&stockType=stock`,
    };
    expect((await send(body, { id: "r-1" })).status).toBe(204);
    expect(await stored()).toEqual([]);
    expect(lines).toContainEqual(expect.objectContaining({ level: "info", text: expect.stringContaining("stock") }));
  });
});

describe("an installation that is not active", () => {
  it.each(["suspended", "uninstalled"] as const)(
    "has its notifications answered, stored nowhere and never worked off: %s",
    async (state) => {
      await notified.installations.deactivate(key, state);
      for (const body of [about(event("product", TEA, "UPDATE")), "{ broken"]) expect((await send(body, { id: "r-1" })).status).toBe(204);
      expect(await stored()).toEqual([]);
      await notified.installations.activate(key, {}, "active");
      expect((await send(about(event("product", TEA, "UPDATE")), { id: "r-1" })).status).toBe(204);
      expect(await stored()).toHaveLength(1);
    },
  );

  it("that is suspended while the notification is on its way has it answered and not stored", async () => {
    doors = {
      holderOf: (given) => notified.notifications.holderOf(given),
      take: async (...given) => {
        await notified.installations.deactivate(key, "suspended");
        return notified.notifications.take(...given);
      },
    };
    expect((await send(about(event("product", TEA, "UPDATE")), { id: "r-1" })).status).toBe(204);
    expect(await stored()).toEqual([]);
  });
});

describe("what is refused", () => {
  it("is an address that nobody has: 404, whatever was sent there", async () => {
    const other = "x".repeat(secret.length);
    for (const to of [other, "short", `${secret}x`, secret.slice(1), "%E0%A4%A", "a%00b", `${secret}/more`])
      expect(problemOf(await send(about(event("product", TEA, "UPDATE")), { to, id: "r-1" })).slice(0, 3), to).toEqual([
        404,
        "application/json; charset=utf-8",
        404,
      ]);
    expect((await send("{ broken", { to: other })).status).toBe(404);
    expect((await request(app).post("/webhooks/")).status).toBe(404);
    expect(await stored()).toEqual([]);
  });

  it.each(["get", "put", "delete", "patch"] as const)("is another method: 405 to %s, with the one that is taken", async (method) => {
    const answer = await request(app)[method](`/webhooks/${secret}`);
    expect([...problemOf(answer), answer.headers.allow]).toEqual([405, "application/json; charset=utf-8", 405, "POST"]);
  });

  it.each([
    ["{ broken", ""],
    ["", ""],
    ["[]", ""],
    ["null", ""],
    [JSON.stringify({}), "events"],
    [JSON.stringify({ events: {} }), "events"],
    [JSON.stringify({ events: [{}] }), "events.0.meta"],
    [JSON.stringify({ events: [event("product", TEA, "UPDATE"), { ...event("product", TEA, "UPDATE"), action: {} }] }), "events.1.action"],
    [JSON.stringify({ events: [{ meta: { type: "product" }, action: "UPDATE" }] }), "events.0.meta.href"],
    [JSON.stringify({ events: [{ meta: { type: "product", href: "x".repeat(3_000) }, action: "UPDATE" }] }), "events.0.meta.href"],
    [`{"events":${"[".repeat(100)}${"]".repeat(100)}}`, "events"],
  ])("is a body that is no notification: 400 in words for %j", async (body, parameter) => {
    const answer = await send(body, { id: "r-1" });
    expect(problemOf(answer)).toEqual([400, "application/json; charset=utf-8", 400]);
    expect(answer.body.errors[0].error).toMatch(/\w+ \w+/);
    expect(answer.body.errors[0].parameter ?? "").toBe(parameter);
    expect(await stored()).toEqual([]);
  });

  it("is what is too large, of another type or wrongly compressed, before and after unpacking", async () => {
    const large = JSON.stringify({ events: [], more: "x".repeat(1024 * 1024) });
    expect((await send(large)).status).toBe(413);
    expect((await send(gzipSync(large), { headers: { "Content-Encoding": "gzip" } })).status).toBe(413);
    expect((await send(gzipSync("{}").subarray(0, 12), { headers: { "Content-Encoding": "gzip" } })).status).toBe(400);
    expect((await send("{}", { headers: { "Content-Type": "text/plain" } })).status).toBe(415);
    expect((await send("{}", { headers: { "Content-Encoding": "br" } })).status).toBe(415);
  });
});

describe("what cannot be stored", () => {
  it("for want of a database is 503, so that the platform repeats it", async () => {
    await store.close();
    expect(problemOf(await send(about(event("product", TEA, "UPDATE")), { id: "r-1" }))).toEqual([
      503,
      "application/json; charset=utf-8",
      503,
    ]);
  });

  it("within a second is 503 then, goes on being stored, and its repeat is known", async () => {
    const slow = Promise.withResolvers<void>();
    let arrived = false;
    doors = {
      holderOf: (given) => notified.notifications.holderOf(given),
      take: async (...given) => {
        arrived = true;
        await slow.promise;
        return notified.notifications.take(...given);
      },
    };
    let status = 0;
    const sending = send(about(event("product", TEA, "UPDATE")), { id: "r-1" }).then((answer) => {
      status = answer.status;
    });
    await eventually(() => arrived);
    await clock.advance(999);
    expect(status).toBe(0);
    await clock.advance(1);
    await sending;
    expect([status, seen[0]?.durationMs]).toEqual([503, 1_000]);
    slow.resolve();
    await eventually(async () => (await stored()).length === 1);
    expect((await send(about(event("product", TEA, "UPDATE")), { id: "r-1" })).status).toBe(204);
    expect(await stored()).toHaveLength(1);
  });

  it("within a second because whose address it is takes too long is 503 too, and a later failure is told", async () => {
    const slow = Promise.withResolvers<void>();
    let arrived = false;
    doors = {
      ...doors,
      holderOf: async () => {
        arrived = true;
        await slow.promise;
        throw new Error("the database is gone");
      },
    };
    const sending = send(about(event("product", TEA, "UPDATE")), { id: "r-1" }).then(({ status }) => status);
    await eventually(() => arrived);
    await clock.advance(1_000);
    expect(await sending).toBe(503);
    slow.resolve();
    await eventually(() => lines.some(({ level }) => level === "error"));
    expect(lines.at(-1)).toMatchObject({ values: { reason: "the database is gone" } });
  });
});

describe("the log", () => {
  it("has a line for each notification with account, outcome and the route, and the secret nowhere", async () => {
    await send(about(event("product", TEA, "UPDATE")), { id: "r-1" });
    await send(about(event("product", TEA, "UPDATE")), { id: "r-1" });
    await send("{ broken");
    await request(app).get(`/webhooks/${secret}`);
    await request(app).post(`/webhooks/${secret}/more`);
    await notified.installations.deactivate(key, "suspended");
    await send(about(event("product", TEA, "UPDATE")), { id: "r-2" });
    await store.close();
    await send(about(event("product", TEA, "UPDATE")), { id: "r-3" });
    const outcomes = lines.filter(({ text }) => text === "request").map(({ values }) => [values.route, values.outcome]);
    expect(outcomes.slice(0, 2)).toEqual([
      ["POST /webhooks/:secret", "stored"],
      ["POST /webhooks/:secret", "repeated"],
    ]);
    expect(outcomes.at(-1)).toEqual(["POST /webhooks/:secret", "not-active"]);
    expect(lines[0]?.values).toMatchObject({ accountId: ACCOUNT, objects: 1, ignored: 0 });
    expect(JSON.stringify([lines, seen])).not.toContain(secret);
  });
});
