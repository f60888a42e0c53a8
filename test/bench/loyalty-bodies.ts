import { systemChance } from "../../src/kernel/clock.ts";
import { LOYALTY_STORE } from "../support/loyalty-bench.ts";

/** The number of buyers. Sales go around among them, so that nobody has more lots than a real buyer. */
export const BUYERS = 100;
export const BENCH_BUYER = buyerOf(0);
export function buyerOf(number: number): string {
  return `c0ffee00-aaaa-4bbb-8ccc-${String(number % BUYERS).padStart(12, "0")}`;
}

const RULES = 50;

/** A programme of fifty rules. Ten name goods of a body, and each of the others does not match, for different reasons. */
export function fiftyRules(): object {
  const rules = Array.from({ length: RULES }, (_, index) => ({
    id: `rule-${index}`,
    priority: index,
    group: `g${index % 4}`,
    ...ruleOf(index),
  }));
  return { earnPercent: 5, expiry: { kind: "days", days: 365 }, externalSearch: true, rules };
}

function ruleOf(index: number): object {
  switch (index % 5) {
    case 0:
      return { effect: "percent", value: 1 + (index % 7), when: { products: [productOf(index / 5)] } };
    case 1:
      return { effect: "percent", value: 5, when: { stores: ["another-store"] } };
    case 2:
      return { effect: "multiplier", value: 2, when: { leastTotalKopecks: 100_000_000 } };
    case 3:
      return { effect: "fixed-price", value: 9_000, when: { products: ["nowhere-sold"] } };
    default:
      return { effect: "points", value: 10, when: { birthdayWithinDays: 3 } };
  }
}

function productOf(line: number): string {
  return `aa01b2c3-d4e5-46f7-8899-${String(line).padStart(12, "0")}`;
}

const shared = (buyer: string) => ({
  retailStore: { meta: { href: `https://api.platform.example/entity/retailstore/${LOYALTY_STORE}`, id: LOYALTY_STORE } },
  agent: { meta: { href: `https://api.platform.example/entity/counterparty/${buyer}`, id: buyer } },
});

const positions = (lines: number, sold: object) =>
  Array.from({ length: lines }, (_, line) => ({
    assortment: { meta: { href: `https://api.platform.example/entity/product/${productOf(line)}`, id: productOf(line), type: "product" } },
    quantity: 1 + (line % 3),
    price: 96.5 + line,
    ...sold,
  }));

export function recalcBody(lines: number, buyer = BENCH_BUYER): string {
  return JSON.stringify({ ...shared(buyer), positions: positions(lines, {}), bonusProgram: { transactionType: "EARNING" } });
}

/** A new sale each time. It spends nothing, and states 90 earned points. */
export function saleBody(lines: number, buyer = BENCH_BUYER, id = systemChance.uuid()): string {
  return JSON.stringify({
    ...shared(buyer),
    meta: { href: `https://api.platform.example/entity/retaildemand/${id}`, id },
    name: "00001",
    moment: "2026-11-29 11:59:00",
    positions: positions(lines, { discountPercent: 0, discountedPrice: 90 }),
    bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 90 },
    cashSum: 1_800,
    noCashSum: 0,
  });
}

/** A return of all goods of a sale. */
export function returnBody(lines: number, saleId: string): string {
  const id = systemChance.uuid();
  return JSON.stringify({
    retailStore: shared("").retailStore,
    agent: {},
    meta: { href: `https://api.platform.example/entity/retailsalesreturn/${id}`, id },
    demand: { meta: { href: `https://api.platform.example/entity/retaildemand/${saleId}`, id: saleId } },
    name: "00001",
    moment: "2026-11-29 11:59:30",
    positions: positions(lines, { discountPercent: 0, discountedPrice: 90 }),
    cashSum: 1_800,
    noCashSum: 0,
  });
}
