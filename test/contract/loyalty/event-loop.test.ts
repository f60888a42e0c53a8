import { beforeEach, describe, expect, it } from "vitest";
import type { OrderCall, ReturnCall, SaleCall } from "../../../src/loyalty/till-call.ts";
import { memberList } from "../../../src/operator/loyalty/list-members.ts";
import { longestTurnWithin, type MeasuredTurn, TRIES } from "../../support/hostile/longest-turn.ts";
import { LOYALTY_STORE, LoyaltyBench } from "../../support/loyalty-bench.ts";

const BOUND_MS = 50;
const PRODUCT = "product";
const BUYER = "c0ffee00-aaaa-4bbb-8ccc-dddddddddddd";
/** The most positions and rules that a receipt and a programme may have. */
const LINES = 1_000;
const RULES = 200;

let bench: LoyaltyBench;
let names = 0;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  await bench.members.enrol(bench.account.key, { identity: { platformId: BUYER }, personal: { name: "Иван" }, isNative: true });
});

describe("the longest stop of the event loop by loyalty", () => {
  it("stays below the bound while a sale comes for which 60 returns wait", async () => {
    const { cpuMs, allowedMs } = await shortest(async () => {
      const sold = sale(lines(1, 1_000));
      for (let nth = 0; nth < 60; nth += 1) await bench.orders.takeReturn(takeBack(sold, lines(1, 1)));
      return () => bench.orders.sale(sold);
    });
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  it("stays below the bound while a return of 1,000 equal lines is booked after another one", async () => {
    const { cpuMs, allowedMs } = await shortest(async () => {
      const sold = sale(lines(LINES, 1_000));
      await bench.orders.sale(sold);
      await bench.orders.takeReturn(takeBack(sold, lines(LINES, 1)));
      return () => bench.orders.takeReturn(takeBack(sold, lines(LINES, 1)));
    });
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  it("stays below the bound while a return of 1,000 products is booked after 12 others", async () => {
    const sold = sale(products(LINES, 1_000_000));
    await bench.orders.sale(sold);
    for (let nth = 0; nth < 12; nth += 1) await bench.orders.takeReturn(takeBack(sold, products(LINES, 1)));
    const { cpuMs, allowedMs } = await shortest(async () => () => bench.orders.takeReturn(takeBack(sold, products(LINES, 1))));
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  it("stays below the bound while 16 sales of 1,000 products come at once", async () => {
    const { cpuMs, allowedMs } = await shortest(async () => () => {
      return Promise.all(Array.from({ length: 16 }, () => bench.orders.sale(sale(products(LINES, 1_000)))));
    });
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  it("stays below the bound while a receipt of 1,000 lines is quoted by 200 set prices, each in its own group", async () => {
    const rules = Array.from({ length: RULES }, (_, nth) => {
      return { id: `r${nth}`, group: `g${nth}`, effect: "bundle", value: nth, when: { leastQuantity: 1 } };
    });
    await bench.programme({ rules });
    const asked = lines(LINES, 1_000).map((line, nth) => ({ ...line, priceKopecks: 1_000 + nth }));
    const { cpuMs, allowedMs } = await shortest(async () => () => {
      const call = { account: bench.account, storeId: LOYALTY_STORE, buyer: { platformId: BUYER }, lines: asked };
      return bench.loyalty.quote({ ...call, transactionType: "EARNING" });
    });
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  it("stays below the bound while 4,000 members are listed", async () => {
    for (let nth = 0; nth < 4_000; nth += 1)
      await bench.members.enrol(bench.account.key, {
        identity: { platformId: `buyer-${nth}` },
        personal: { name: "Анна" },
        isNative: true,
      });
    const { cpuMs, allowedMs, result } = await shortest(async () => () => memberList(bench, bench.account.key, { limit: 4_000 }));
    expect(result).toMatchObject({ more: true });
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  /** Each of these took 30 ms and more alone, and all calls of one moment had one turn. */
  const LONG_RULES = {
    "set prices of one group": (nth: number) => ({ id: `r${nth}`, effect: "bundle", value: nth, when: { leastQuantity: 1 } }),
    "added points": (nth: number) => ({ id: `r${nth}`, group: `g${nth}`, effect: "points", value: 1 + nth }),
  };

  it.each(Object.entries(LONG_RULES))(
    "stays below the bound while 8 receipts of 1,000 products come at once, with 200 rules for %s",
    async (_, of) => {
      await bench.programme({ rules: Array.from({ length: RULES }, (__, nth) => of(nth)) });
      const quoted = { account: bench.account, storeId: LOYALTY_STORE, buyer: { platformId: BUYER }, lines: products(LINES, 1_000) };
      const quotes = await shortest(async () => () => {
        return Promise.all(Array.from({ length: 8 }, () => bench.loyalty.quote({ ...quoted, transactionType: "EARNING" })));
      });
      expect(quotes.cpuMs).toBeLessThan(quotes.allowedMs);
      const sales = await shortest(
        async () => () => Promise.all(Array.from({ length: 8 }, () => bench.orders.sale(sale(products(LINES, 1_000))))),
      );
      expect(sales.cpuMs).toBeLessThan(sales.allowedMs);
    },
  );

  it("stays below the bound for the first quote of a process after 12 versions of a large programme", async () => {
    const products = Array.from({ length: 130 }, (_, nth) => `00000000-0000-4000-8000-${String(nth).padStart(12, "0")}`);
    const rules = Array.from({ length: RULES }, (_, nth) => ({ id: `r${nth}`, effect: "percent", value: 1, when: { products } }));
    for (let nth = 0; nth < 12; nth += 1) await bench.programme({ rules });
    const { cpuMs, allowedMs } = await shortest(async () => {
      const { loyalty } = await LoyaltyBench.open({ store: bench.store });
      const call = { account: bench.account, storeId: LOYALTY_STORE, buyer: { platformId: BUYER }, lines: lines(1, 1_000) };
      return () => loyalty.quote({ ...call, transactionType: "EARNING" });
    });
    expect(cpuMs).toBeLessThan(allowedMs);
  });
});

/** Prepares the work of each try before the try begins. The first try may run code that is not compiled yet. */
async function shortest(prepare: () => Promise<() => Promise<unknown>>): Promise<MeasuredTurn<unknown>> {
  let best = await longestTurnWithin(BOUND_MS, 1, await prepare());
  for (let nth = 1; nth < TRIES && best.cpuMs >= best.allowedMs; nth += 1) {
    const again = await longestTurnWithin(BOUND_MS, 1, await prepare());
    if (again.cpuMs / again.allowedMs < best.cpuMs / best.allowedMs) best = again;
  }
  return best;
}

/** Lines of one product and price. */
function lines(count: number, thousandths: number): OrderCall["lines"] {
  const line = { productId: PRODUCT, priceKopecks: 10_000, discountedKopecks: 10_000, quantityMillionths: thousandths * 1_000 };
  return Array.from({ length: count }, () => line);
}

/** Lines of as many products and prices. */
function products(count: number, thousandths: number): OrderCall["lines"] {
  return lines(count, thousandths).map((line, nth) => {
    const kopecks = line.priceKopecks + nth;
    return { ...line, productId: `${PRODUCT}-${nth}`, priceKopecks: kopecks, discountedKopecks: kopecks };
  });
}

function order(of: OrderCall["lines"]): OrderCall {
  names += 1;
  const documentId = `order-${names}`;
  return { account: bench.account, storeId: LOYALTY_STORE, documentId, name: documentId, moment: "2026-11-29 11:00:00", lines: of };
}

function sale(of: OrderCall["lines"]): SaleCall {
  return { ...order(of), buyer: { platformId: BUYER }, spent: 0, earned: 1, giftCards: [] };
}

function takeBack({ documentId }: SaleCall, of: OrderCall["lines"]): ReturnCall {
  return { ...order(of), ...(documentId === undefined ? {} : { saleId: documentId }) };
}
