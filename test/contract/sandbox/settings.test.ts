import { describe, expect, it, onTestFinished } from "vitest";
import { tokenId } from "../../../src/tools/sandbox/account/users.ts";
import { readSetting } from "../../../src/tools/sandbox/setting-choices.ts";
import type { SandboxSettings } from "../../../src/tools/sandbox/settings.ts";
import { FakeSolution } from "../../support/fake-solution.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { Receiver } from "../../support/receiver.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, shopReferences } from "../../support/sandbox-shop.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const APP = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
};

/** The behaviour that a client sees under one value of a setting. */
interface Seen {
  value: unknown;
  seen: unknown;
}

/** One setting: the question to the sandbox, and the answer under each value. */
interface Choice {
  title: string;
  see(settings: Partial<SandboxSettings>): Promise<unknown>;
  both: readonly [Seen, Seen];
}

type Options = Parameters<typeof testSandbox>[0];

async function opened(settings: Partial<SandboxSettings>, more: Options = {}): Promise<TestSandbox> {
  const sandbox = await testSandbox({ ...more, settings });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

async function receiving(): Promise<Receiver> {
  const receiver = await Receiver.open();
  onTestFinished(() => receiver.close());
  return receiver;
}

const outcome = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
const watch = (sandbox: TestSandbox, more: object = {}) =>
  sandbox.call("POST", "entity/webhook", { url: "https://hooks.example/in", action: "CREATE", entityType: "product", ...more });
const product = (sandbox: TestSandbox, more: object = {}) => sandbox.call("POST", "entity/product", { name: "Чай", ...more });
const remaining = (answer: SandboxAnswer) => answer.headers.get("x-ratelimit-remaining");

const CHOICES: Readonly<Record<keyof SandboxSettings, Choice>> = {
  plan: {
    title: "webhooks need a paid plan (D39)",
    see: async (settings) => outcome(await watch(await opened(settings))),
    both: [
      { value: "paid", seen: [200, undefined] },
      { value: "free", seen: [403, 30006] },
    ],
  },
  accept: {
    title: "Accept that names JSON without its charset (D3)",
    async see(settings) {
      return outcome(await (await opened(settings)).call("GET", "entity/uom?limit=1", undefined, { accept: "application/json" }));
    },
    both: [
      { value: "lenient", seen: [200, undefined] },
      { value: "strict", seen: [400, 1062] },
    ],
  },
  alwaysMilliseconds: {
    title: "datetimes have milliseconds without being asked for them (D4)",
    async see(settings) {
      const sandbox = await opened(settings);
      const made = await product(sandbox);
      const listed = await sandbox.call("GET", "entity/product?limit=1&order=updated,desc");
      return [made.at("updated"), listed.at("rows", 0, "updated")].map((text) => /\.\d{3}$/.test(String(text)));
    },
    both: [
      { value: false, seen: [false, false] },
      { value: true, seen: [true, true] },
    ],
  },
  massStatus: {
    title: "a mass answer with failures has the status of their family, or 200 (D13)",
    see: async (settings) => (await (await opened(settings)).call("POST", "entity/product", [{ name: "Чай" }, {}])).status,
    both: [
      { value: "family", seen: 412 },
      { value: "200", seen: 200 },
    ],
  },
  webhookUniqueness: {
    title: "a second webhook of the same pair with another address (D18)",
    async see(settings) {
      const sandbox = await opened(settings);
      await watch(sandbox);
      return outcome(await watch(sandbox, { url: "https://hooks.example/other" }));
    },
    both: [
      { value: "pair", seen: [412, 30003] },
      { value: "triple", seen: [200, undefined] },
    ],
  },
  webhookAgent: {
    title: "the agent of notifications (D1)",
    async see(settings) {
      const [sandbox, receiver] = [await opened(settings), await receiving()];
      await watch(sandbox, { url: receiver.url });
      await product(sandbox);
      const [first] = await receiver.until(1);
      return / webhook touch agent (\S+) /.exec(String(first?.headers["user-agent"]))?.[1];
    },
    both: [
      { value: "1.0", seen: "1.0" },
      { value: "2.0", seen: "2.0" },
    ],
  },
  webhookVersions: {
    title: "a webhook made under 1.1 is listed under 1.2",
    async see(settings) {
      const sandbox = await opened(settings);
      await sandbox.call("POST", `${sandbox.base}/api/remap/1.1/entity/webhook`, {
        url: "https://hooks.example/in",
        action: "CREATE",
        entityType: "product",
      });
      return (await sandbox.call("GET", "entity/webhook")).at("meta", "size");
    },
    both: [
      { value: "common", seen: 1 },
      { value: "separate", seen: 0 },
    ],
  },
  oldVersionsEnd: {
    title: "an old version goes on for ever, or is withdrawn on a day (chapter 2)",
    async see(settings) {
      const sandbox = await opened(settings);
      return (await sandbox.call("GET", `${sandbox.base}/api/remap/1.1/entity/uom?limit=1`)).status;
    },
    both: [
      { value: "never", seen: 200 },
      { value: "2026-01-01", seen: 410 },
    ],
  },
  webhookTimeout: {
    title: "a notification that was not answered in time comes once more (D20)",
    async see(settings) {
      const clock = new VirtualClock(0);
      const [sandbox, receiver] = [await opened(settings, { clock }), await receiving()];
      receiver.statuses = [0, 204];
      await watch(sandbox, { url: receiver.url });
      await product(sandbox);
      await receiver.until(1);
      // The second notification that the receiver gets is either the repeat of the first one, or the one about this product.
      await product(sandbox);
      await clock.advance(1500);
      const [first, second] = await receiver.until(2);
      return first?.path === second?.path;
    },
    both: [
      { value: "retry", seen: true },
      { value: "drop", seen: false },
    ],
  },
  singleOpenShift: {
    title: "a second open shift at a point of sale (D25)",
    async see(settings) {
      const sandbox = await opened(settings);
      const shop = await shopReferences(sandbox);
      await openShift(sandbox, shop);
      return outcome(await sandbox.call("POST", "entity/retailshift", { organization: shop.organization, retailStore: shop.retailStore }));
    },
    both: [
      { value: false, seen: [200, undefined] },
      { value: true, seen: [412, 3007] },
    ],
  },
  enforceReturnFlags: {
    title: "a return without a receipt at a point of sale that does not allow it (D32)",
    async see(settings) {
      const sandbox = await opened(settings);
      const shop = await shopReferences(sandbox);
      const retailShift = { meta: (await openShift(sandbox, shop)).meta };
      const { organization, store, retailStore, buyer: agent } = shop;
      const body = { organization, store, retailStore, agent, retailShift, cashSum: 0, noCashSum: 0 };
      return outcome(await sandbox.call("POST", "entity/retailsalesreturn", body));
    },
    both: [
      { value: false, seen: [200, undefined] },
      { value: true, seen: [412, 3007] },
    ],
  },
  filterBySyncId: {
    title: "a filter by syncId (D9)",
    see: async (settings) =>
      outcome(await (await opened(settings)).call("GET", "entity/product?filter=syncId=0b1d2c3e-0000-4000-8000-00000000000f")),
    both: [
      { value: false, seen: [412, 1034] },
      { value: true, seen: [200, undefined] },
    ],
  },
  unknownFields: {
    title: "a field that no table has (D11)",
    see: async (settings) => outcome(await product(await opened(settings), { flavour: "бергамот" })),
    both: [
      { value: "ignore", seen: [200, undefined] },
      { value: "refuse", seen: [412, 1007] },
    ],
  },
  recycleBin: {
    title: "a document goes to the recycle bin, or there is none (1067); the company's settings say so (7.1)",
    async see(settings) {
      const sandbox = await opened(settings);
      const shift = await openShift(sandbox, await shopReferences(sandbox));
      const company = await sandbox.call("GET", "context/companysettings");
      return [...outcome(await sandbox.call("POST", `${shift.href}/trash`)), company.at("useRecycleBin")];
    },
    both: [
      { value: true, seen: [200, undefined, true] },
      { value: false, seen: [412, 1067, false] },
    ],
  },
  uniqueCodes: {
    title: "a second product of the same code (7.1)",
    async see(settings) {
      const sandbox = await opened(settings);
      await product(sandbox, { code: "A-1" });
      return outcome(await product(sandbox, { code: "A-1" }));
    },
    both: [
      { value: false, seen: [200, undefined] },
      { value: true, seen: [412, 3006] },
    ],
  },
  gzip: {
    title: "callers that do not take gzip, of the JSON API and of the vendor contract (D42)",
    async see(settings) {
      const solution = await FakeSolution.open();
      onTestFinished(() => solution.close());
      const sandbox = await opened(settings, { solution: { target: solution.url, ...APP } });
      await sandbox.beginSolution();
      const ask = (url: string) => rawRequest("GET", url, { authorization: "Bearer test-token" });
      const vendor = await ask(`${sandbox.base}/api/vendor/1.0/apps/${APP.appId}/${sandbox.account.id}/status`);
      // When the vendor contract accepts the request without gzip, it answers 401: the test's token is no token of the solution.
      return [(await ask(`${sandbox.api}/entity/uom?limit=1`)).status, vendor.status];
    },
    both: [
      { value: "demanded", seen: [415, 415] },
      { value: "optional", seen: [200, 401] },
    ],
  },
  fiscalMoneyScale: {
    title: "the unit of a price on its way to a register (interface 6)",
    async see(settings) {
      const solution = await FakeSolution.open();
      onTestFinished(() => solution.close());
      const sandbox = await opened(settings, { solution: { target: solution.url, ...APP } });
      await sandbox.beginSolution();
      const shop = await shopReferences(sandbox);
      const retailShift = { meta: (await openShift(sandbox, shop)).meta };
      await sandbox.call("POST", "entity/retaildemand", {
        retailShift,
        positions: [{ assortment: shop.product, quantity: 1, price: 5490 }],
      });
      const sales = () => solution.fiscal().filter(({ path }) => path === "/fiscal/1/retaildemand");
      await expect.poll(() => sales().length).toBe(1);
      const [sale] = sales();
      return (sale?.body as { positions: { price: string }[] } | undefined)?.positions[0]?.price;
    },
    both: [
      { value: "1", seen: "54.90" },
      { value: "100", seen: "5490" },
    ],
  },
  stockDelayMs: {
    title: "stock of goods that were sold a second ago, and a minute later (D37)",
    async see(settings) {
      const clock = new VirtualClock(Date.UTC(2026, 2, 5, 9));
      const sandbox = await opened(settings, { clock });
      const shop = await shopReferences(sandbox);
      const retailShift = { meta: (await openShift(sandbox, shop)).meta };
      const href = (shop.product.meta as { href: string }).href;
      const stock = async () => {
        const rows = (await sandbox.call("GET", "report/stock/all?stockMode=all")).at("rows") as {
          meta: { href: string };
          stock: number;
        }[];
        return rows.find(({ meta }) => meta.href.startsWith(href))?.stock ?? 0;
      };
      await clock.advance(60_000);
      const before = await stock();
      await sandbox.call("POST", "entity/retaildemand", {
        retailShift,
        positions: [{ assortment: shop.product, quantity: 3, price: 100 }],
      });
      await clock.advance(1_000);
      const soon = await stock();
      await clock.advance(60_000);
      return [soon - before, (await stock()) - before];
    },
    both: [
      { value: 0, seen: [-3, -3] },
      { value: 30_000, seen: [0, -3] },
    ],
  },
  userWeight: {
    title: "units that a user's request costs (D23)",
    see: async (settings) => remaining(await (await opened(settings, { clock: new VirtualClock(0) })).call("GET", "entity/uom?limit=1")),
    both: [
      { value: 1, seen: "44" },
      { value: 4, seen: "41" },
    ],
  },
  solutionWeight: {
    title: "units that a solution's request costs (D23)",
    async see(settings) {
      const sandbox = await opened(settings, { clock: new VirtualClock(0) });
      const stored = { type: "token", id: tokenId("of-a-solution"), values: { appId: APP.appId } };
      await sandbox.account.commit(() => sandbox.account.put(stored));
      return remaining(await sandbox.call("GET", "entity/uom?limit=1", undefined, { authorization: "Bearer of-a-solution" }));
    },
    both: [
      { value: 1, seen: "44" },
      { value: 4, seen: "41" },
    ],
  },
};

const cases = (Object.keys(CHOICES) as (keyof SandboxSettings)[]).flatMap((name) =>
  CHOICES[name].both.map(({ value, seen }) => ({ name, value, seen, choice: CHOICES[name] })),
);

describe("choices where documents differ (--set NAME=VALUE)", () => {
  it.each(cases)("$name=$value: $choice.title", async ({ name, value, seen, choice }) => {
    if (name !== "plan") expect(readSetting(`${name}=${String(value)}`)).toEqual({ setting: { [name]: value } });
    expect(await choice.see({ [name]: value })).toEqual(seen);
  });
});

describe("a burst of 429", () => {
  it("costs nothing: a refused request takes no units (D23)", async () => {
    const struck = await testSandbox({ clock: new VirtualClock(0), limited: true, faults: [{ name: "burst-429", share: 1 }] });
    onTestFinished(() => struck.close());
    for (const _time of [1, 2, 3]) {
      const refused = await struck.call("POST", "entity/product", { name: "Лишний", uom: shopReference(struck, "uom") });
      expect([refused.status, remaining(refused), refused.headers.get("x-platform-retry-after")]).toEqual([429, "45", "3000"]);
    }
  });
});
