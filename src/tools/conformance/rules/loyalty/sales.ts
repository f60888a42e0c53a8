import { agentOf } from "../../../sandbox/caller/loyalty/bodies.ts";
import { held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { statusOf } from "../../exchanges/sent.ts";
import type { LoyaltyTill } from "../../play/loyalty-till.ts";
import type { Group } from "../rule.ts";
import {
  allOf,
  balanceOf,
  bodyOfSale,
  enrolled,
  expectBalance,
  expectRefused,
  expectStatus,
  type MadeSale,
  quoteOf,
  saleOf,
  withPoints,
} from "./answers.ts";

/** Rules about completed sales of the register (platform-contracts 6.2, 6.9). */
export const loyaltySalesGroup: Group = {
  id: "loyalty/sale",
  needs: ["loyalty/recalc/answer", "loyalty/customer/balance"],
  rules: [
    {
      id: "loyalty/sale/booked",
      title: "a sale moves the points that it states",
      source: "seed",
      clause: "seed, Rules 4; platform-contracts 6.5",
      expected:
        "201 for a sale as recalc answered it, and then in detail the agentBonusBalanceAfter of that answer, less what becomes active later",
      mend: "Book bonusValueToSpend and bonusValueToEarn of the sale in one transaction, before the answer.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const customer = await enrolled(till);
        const quote = await quoteOf(till, { customer, lines: [till.line(1000_00, 2000)], type: "EARNING" });
        const sent = await till.send("sale", bodyOfSale(till, saleOf(till, customer, quote)));
        if (statusOf(sent) !== 201) return broken(sent, "the status is not 201");
        const balance = await balanceOf(till, customer);
        return balance === quote.balanceAfter || balance === 0
          ? held
          : broken(sent, `the balance is ${balance}, not ${quote.balanceAfter}`);
      },
    },
    {
      id: "loyalty/sale/promise",
      title: "a sale that spends leaves what recalc has promised",
      source: "decided",
      clause: "platform-contracts 6.5; loyalty-model 16",
      expected: "in detail the agentBonusBalanceAfter of recalc, after 201 for a sale that spends points",
      mend: "Book what the sale states, in the same units as recalc tells it.",
      needs: ["loyalty/sale/booked"],
      check: withPoints(async (till, customer) => {
        const { sale, after } = await spending(till, customer);
        const sent = await till.send("sale", bodyOfSale(till, sale));
        if (statusOf(sent) !== 201) return broken(sent, "the status is not 201");
        return expectBalance(till, customer, after, "as recalc has promised");
      }),
    },
    {
      id: "loyalty/sale/again",
      title: "the same sale again moves nothing",
      source: "decided",
      clause: "platform-contracts 6.9; payments surface 6",
      expected: "201 for the same sale again, and the same balance as after the first: the answer to it may have been lost",
      mend: "Keep each sale under its id, and answer 201 where the content is the same.",
      needs: ["loyalty/sale/booked"],
      check: withPoints(async (till, customer) => {
        const { sale } = await spending(till, customer);
        const body = bodyOfSale(till, sale);
        const first = expectStatus(await till.send("sale", body), 201);
        const balance = await balanceOf(till, customer);
        const again = expectStatus(await till.send("sale", body, { label: "the same again" }), 201);
        return allOf(first, again, await expectBalance(till, customer, balance, "as after the first time"));
      }),
    },
    {
      id: "loyalty/sale/at-once",
      title: "the same sale three times at once is one sale",
      source: "decided",
      clause: "platform-contracts 6.9; loyalty-model 13",
      expected: "201 for each of three equal sales that are sent together, and the points of one",
      mend: "Let the database refuse a second sale with the same id, and answer 201 for it.",
      needs: ["loyalty/sale/promise", "loyalty/sale/again"],
      check: withPoints(async (till, customer) => {
        const { sale, after } = await spending(till, customer);
        const body = bodyOfSale(till, sale);
        const sent = await Promise.all([1, 2, 3].map(() => till.send("sale", body, { label: "three at once" })));
        return allOf(...sent.map((each) => expectStatus(each, 201)), await expectBalance(till, customer, after, "as after one of them"));
      }),
    },
    {
      id: "loyalty/sale/conflict",
      title: "another sale under the same id is refused",
      source: "decided",
      clause: "platform-contracts 6.9; payments surface 6",
      expected: "409 and 28003 for a sale whose id another one has, with other points or other positions, and the balance as before",
      mend: "Compare the content, as it was read, before you answer 201.",
      needs: ["loyalty/sale/promise", "loyalty/sale/again"],
      check: withPoints(async (till, customer) => {
        const { sale, after } = await spending(till, customer);
        await till.send("sale", bodyOfSale(till, sale));
        const lines = sale.lines.map((line) => ({ ...line, quantityThousandths: line.quantityThousandths + 1000 }));
        const refused = await inTurn(
          [
            { ...sale, earn: sale.earn + 1 },
            { ...sale, lines },
          ],
          (other) => (other.earn === sale.earn ? "other positions" : "other points"),
          async (other) => expectRefused(await till.send("sale", bodyOfSale(till, other), { label: "other content" }), 409, 28_003),
        );
        return allOf(refused, await expectBalance(till, customer, after, "as after the first one"));
      }),
    },
    {
      id: "loyalty/sale/written-differently",
      title: "the same sale written otherwise is the same sale",
      source: "decided",
      clause: "platform-contracts 6.9",
      expected: "201 for a repeat whose members stand in another order and whose numbers have other zeros at their ends",
      mend: "Compare what was read, not the bytes.",
      needs: ["loyalty/sale/again"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const quote = await quoteOf(till, { lines: [till.line(96_00, 2000)] });
        const text = JSON.stringify(bodyOfSale(till, { ...saleOf(till, undefined, quote), id: till.newId() }));
        const plain = JSON.parse(text.replaceAll(/"\\u0001([\d.]+)\\u0001"/g, "$1")) as object;
        const first = expectStatus(await till.send("sale", plain), 201);
        const turned = Object.fromEntries(Object.entries(plain).toReversed());
        const bytes = Buffer.from(JSON.stringify(turned).replace('"price":96', '"price":96.00'));
        return allOf(first, expectStatus(await till.send("sale", {}, { bytes, label: "the same, written otherwise" }), 201));
      },
    },
    {
      id: "loyalty/sale/anonymous",
      title: "a sale without a buyer is taken",
      source: "public",
      clause: "platform-contracts 6.7",
      expected: "201 for a sale without agent, and with an empty one",
      mend: "Keep the order, move nothing, answer 201.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const quote = await quoteOf(till, { lines: [till.line(96_00, 2000)] });
        return inTurn(
          [{}, { agent: {} }],
          (over) => ("agent" in over ? "agent {}" : "no agent"),
          async (over) => expectStatus(await till.send("sale", bodyOfSale(till, saleOf(till, undefined, quote), over)), 201),
        );
      },
    },
    {
      id: "loyalty/sale/unknown",
      title: "a sale to somebody who never joined is taken",
      source: "decided",
      clause: "platform-contracts 6.7; payments surface 6",
      expected: "201 for a sale with an agent whom nobody knows: goods and money have changed hands already",
      mend: "Keep the order, move nothing, answer 201.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const quote = await quoteOf(till, { lines: [till.line(96_00, 2000)] });
        const agent = agentOf(till.place, till.newCustomer());
        return expectStatus(await till.send("sale", bodyOfSale(till, saleOf(till, undefined, quote), { agent })), 201);
      },
    },
    {
      id: "loyalty/sale/empty-id",
      title: "sales without an id are told apart by what they state",
      source: "decided",
      clause: "platform-contracts 6.9; payments surface 6",
      expected:
        "201 for a sale whose meta.id and meta.href are empty, 201 for it again with the same balance, and 201 for one with another name, which counts",
      mend: "Make a key of point of sale, name, moment and positions where the id is empty.",
      needs: ["loyalty/sale/again"],
      check: withPoints(async (till, customer, balance) => {
        const quote = await quoteOf(till, { customer, lines: [till.line(1000_00, 2000)], type: "EARNING" });
        const sale = { ...saleOf(till, customer, quote), id: "" };
        const send = async (name: string) =>
          expectStatus(await till.send("sale", bodyOfSale(till, sale, { name }), { label: "an empty id" }), 201);
        const once = allOf(
          await send("00001"),
          await send("00001"),
          await expectBalance(till, customer, balance + sale.earn, "as after one sale"),
        );
        if (once.kind !== "held") return once;
        return allOf(await send("00002"), await expectBalance(till, customer, balance + 2 * sale.earn, "as after two sales"));
      }),
    },
    {
      id: "loyalty/sale/no-positions",
      title: "a sale without positions is taken",
      source: "public",
      clause: "platform-contracts 6.3",
      expected: "201 for a sale that has sums and no positions",
      mend: "Take positions as optional in a sale; its sums say what it was.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const quote = await quoteOf(till, { lines: [till.line(96_00, 2000)] });
        const body = bodyOfSale(till, saleOf(till, undefined, quote), { positions: undefined });
        return expectStatus(await till.send("sale", body, { label: "no positions" }), 201);
      },
    },
    {
      id: "loyalty/sale/beyond",
      title: "a sale that spends more than there is takes what there is",
      source: "decided",
      clause: "platform-contracts 6.5; loyalty-model 6",
      expected: "201, and then no balance below zero, for a sale that spends what another sale has spent meanwhile",
      mend: "Spend down to zero and record what is short, rather than refuse: goods and money have changed hands already.",
      needs: ["loyalty/sale/booked"],
      check: withPoints(async (till, customer) => {
        const first = await spending(till, customer);
        const second = { ...first.sale, id: till.newId() };
        await till.send("sale", bodyOfSale(till, { ...first.sale, earn: 0 }));
        const sent = await till.send("sale", bodyOfSale(till, { ...second, spend: TOO_MUCH, earn: 0 }), {
          label: "more points than there are",
        });
        if (statusOf(sent) !== 201) return broken(sent, "the status is not 201");
        const balance = await balanceOf(till, customer);
        return balance >= 0 ? held : broken(sent, `the balance is ${balance}`);
      }),
    },
    {
      id: "loyalty/sale/too-generous",
      title: "no more points are given than the receipt is worth",
      source: "decided",
      clause: "loyalty-model 6; payments surface 6",
      expected: "201 for a sale of 100.00 that states 1000000 points to earn, and then a balance that did not grow by more than 10000",
      mend: "Compare what the sale states with what your own programme gives, and book no more than that.",
      needs: ["loyalty/sale/booked"],
      check: withPoints(async (till, customer, balance) => {
        const quote = await quoteOf(till, { customer, lines: [till.line(100_00, 1000)], type: "EARNING" });
        const sent = await till.send("sale", bodyOfSale(till, { ...saleOf(till, customer, quote), earn: TOO_MUCH }), {
          label: "too many points",
        });
        if (statusOf(sent) !== 201) return broken(sent, "the status is not 201");
        const after = await balanceOf(till, customer);
        return after - balance <= 10_000 ? held : broken(sent, `the balance grew by ${after - balance}`);
      }),
    },
  ],
};

const TOO_MUCH = 1_000_000;

/** Returns a sale that spends points, and the balance that `recalc` promised after it. */
async function spending(till: LoyaltyTill, customer: Parameters<typeof balanceOf>[1]): Promise<{ sale: MadeSale; after: number }> {
  const quote = await quoteOf(till, { customer, lines: [till.line(133_33, 3000), till.line(54_90, 2000)], type: "SPENDING" });
  return { sale: saleOf(till, customer, quote), after: quote.balanceAfter };
}
