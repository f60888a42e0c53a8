import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// json-api 12.2 rules 3–7 and 12.3 rules 4 and 5, for lines that are added or removed after a document was paid.

const OF_CASH = ["cashSum", "noCashSum", "prepaymentCashSum", "prepaymentNoCashSum", "advancePaymentSum"];
const PAYMENTS = [...OF_CASH, "qrSum", "prepaymentQrSum"];

/** How the lines of a paid document are changed. `at` chooses one of its present lines. */
type Step =
  | { way: "add" | "put" | "mass"; prices: number[] }
  | { way: "change"; at: number; price: number }
  | { way: "remove" | "removeMany"; at: number };

describe("lines of a document that is paid", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let retailShift: { meta: unknown };
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    retailShift = { meta: (await openShift(sandbox, shop)).meta };
  });
  afterAll(() => sandbox.close());

  const line = (price: number) => ({ assortment: shop.product, quantity: 1, price });
  const sell = (price: number, paid: object) =>
    sandbox.call("POST", "entity/retaildemand", { retailShift, positions: [line(price)], ...paid });
  const hrefOf = (answer: SandboxAnswer) => String(answer.at("meta", "href"));

  it.each([
    ["cash", { cashSum: 1000 }, { cashSum: 1500 }],
    ["the card, and cash takes what is added", { noCashSum: 1000 }, { cashSum: 500, noCashSum: 1000 }],
    ["QR", { qrSum: 1000 }, { qrSum: 1500, cashSum: 0, prepaymentQrSum: 0 }],
    ["QR beforehand", { prepaymentQrSum: 1000 }, { qrSum: 500, cashSum: 0, prepaymentQrSum: 1000 }],
    ["QR, some of it beforehand", { prepaymentQrSum: 300 }, { qrSum: 1200, cashSum: 0, prepaymentQrSum: 300 }],
  ])("a line added to a sale is paid as the sale was: by %s", async (_name, paid, expected) => {
    const href = hrefOf(await sell(1000, paid));
    const added = await sandbox.call("POST", `${href}/positions`, line(500));
    expect(added.status, added.text).toBe(200);
    expect((await sandbox.call("GET", href)).body).toMatchObject({ sum: 1500, ...expected });
  });

  it.each([
    ["the card", { noCashSum: 1000 }, { cashSum: 0, noCashSum: 400 }],
    ["cash and the card", { noCashSum: 300 }, { cashSum: 100, noCashSum: 300 }],
    ["QR", { qrSum: 1000 }, { qrSum: 400, cashSum: 0 }],
    ["QR beforehand", { prepaymentQrSum: 1000 }, { qrSum: 0, prepaymentQrSum: 400 }],
  ])("a sale that shrinks was paid less: by %s", async (_name, paid, expected) => {
    const changed = await sandbox.call("PUT", hrefOf(await sell(1000, paid)), { positions: [line(400)] });
    expect(changed.body).toMatchObject({ sum: 400, ...expected });
  });

  it("what is sent beside the lines is not moved: a way that QR excludes is 18005, a sum that is too much 18000", async () => {
    const byQr = hrefOf(await sell(1000, { qrSum: 1000 }));
    const beside = await sandbox.call("PUT", byQr, { positions: [line(1500)], cashSum: 500 });
    expect([beside.status, beside.at("errors", 0, "code")]).toEqual([412, 18005]);
    const much = await sandbox.call("PUT", hrefOf(await sell(1000, {})), { positions: [line(400)], noCashSum: 500 });
    expect([much.status, much.at("errors", 0, "code")]).toEqual([412, 18000]);
  });

  it("a return that shrinks gives back less, and nothing below zero", async () => {
    const sale = await sell(1000, { noCashSum: 1000 });
    const { organization, store, retailStore } = shop;
    const made = await sandbox.call("POST", "entity/retailsalesreturn", {
      ...{ organization, store, retailStore, retailShift, agent: shop.buyer, demand: { meta: sale.at("meta") } },
      ...{ positions: [line(1000)], noCashSum: 1000 },
    });
    expect(made.status, made.text).toBe(200);
    const changed = await sandbox.call("PUT", hrefOf(made), { positions: [line(400)] });
    expect(changed.body).toMatchObject({ sum: 400, cashSum: 0, noCashSum: 400, qrSum: 0 });
  });

  const price = fc.integer({ min: 0, max: 2000 });
  const at = fc.nat({ max: 5 });
  const prices = fc.array(price, { maxLength: 3 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ way: fc.constantFrom("add" as const, "put" as const, "mass" as const), prices }),
    fc.record({ way: fc.constant("change" as const), at, price }),
    fc.record({ way: fc.constantFrom("remove" as const, "removeMany" as const), at }),
  );
  const paid = fc.dictionary(fc.constantFrom(...PAYMENTS), fc.integer({ min: 0, max: 1000 }), { maxKeys: 2 });

  it("after any changes of its lines the payments of a sale add up and exclude each other nowhere", async () => {
    await fc.assert(
      fc.asyncProperty(paid, fc.array(step, { minLength: 1, maxLength: 6 }), async (sent, steps) => {
        const sale = await sell(1000, sent);
        if (sale.status !== 200) return;
        for (const each of steps) {
          const answer = await take(each, sale);
          // Only sums in ways of payment that are not reduced can be too large for the remaining lines.
          if (answer !== undefined && answer.status !== 200)
            expect(answer.at("errors", 0, "code") ?? answer.at(0, "errors", 0, "code")).toBe(18000);
          const { body } = await sandbox.call("GET", hrefOf(sale));
          expectPaid(body as Record<string, number>);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("after any changes of its lines a return gives back its total, the way the sale was paid", async () => {
    const ways = fc.constantFrom<[object, object]>(
      [{ cashSum: 9000 }, {}],
      [{ noCashSum: 9000 }, { noCashSum: 600 }],
      [{ qrSum: 9000 }, {}],
    );
    const { organization, store, retailStore, buyer } = shop;
    await fc.assert(
      fc.asyncProperty(ways, fc.array(step, { minLength: 1, maxLength: 5 }), async ([paid, back], steps) => {
        const sale = await sandbox.call("POST", "entity/retaildemand", {
          ...{ retailShift, positions: [{ ...line(90), quantity: 100 }], ...paid },
        });
        const made = await sandbox.call("POST", "entity/retailsalesreturn", {
          ...{ organization, store, retailStore, retailShift, agent: buyer, demand: { meta: sale.at("meta") } },
          ...{ positions: [line(600)], ...back },
        });
        expect([sale.status, made.status]).toEqual([200, 200]);
        for (const each of steps) {
          const answer = await take(each, made, "retailsalesreturn");
          expect(answer?.status ?? 200, answer?.text).toBe(200);
          const { cashSum = 0, noCashSum = 0, qrSum = 0, sum } = (await sandbox.call("GET", hrefOf(made))).body as Record<string, number>;
          expect(cashSum + noCashSum + qrSum).toBe(sum);
          expect(Math.min(cashSum, noCashSum, qrSum)).toBe(0);
          expect("qrSum" in paid ? cashSum + noCashSum : qrSum).toBe(0);
        }
      }),
      { numRuns: 30 },
    );
  });

  async function take(change: Step, sale: SandboxAnswer, type = "retaildemand"): Promise<SandboxAnswer | undefined> {
    const href = hrefOf(sale);
    if ("prices" in change) {
      const positions = change.prices.map(line);
      if (change.way === "put") return await sandbox.call("PUT", href, { positions });
      if (change.way === "mass") return await sandbox.call("POST", `entity/${type}`, [{ meta: sale.at("meta"), positions }]);
      return positions.length === 0 ? undefined : await sandbox.call("POST", `${href}/positions`, positions);
    }
    const rows = (await sandbox.call("GET", `${href}/positions`)).at("rows") as { id: string; meta: unknown }[];
    const one = rows[change.at % rows.length];
    if (one === undefined) return undefined;
    if (change.way === "change") return await sandbox.call("PUT", `${href}/positions/${one.id}`, { price: change.price });
    if (change.way === "remove") return await sandbox.call("DELETE", `${href}/positions/${one.id}`);
    return await sandbox.call("POST", `${href}/positions/delete`, [{ meta: one.meta, id: one.id }]);
  }
});

function expectPaid(sale: Record<string, number>): void {
  const of = (name: string) => sale[name] ?? Number.NaN;
  expect(PAYMENTS.reduce((sum, name) => sum + of(name), 0)).toBe(sale.sum);
  expect(PAYMENTS.every((name) => of(name) >= 0)).toBe(true);
  const byQr = of("qrSum") !== 0 || of("prepaymentQrSum") !== 0;
  expect(byQr && OF_CASH.some((name) => of(name) !== 0)).toBe(false);
  const prepaid = ["prepaymentCashSum", "prepaymentNoCashSum", "prepaymentQrSum"].some((name) => of(name) !== 0);
  expect(of("advancePaymentSum") !== 0 && prepaid).toBe(false);
}
