import type { LoyaltyCustomer, SoldLoyaltyLine } from "../../../sandbox/caller/loyalty/bodies.ts";
import type { CheckResult } from "../../exchanges/check-result.ts";
import type { LoyaltyTill } from "../../play/loyalty-till.ts";
import type { Group } from "../rule.ts";
import {
  allOf,
  balanceOf,
  bodyOfReturn,
  bodyOfSale,
  expectBalance,
  expectRefused,
  expectStatus,
  type MadeSale,
  quoteOf,
  saleOf,
  sold,
  withPoints,
} from "./answers.ts";

/** Rules about returns. A return states no points. The server finds them in the sale (platform-contracts 6.8). */
export const loyaltyReturnsGroup: Group = {
  id: "loyalty/return",
  needs: ["loyalty/sale/booked"],
  rules: [
    {
      id: "loyalty/return/whole",
      title: "the return of a whole sale squares the points",
      source: "public",
      clause: "seed, Rules 5; platform-contracts 6.8",
      expected:
        "201 for the return of all that a sale has sold, and the balance of before the sale: what was spent is back, what was earned is gone",
      mend: "Give back and take back what the sale has moved, by what demand.meta.id says.",
      check: withPoints(async (till, customer, balance) => {
        const sale = await soldWithPoints(till, customer);
        return allOf(await giveBack(till, sale, sale.lines), await expectBalance(till, customer, balance, "as before the sale"));
      }),
    },
    {
      id: "loyalty/return/parts",
      title: "returns in parts square the points with the last one",
      source: "public",
      clause: "platform-contracts 6.8",
      expected: "201 for each of the returns that together are the sale, and the balance of before the sale after the last",
      mend: "Compute the share of all returns so far, and move the difference to what was moved already, so that nothing is lost by rounding.",
      needs: ["loyalty/return/whole"],
      check: withPoints(async (till, customer, balance) => {
        const sale = await soldWithPoints(till, customer);
        const results: CheckResult[] = [];
        for (const line of sale.lines) {
          for (let left = line.quantityThousandths; left > 0; left -= 1000)
            results.push(await giveBack(till, sale, [{ ...line, quantityThousandths: Math.min(left, 1000) }]));
        }
        return allOf(...results, await expectBalance(till, customer, balance, "as before the sale"));
      }),
    },
    {
      id: "loyalty/return/share",
      title: "the return of a part moves a part of the points",
      source: "public",
      clause: "platform-contracts 6.8",
      expected: "after the return of one of two equal pieces of a sale that earned, a balance between those of before and after the sale",
      mend: "Move points by the returned share of the sale.",
      needs: ["loyalty/return/whole"],
      check: withPoints(async (till, customer, balance) => {
        const sale = await sold(till, customer, { lines: [till.line(20_000_00, 2000)], type: "EARNING" });
        const result = await giveBack(
          till,
          sale,
          sale.lines.slice(0, 1).map((line) => ({ ...line, quantityThousandths: 1000 })),
        );
        // Half of an odd number of points is rounded, so a difference of one point is allowed.
        const half = balance + Math.round(sale.earn / 2);
        const now = await balanceOf(till, customer);
        return result.kind === "held" && Math.abs(now - half) > 1
          ? expectBalance(till, customer, half, "give or take one, for half of the sale")
          : result;
      }),
    },
    {
      id: "loyalty/return/again",
      title: "the same return again moves nothing",
      source: "decided",
      clause: "platform-contracts 6.9; payments surface 6",
      expected: "201 for the same return again, and the balance of after the first",
      mend: "Keep each return under its id, and answer 201 where the content is the same.",
      needs: ["loyalty/return/whole"],
      check: withPoints(async (till, customer) => {
        const sale = await sold(till, customer, { lines: [till.line(10_000_00, 4000)], type: "EARNING" });
        const lines = sale.lines.map((line) => ({ ...line, quantityThousandths: 1000 }));
        const body = bodyOfReturn(till, { demandId: sale.id, lines });
        const first = expectStatus(await till.send("return", body), 201);
        const balance = await balanceOf(till, customer);
        const again = expectStatus(await till.send("return", body, { label: "the same again" }), 201);
        return allOf(first, again, await expectBalance(till, customer, balance, "as after the first time"));
      }),
    },
    {
      id: "loyalty/return/conflict",
      title: "another return under the same id is refused",
      source: "decided",
      clause: "platform-contracts 6.9; payments surface 6",
      expected: "409 and 28003 for a return whose id another one has, with another quantity",
      mend: "Compare the content before you answer 201.",
      needs: ["loyalty/return/again"],
      check: withPoints(async (till, customer) => {
        const sale = await sold(till, customer, { lines: [till.line(10_000_00, 4000)], type: "EARNING" });
        const id = till.newId();
        const body = (quantityThousandths: number) =>
          bodyOfReturn(till, { demandId: sale.id, id, lines: sale.lines.map((line) => ({ ...line, quantityThousandths })) });
        await till.send("return", body(1000));
        return expectRefused(await till.send("return", body(2000), { label: "another quantity" }), 409, 28_003);
      }),
    },
    {
      id: "loyalty/return/too-much",
      title: "more than was sold is not taken back",
      source: "decided",
      clause: "platform-contracts 6.8, 6.9; payments surface 6",
      expected:
        "412 and 28004 for a return of one piece more than was sold, and for a second return of what is back already; the balance stays",
      mend: "Add up what has come back of each of the goods, and refuse what is beyond the sale.",
      needs: ["loyalty/return/whole"],
      check: withPoints(async (till, customer, before) => {
        const sale = await soldWithPoints(till, customer);
        const more = sale.lines.map((line) => ({ ...line, quantityThousandths: line.quantityThousandths + 1000 }));
        const beyond = expectRefused(
          await till.send("return", bodyOfReturn(till, { demandId: sale.id, lines: more }), { label: "one piece more" }),
          412,
          28_004,
        );
        if (beyond.kind !== "held") return beyond;
        const whole = await giveBack(till, sale, sale.lines);
        const again = await till.send("return", bodyOfReturn(till, { demandId: sale.id, lines: sale.lines }), {
          label: "another return of it",
        });
        return allOf(whole, expectRefused(again, 412, 28_004), await expectBalance(till, customer, before, "as before the sale"));
      }),
    },
    {
      id: "loyalty/return/before-its-sale",
      title: "a return that comes before its sale counts once the sale is there",
      source: "decided",
      clause: "payments surface 6; loyalty-model 7",
      expected: "201 for a return whose sale is not there yet, 201 for that sale afterwards, and then the balance of before",
      mend: "Keep such a return for a day, and book it right after its sale.",
      needs: ["loyalty/return/whole"],
      check: withPoints(async (till, customer, balance) => {
        const quote = await quoteOf(till, { customer, lines: [till.line(1000_00, 2000)], type: "EARNING" });
        const sale = saleOf(till, customer, quote);
        const early = await giveBack(till, sale, sale.lines);
        const late = expectStatus(await till.send("sale", bodyOfSale(till, sale)), 201);
        return allOf(early, late, await expectBalance(till, customer, balance, "as before the sale"));
      }),
    },
    {
      id: "loyalty/return/no-demand",
      title: "a return that names no sale is taken",
      source: "public",
      clause: "platform-contracts 6.8",
      expected: "201 for a return without demand, and the balance as before",
      mend: "Take demand as optional: without it nothing is known to move.",
      check: withPoints(async (till, customer) => {
        const sale = await sold(till, customer, { lines: [till.line(1000_00, 2000)], type: "EARNING" });
        const balance = await balanceOf(till, customer);
        const sent = await till.send("return", bodyOfReturn(till, { lines: sale.lines }), { label: "no demand" });
        return allOf(expectStatus(sent, 201), await expectBalance(till, customer, balance, "as before the return"));
      }),
    },
    {
      id: "loyalty/return/agent",
      title: "a return names its buyer without meta, or not at all",
      source: "public",
      clause: "platform-contracts 6.3",
      expected: "201, and the balance of before the sale, for a return whose agent is {href, id}",
      mend: "Find the member by the sale; read agent with and without meta.",
      needs: ["loyalty/return/whole"],
      check: withPoints(async (till, customer, balance) => {
        const sale = await soldWithPoints(till, customer);
        const agent = { href: `${till.place.api}/entity/counterparty/${customer.id}`, id: customer.id };
        const sent = await till.send("return", bodyOfReturn(till, { demandId: sale.id, lines: sale.lines }, { agent }), {
          label: "agent without meta",
        });
        return allOf(expectStatus(sent, 201), await expectBalance(till, customer, balance, "as before the sale"));
      }),
    },
    {
      id: "loyalty/return/sums",
      title: "points are not computed from the sums of a return",
      source: "public",
      clause: "platform-contracts 6.5",
      expected: "201, and the balance of before the sale, for a return whose noCashSum is a hundred times what its positions are",
      mend: "Use the totals of positions: noCashSum of a return is in kopecks, unlike every other sum, and may be anything.",
      needs: ["loyalty/return/whole"],
      check: withPoints(async (till, customer, balance) => {
        const sale = await soldWithPoints(till, customer);
        const over = { cashSum: 0, noCashSum: 12_345_600 };
        const sent = await till.send("return", bodyOfReturn(till, { demandId: sale.id, lines: sale.lines }, over), {
          label: "noCashSum in kopecks",
        });
        return allOf(expectStatus(sent, 201), await expectBalance(till, customer, balance, "as before the sale"));
      }),
    },
  ],
};

async function giveBack(till: LoyaltyTill, sale: MadeSale, lines: readonly SoldLoyaltyLine[]): Promise<CheckResult> {
  return expectStatus(await till.send("return", bodyOfReturn(till, { demandId: sale.id, lines })), 201);
}

/** Makes a sale that spends points, and earns points if the programme allows both. The prices do not divide evenly. */
function soldWithPoints(till: LoyaltyTill, customer: LoyaltyCustomer): Promise<MadeSale> {
  return sold(till, customer, { lines: [till.line(133_33, 3000), till.line(54_90, 2000)], type: "SPENDING" });
}
