import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/kernel/log.ts";
import { FakeSolution } from "../../support/fake-solution.ts";
import { Receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/registers.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, shopReferences } from "../../support/sandbox-shop.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const DAY_MS = 24 * 3_600_000;
const MORNING = Date.UTC(2026, 2, 5, 6);
const ATTEMPTS = 4;
const APP = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
};

async function receiving(...statuses: number[]): Promise<Receiver> {
  const receiver = await Receiver.open();
  onTestFinished(() => receiver.close());
  receiver.statuses = statuses;
  return receiver;
}

async function opened(clock: VirtualClock, data?: string): Promise<TestSandbox> {
  const sandbox = await testSandbox({ clock, data });
  onTestFinished(() => sandbox.close().catch(() => undefined));
  return sandbox;
}

async function watching(sandbox: TestSandbox, url: string): Promise<string> {
  const made = await sandbox.call("POST", "entity/webhook", { url, action: "CREATE", entityType: "product" });
  return String(made.at("meta", "href"));
}

/** Makes one product a day, whose notification the receiver refuses four times, and waits until this is recorded. */
async function failingDays(days: number, sandbox: TestSandbox, clock: VirtualClock, receiver: Receiver): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    const before = receiver.received.length;
    await sandbox.call("POST", "entity/product", { name: `День ${before}` });
    await receiver.until(before + ATTEMPTS);
    const today = Math.floor((clock.nowMs() + 3 * 3_600_000) / DAY_MS);
    await expect.poll(() => JSON.stringify([...sandbox.account.objects.all("webhook").values()])).toContain(String(today));
    await clock.advance(DAY_MS);
  }
}

describe("automatic switch-off of webhooks", () => {
  it("a receiver that only failed on more than 7 of the last 10 days has its webhook switched off", async () => {
    const clock = new VirtualClock(MORNING);
    const receiver = await receiving(500);
    const sandbox = await opened(clock);
    const hook = await watching(sandbox, receiver.url);
    await failingDays(7, sandbox, clock, receiver);
    expect((await sandbox.call("GET", hook)).at("enabled")).toBe(true);
    await failingDays(1, sandbox, clock, receiver);
    expect((await sandbox.call("GET", hook)).at("enabled")).toBe(false);
    await sandbox.call("POST", "entity/product", { name: "Никому" });
    expect(receiver.received).toHaveLength(8 * ATTEMPTS);
  });

  it("is told of with the webhook's id and its server, and without what its address holds for a secret", async () => {
    const clock = new VirtualClock(MORNING);
    const receiver = await receiving(500);
    const lines: unknown[] = [];
    const sandbox = await testSandbox({ clock, log: { ...silentLog, warn: (values, text) => void lines.push({ ...values, text }) } });
    onTestFinished(() => sandbox.close());
    const hook = await watching(sandbox, `${receiver.url}/s3cret?key=s3cret`);
    await failingDays(8, sandbox, clock, receiver);
    const told = { webhook: hook.split("/").at(-1), origin: new URL(receiver.url).origin };
    expect(lines).toContainEqual({ ...told, text: expect.stringContaining("switched off") });
    expect(JSON.stringify(lines)).not.toContain("s3cret");
  });

  it("one that cannot be reached fails too, and switching on again is an ordinary PUT that begins the count anew", async () => {
    const clock = new VirtualClock(MORNING);
    const receiver = await receiving(500);
    const sandbox = await opened(clock);
    const hook = await watching(sandbox, receiver.url);
    await failingDays(7, sandbox, clock, receiver);
    await receiver.close();
    await sandbox.call("POST", "entity/product", { name: "В пустоту" });
    await expect.poll(async () => (await sandbox.call("GET", hook)).at("enabled")).toBe(false);
    const again = await receiving(500);
    expect((await sandbox.call("PUT", hook, { enabled: true, url: again.url })).at("enabled")).toBe(true);
    await failingDays(7, sandbox, clock, again);
    expect((await sandbox.call("GET", hook)).at("enabled")).toBe(true);
  });

  it("one success within the ten days keeps it on", async () => {
    const clock = new VirtualClock(MORNING);
    const receiver = await receiving(204);
    const sandbox = await opened(clock);
    const hook = await watching(sandbox, receiver.url);
    await sandbox.call("POST", "entity/product", { name: "Услышан" });
    await receiver.until(1);
    receiver.statuses = [500];
    await clock.advance(DAY_MS);
    await failingDays(9, sandbox, clock, receiver);
    expect((await sandbox.call("GET", hook)).at("enabled")).toBe(true);
    await failingDays(1, sandbox, clock, receiver);
    expect((await sandbox.call("GET", hook)).at("enabled")).toBe(false);
  });

  it("the days count over a restart, and so does being switched off", async () => {
    const clock = new VirtualClock(MORNING);
    const data = await temporaryFolder();
    const receiver = await receiving(500);
    const first = await opened(clock, data);
    const { pathname } = new URL(await watching(first, receiver.url));
    await failingDays(4, first, clock, receiver);
    await first.close();
    const second = await opened(clock, data);
    await failingDays(4, second, clock, receiver);
    await second.close();
    const third = await opened(clock, data);
    expect((await third.call("GET", `${third.base}${pathname}`)).at("enabled")).toBe(false);
  });

  it("a stock webhook is switched off alike", async () => {
    const clock = new VirtualClock(MORNING);
    const receiver = await receiving(500);
    const sandbox = await opened(clock);
    const shop = await shopReferences(sandbox);
    const shift = await openShift(sandbox, shop);
    const body = { url: receiver.url, stockType: "stock", reportType: "all" };
    const hook = String((await sandbox.call("POST", "entity/webhookstock", body)).at("meta", "href"));
    for (let day = 1; day <= 8; day += 1) {
      expect((await sandbox.call("GET", hook)).at("enabled"), String(day)).toBe(true);
      const positions = [{ assortment: shop.product, quantity: 1, price: 100 }];
      await sandbox.call("POST", "entity/retaildemand", { retailShift: { meta: shift.meta }, positions });
      await clock.advance(60_000);
      await receiver.until(day * ATTEMPTS);
      await expect
        .poll(() => [...sandbox.account.objects.all("webhookstock").values()][0]?.values.health)
        .toMatchObject({ failed: { length: day } });
      await clock.advance(DAY_MS);
    }
    expect((await sandbox.call("GET", hook)).at("enabled")).toBe(false);
  });
});

describe("webhooks of a solution", () => {
  let solution: FakeSolution;
  let sandbox: TestSandbox;
  beforeAll(async () => {
    solution = await FakeSolution.open();
    sandbox = await testSandbox({ solution: { target: solution.url, ...APP } });
    await sandbox.beginSolution();
  });
  afterAll(() => Promise.all([sandbox.close(), solution.close()]));

  const step = (name: string) => sandbox.call("POST", `${sandbox.base}/sandbox/solution/${name}`);
  /** The headers of a call by the solution, with the token of the last Install or Resume. */
  const asSolution = () => {
    const [access] = solution.calls.flatMap(({ body }) => (body.access ?? []) as { access_token: string }[]).slice(-1);
    return { authorization: `Bearer ${String(access?.access_token)}` };
  };
  const hook = { url: "https://hooks.example/1", action: "CREATE", entityType: "uom" };
  const stockHook = { url: "https://hooks.example/2", stockType: "stock", reportType: "all" };

  it("name it as authorApplication, both kinds; a user's name nobody", async () => {
    const authorApplication = {
      meta: {
        href: `${sandbox.api}/entity/application/${APP.appId}`,
        metadataHref: `${sandbox.api}/entity/application/metadata`,
        type: "application",
        mediaType: "application/json",
      },
    };
    const made = await sandbox.call("POST", "entity/webhook", { ...hook, authorApplication: null }, asSolution());
    const stock = await sandbox.call("POST", "entity/webhookstock", stockHook, asSolution());
    expect(made.at("authorApplication")).toEqual(authorApplication);
    expect(stock.at("authorApplication")).toEqual(authorApplication);
    const mine = await sandbox.call("POST", "entity/webhook", { ...hook, action: "DELETE", authorApplication });
    expect([mine.status, mine.at("authorApplication")]).toEqual([200, undefined]);
    expect((await sandbox.call("GET", "entity/webhook")).at("rows", 0, "authorApplication")).toEqual(authorApplication);
  });

  it("are off while it is suspended and on again when it is resumed, but for those that were off before", async () => {
    const off = await sandbox.call("POST", "entity/webhook", { ...hook, action: "UPDATE", enabled: false }, asSolution());
    const states = async () => {
      const lists = await Promise.all(["webhook", "webhookstock"].map((type) => sandbox.call("GET", `entity/${type}`)));
      const rows = lists.flatMap((list) => list.at("rows") as { action?: string; enabled: boolean }[]);
      return Object.fromEntries(rows.map(({ action = "stock", enabled }) => [action, enabled]));
    };
    expect(off.status).toBe(200);
    expect(await states()).toEqual({ CREATE: true, DELETE: true, UPDATE: false, stock: true });
    await step("suspend");
    expect(await states()).toEqual({ CREATE: false, DELETE: true, UPDATE: false, stock: false });
    await step("resume");
    expect(await states()).toEqual({ CREATE: true, DELETE: true, UPDATE: false, stock: true });
  });

  it("are deleted with its removal; a user's stays", async () => {
    await step("uninstall");
    expect((await sandbox.call("GET", "entity/webhook")).at("rows")).toMatchObject([{ action: "DELETE" }]);
    expect((await sandbox.call("GET", "entity/webhookstock")).at("meta", "size")).toBe(0);
  });
});
