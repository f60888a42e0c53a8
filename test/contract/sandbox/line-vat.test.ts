import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxAnswer, TestSandbox } from "../../support/sandbox.ts";
import { type ShopReferences, shopOnShift } from "../../support/sandbox-shop.ts";

// json-api 12 and 12.2, rule 14: a taxed line without a rate, in every document with lines and through the sub-resource.

let sandbox: TestSandbox;
let shop: ShopReferences;
let shift: { meta: unknown };
beforeAll(async () => {
  ({ sandbox, shop, shift } = await shopOnShift());
});
afterAll(() => sandbox.close());

const DOCUMENTS: Readonly<Record<string, () => object>> = {
  retaildemand: () => ({ retailShift: { meta: shift.meta } }),
  retailsalesreturn: () => ({
    organization: shop.organization,
    retailStore: shop.retailStore,
    store: shop.store,
    agent: shop.buyer,
    retailShift: { meta: shift.meta },
    cashSum: 0,
    noCashSum: 0,
  }),
  customerorder: () => ({ organization: shop.organization, agent: shop.buyer }),
};

/** The VAT of a line, and whether it is accepted in a new line (`alone`) and in a line that had a rate of 20 (`before`). */
const LINES: readonly { vat: object; alone: boolean; before: boolean }[] = [
  { vat: { vatEnabled: true }, alone: false, before: true },
  { vat: { vatEnabled: true, vat: null }, alone: false, before: false },
  { vat: { vatEnabled: true, vat: 0 }, alone: true, before: true },
  { vat: { vatEnabled: true, vat: 20 }, alone: true, before: true },
  { vat: { vatEnabled: false }, alone: true, before: true },
  { vat: { vatEnabled: false, vat: null }, alone: true, before: true },
  { vat: { vatEnabled: false, vat: 0 }, alone: true, before: true },
  { vat: {}, alone: true, before: true },
  { vat: { vat: null }, alone: true, before: false },
];

const line = (more: object) => ({ assortment: shop.product, quantity: 1, price: 0, ...more });
const outcome = (answer: SandboxAnswer) => (answer.status === 200 ? 200 : [answer.status, answer.at("errors", 0, "code")]);
const NO_RATE = [412, 17021];

describe.each(Object.keys(DOCUMENTS))("lines of a %s", (type) => {
  const create = (lines: object[]) => sandbox.call("POST", `entity/${type}`, { ...DOCUMENTS[type]?.(), positions: lines });

  it.each(LINES)("with $vat may be made: $alone", async ({ vat, alone }) => {
    const expected = alone ? 200 : NO_RATE;
    expect(outcome(await create([line(vat)]))).toEqual(expected);
    expect(outcome(await create([line({ vat: 10, vatEnabled: true }), line(vat)]))).toEqual(expected);
    const made = await create([]);
    const href = String(made.at("meta", "href"));
    expect(outcome(await sandbox.call("POST", `${href}/positions`, line(vat)))).toEqual(expected);
    expect(outcome(await sandbox.call("POST", `${href}/positions`, [line({}), line(vat)]))).toEqual(expected);
    expect(outcome(await sandbox.call("PUT", href, { positions: [line(vat)] }))).toEqual(expected);
  });

  it.each(LINES)("with a rate may be changed by $vat: $before", async ({ vat, before }) => {
    const made = await create([line({ vat: 20, vatEnabled: true })]);
    const href = String(made.at("meta", "href"));
    const rows = await sandbox.call("GET", `${href}/positions`);
    const { id, meta } = rows.at("rows", 0) as { id: string; meta: { href: string } };
    const expected = before ? 200 : NO_RATE;
    expect(outcome(await sandbox.call("PUT", meta.href, vat))).toEqual(expected);
    expect(outcome(await sandbox.call("PUT", href, { positions: [{ id, ...line(vat) }] }))).toEqual(expected);
  });

  it("that were not taxed are not taxed without a rate later, and nothing of a refused request stays", async () => {
    const made = await create([line({})]);
    const href = String(made.at("meta", "href"));
    const own = String((await sandbox.call("GET", `${href}/positions`)).at("rows", 0, "meta", "href"));
    expect(outcome(await sandbox.call("PUT", own, { vatEnabled: true }))).toEqual(NO_RATE);
    const kept = await sandbox.call("GET", own);
    expect([kept.at("vat"), kept.at("vatEnabled")]).toEqual([0, false]);
    // No line of the account may have a rate that was not sent.
    const all = await sandbox.call("GET", `entity/${type}?limit=100&expand=positions`);
    const rows = (all.at("rows") as { positions: { rows: { vat: number; vatEnabled: boolean; price: number }[] } }[]).flatMap(
      ({ positions }) => positions.rows,
    );
    expect(rows.filter(({ vatEnabled, vat }) => vatEnabled && typeof vat !== "number")).toEqual([]);
  });

  it("say where the fault is", async () => {
    const refused = await create([line({}), line({ vatEnabled: true })]);
    expect(refused.at("errors", 0)).toMatchObject({ code: 17021, parameter: "vat", line: 1, column: expect.any(Number) });
  });
});
