import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Receiver } from "../../support/receiver.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** Longer than a task waits for its turn. */
const TURN_MS = 1_000;

interface Told {
  auditContext?: { meta: { href: string } };
  events: { action: string; meta: { type: string; href: string }; accountId: string }[];
}

describe("webhooks of asynchronous tasks", () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 5, 9));
  let sandbox: TestSandbox;
  let receiver: Receiver;
  beforeEach(async () => {
    [sandbox, receiver] = await Promise.all([testSandbox({ clock }), Receiver.open()]);
  });
  afterEach(() => Promise.all([sandbox.close(), receiver.close()]));

  const watch = (action: string, more: object = {}) =>
    sandbox.call("POST", "entity/webhook", { url: receiver.url, entityType: "async", action, ...more });
  /** Begins a task and returns its status address. */
  const begin = async (path: string) => String((await sandbox.call("GET", path)).headers.get("content-location"));
  const told = async (count: number) => (await receiver.until(count)).map(({ body }) => (body as Told).events[0]);

  it("PROCESSED is offered by them alone, and DELETE is not", async () => {
    expect((await watch("PROCESSED")).status).toBe(200);
    expect((await watch("DELETE")).at("errors", 0, "code")).toBe(30008);
    const product = await watch("PROCESSED", { entityType: "product" });
    expect([product.status, product.at("errors", 0, "code")]).toEqual([412, 30008]);
    expect((await watch("TOUCH")).at("errors", 0, "code")).toBe(30002);
  });

  it("a task that has run to its end is told as PROCESSED with its status address, one that was refused too", async () => {
    await watch("PROCESSED");
    const good = await begin("report/stock/all?async=true");
    await clock.advance(TURN_MS);
    const [first] = await told(1);
    expect(first).toEqual({ meta: { type: "async", href: good }, action: "PROCESSED", accountId: sandbox.account.id });
    expect((await sandbox.call("GET", good)).at("state")).toBe("DONE");
    const bad = await begin("report/stock/all?async=true&order=colour");
    await clock.advance(TURN_MS);
    expect((await told(2))[1]?.meta.href).toBe(bad);
    expect((await sandbox.call("GET", bad)).at("state")).toBe("API_ERROR");
  });

  it("its beginning is CREATE, every change of its state UPDATE; cancelled it is never PROCESSED", async () => {
    for (const action of ["CREATE", "UPDATE", "PROCESSED"]) await watch(action, action === "UPDATE" ? { diffType: "FIELDS" } : {});
    const task = await begin("report/stock/all?async=true");
    await sandbox.call("PUT", `${task}/cancel`);
    await clock.advance(TURN_MS);
    const other = await begin("report/stock/all?async=true");
    await clock.advance(TURN_MS);
    const events = await told(6);
    expect(events.map((event) => [event?.action, event?.meta.href === task])).toEqual([
      ["CREATE", true],
      ["UPDATE", true],
      ["CREATE", false],
      ["UPDATE", false],
      ["UPDATE", false],
      ["PROCESSED", false],
    ]);
    expect(events[1]).toMatchObject({ updatedFields: ["state"] });
    expect(events[5]?.meta.href).toBe(other);
  });
});

describe("the audit link of events", () => {
  it("leads to nothing that is kept: a clean 404", async () => {
    const [sandbox, receiver] = await Promise.all([testSandbox(), Receiver.open()]);
    await sandbox.call("POST", "entity/webhook", { url: receiver.url, entityType: "product", action: "CREATE" });
    await sandbox.call("POST", "entity/product", { name: "Чай" });
    const [first] = (await receiver.until(1)).map(({ body }) => body as Told);
    const audit = await sandbox.call("GET", String(first?.auditContext?.meta.href));
    expect([audit.status, audit.at("errors", 0, "code")]).toEqual([404, 1002]);
    await Promise.all([sandbox.close(), receiver.close()]);
  });
});
