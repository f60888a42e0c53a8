import { type Quote, readQuote } from "../../../sandbox/caller/loyalty/answer.ts";
import { agentOf, type LoyaltyLine } from "../../../sandbox/caller/loyalty/bodies.ts";
import { quoteProblem } from "../../../sandbox/caller/loyalty/checks.ts";
import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, type Sent, statusOf } from "../../exchanges/sent.ts";
import type { LoyaltyTill } from "../../play/loyalty-till.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { askQuote, enrolled, expectStatus, quoteIn } from "./answers.ts";

const SERIALS = ["SN-1", "SN-2", "SN-3"];

/** Rules about the answers of `recalc` to any receipt (platform-contracts 6.3, 6.5). */
export const loyaltyQuotesGroup: Group = {
  id: "loyalty/recalc",
  needs: ["loyalty/key/accepted", "loyalty/error/shape", "loyalty/customer/created"],
  rules: [
    {
      id: "loyalty/recalc/answer",
      title: "recalc answers positions, points and whether a code is wanted",
      source: "seed",
      clause: "seed, Endpoints, Loyalty; platform-contracts 6.5",
      expected:
        "200 with positions (assortment, quantity, price, discountPercent, discountedPrice), bonusProgram (five numbers of points and money) and needVerification, numbers as numbers with at most two decimals, quantities three, points whole",
      mend: "Answer every member, also where it is zero or false, and never a number as a text.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const customer = await enrolled(till);
        return inTurn(
          ["EARNING", "SPENDING"] as const,
          (type) => type,
          async (type) => {
            const sent = await askQuote(till, { customer, lines: linesOf(till), type });
            if (statusOf(sent) !== 200) return broken(sent, "the status is not 200");
            const read = readQuote(sent.exchange);
            return read.kind === "read" ? held : broken(sent, read.problem);
          },
        );
      },
    },
    {
      id: "loyalty/recalc/positions",
      title: "the receipt keeps its positions, their order, quantities and prices",
      source: "seed",
      clause: "seed, Rules 2; platform-contracts 6.5",
      expected:
        "the positions that were sent, in their order; one may be split in several that stand together and add up to its quantity; price unchanged",
      mend: "Keep the receipt's composition: put discounts into discountPercent and discountedPrice, and do not join or sort positions.",
      needs: ["loyalty/recalc/answer"],
      check: (scene) =>
        withQuotes(scene, (asked, quote, sent) => {
          const problem = quoteProblem(asked, { ...quote, paidKopecks: 0 }, true);
          return problem?.code === 46002 ? broken(sent, problem.words) : held;
        }),
    },
    {
      id: "loyalty/recalc/discounts",
      title: "no discount is above the price or below nothing",
      source: "public",
      clause: "platform-contracts 6.5",
      expected: "discountPercent from 0 to 100, and discountedPrice from 0 to price, in every position",
      mend: "Bound the discount of each position by its price: the platform refuses more than 100 % with 17008.",
      needs: ["loyalty/recalc/answer"],
      check: (scene) =>
        withQuotes(scene, (_asked, { lines }, sent) => {
          const isRight = lines.every(
            ({ percentHundredths, discountedKopecks, priceKopecks }) =>
              percentHundredths >= 0 && percentHundredths <= 10_000 && discountedKopecks >= 0 && discountedKopecks <= priceKopecks,
          );
          return isRight ? held : broken(sent, "a position has a discount outside of its bounds");
        }),
    },
    {
      id: "loyalty/recalc/percent",
      title: "percentage and price agree",
      source: "decided",
      clause: "platform-contracts 6.5",
      expected: "discountPercent within 0.01 of what price and discountedPrice give, in every position",
      mend: "Compute the percentage from the two prices, after the prices are final.",
      needs: ["loyalty/recalc/answer", "loyalty/recalc/discounts"],
      check: (scene) =>
        withQuotes(scene, (_asked, { lines }, sent) => {
          const isRight = lines.every(({ percentHundredths, discountedKopecks, priceKopecks }) => {
            const exact = priceKopecks === 0 ? 0 : ((priceKopecks - discountedKopecks) * 10_000) / priceKopecks;
            return priceKopecks === 0 || Math.abs(percentHundredths - exact) <= 1;
          });
          return isRight ? held : broken(sent, "discountPercent is not what the prices give");
        }),
    },
    {
      id: "loyalty/recalc/serials",
      title: "every position has as many serial numbers as pieces",
      source: "seed",
      clause: "seed, Rules 3; platform-contracts 6.5",
      expected:
        "the three serial numbers of a position with quantity 3, as many in each answered position as its quantity, and none in positions without",
      mend: "Deal the serial numbers out when a position is split: the platform refuses other counts with 17017, 45000 and 45001.",
      needs: ["loyalty/recalc/positions"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const lines = [till.line(9600, 3000, SERIALS), till.line(5490, 2000)];
        const sent = await askQuote(till, { customer: await enrolled(till), lines, type: "SPENDING" });
        const problem = quoteProblem(lines, quoteIn(sent), true);
        return problem === undefined || ![17017, 45000, 45001].includes(problem.code)
          ? held
          : broken(sent, `${problem.code}: ${problem.words}`);
      },
    },
    {
      id: "loyalty/recalc/pack",
      title: "a pack comes back as it was sent",
      source: "decided",
      clause: "platform-contracts 6.3",
      expected: "pack with id, name and quantity in the answer's position as in the request's",
      mend: "Carry members of a position over that are not yours to change.",
      needs: ["loyalty/recalc/answer"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const pack = { id: till.newId(), name: "Коробка", quantity: 12 };
        const line = { assortment: { meta: { id: till.newId(), href: "" } }, quantity: 2, price: 96.5, pack };
        const body = { retailStore: { meta: { id: till.place.storeId, href: "" } }, positions: [line] };
        const sent = await till.send("recalc", body, { label: "a pack" });
        const [first] = (objectOf(sent)?.positions ?? []) as { pack?: Record<string, unknown> }[];
        const isSame = first?.pack?.id === pack.id && first.pack.name === pack.name && first.pack.quantity === pack.quantity;
        return isSame ? held : broken(sent, "pack is another, or missing");
      },
    },
    {
      id: "loyalty/recalc/agent",
      title: "the answer names the buyer of the request",
      source: "seed",
      clause: "seed, Endpoints, Loyalty",
      expected: "agent.meta.id of the answer is that of the request",
      mend: "Answer the agent that was sent, not an id of your own.",
      needs: ["loyalty/recalc/answer"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const customer = await enrolled(till);
        const sent = await askQuote(till, { customer, lines: linesOf(till), type: "EARNING" });
        const { meta } = { ...(objectOf(sent)?.agent as { meta?: { id?: unknown } } | undefined) };
        return meta?.id === customer.id ? held : broken(sent, "agent.meta.id is not the request's");
      },
    },
    {
      id: "loyalty/recalc/short-form",
      title: "references without types, and no bonusProgram, are understood",
      source: "public",
      clause: "platform-contracts 6.3",
      expected: "200 and transactionType EARNING for recalc without bonusProgram, whose assortment has neither idType nor type",
      mend: "Take what is missing as native, product and EARNING: the platform's own samples leave them out.",
      needs: ["loyalty/recalc/answer"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const line = { assortment: { meta: { id: till.newId(), href: "" } }, quantity: 2, price: 96 };
        const agent = agentOf(till.place, await enrolled(till));
        const body = { retailStore: { meta: { id: till.place.storeId, href: "" } }, agent, positions: [line] };
        const sent = await till.send("recalc", body, { label: "no types and no bonusProgram" });
        if (statusOf(sent) !== 200) return broken(sent, "the status is not 200");
        return quoteIn(sent).transactionType === "EARNING" ? held : broken(sent, "transactionType is not EARNING");
      },
    },
    {
      id: "loyalty/recalc/unknown",
      title: "a sale to somebody who never joined goes on",
      source: "decided",
      clause: "platform-contracts 6.7; payments surface 6",
      expected: "200, every discountPercent 0 and all points 0 for recalc with an agent whom nobody knows",
      mend: "Answer the positions as they came: an error stops the sale at the till.",
      needs: ["loyalty/recalc/positions"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return expectUnchanged(till, agentOf(till.place, till.newCustomer()));
      },
    },
    {
      id: "loyalty/recalc/no-agent",
      title: "a sale without a buyer goes on",
      source: "decided",
      clause: "platform-contracts 6.3; payments surface 6",
      expected: "200, every discountPercent 0 and all points 0 for recalc without agent, and with an empty one",
      mend: "Treat a missing or empty agent as one whom nobody knows.",
      needs: ["loyalty/recalc/positions"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return inTurn(
          [undefined, {}],
          (agent) => (agent === undefined ? "no agent" : "agent {}"),
          (agent) => expectUnchanged(till, agent),
        );
      },
    },
    {
      id: "loyalty/recalc/large",
      title: "a receipt of many positions is answered",
      source: "decided",
      clause: "platform-contracts 6.9",
      expected: "200 within 4 s for recalc of 300 positions, and as many of them in the answer, or more",
      mend: "Price the receipt in one pass, and read what is needed of the database once.",
      needs: ["loyalty/recalc/answer"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const lines = Array.from({ length: 300 }, (_, index) => till.line(1_00 + index, 2000));
        const sent = await askQuote(till, { customer: await enrolled(till), lines, type: "EARNING" });
        const result = expectStatus(sent, 200);
        if (result.kind !== "held") return result;
        return quoteIn(sent).lines.length >= lines.length ? held : broken(sent, "positions are missing");
      },
    },
  ],
};

/** Different positions: whole and weighed quantities, two separate positions of the same goods, a price of one kopeck. */
function linesOf(till: LoyaltyTill): LoyaltyLine[] {
  const first = till.line(96_00, 3000);
  return [first, till.line(1299_99, 1000), till.line(899_00, 356), { ...first, quantityThousandths: 1000 }, till.line(1, 7000)];
}

/** Checks the answers of `recalc` for one new member: first for earning points, then for spending points. */
async function withQuotes(
  scene: Scene,
  check: (asked: readonly LoyaltyLine[], quote: Quote, sent: Sent) => CheckResult,
): Promise<CheckResult> {
  const till = await scene.loyaltyTill();
  const customer = await enrolled(till);
  return inTurn(
    ["EARNING", "SPENDING"] as const,
    (type) => type,
    async (type) => {
      const lines = linesOf(till);
      const sent = await askQuote(till, { customer, lines, type });
      return check(lines, quoteIn(sent), sent);
    },
  );
}

async function expectUnchanged(till: LoyaltyTill, agent: object | undefined): Promise<CheckResult> {
  const lines = linesOf(till);
  const sent = await askQuote(till, { ...(agent === undefined ? {} : { agent }), lines, type: "SPENDING" });
  if (statusOf(sent) !== 200) return broken(sent, "the status is not 200");
  const quote = quoteIn(sent);
  const { balance, spend, earn, balanceAfter, paidKopecks } = quote;
  if ([balance, spend, earn, balanceAfter, paidKopecks].some((points) => points !== 0)) return broken(sent, "points are not zero");
  const isUnchanged = quote.lines.every(
    ({ percentHundredths, discountedKopecks, priceKopecks }) => percentHundredths === 0 && discountedKopecks === priceKopecks,
  );
  return isUnchanged ? held : broken(sent, "a position has a discount");
}
