import { agentOf, type LoyaltyCustomer, type LoyaltyLine, recalcBody } from "../../../sandbox/caller/loyalty/bodies.ts";
import { discountedKopecks, quoteProblem } from "../../../sandbox/caller/loyalty/checks.ts";
import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import type { LoyaltyTill } from "../../play/loyalty-till.ts";
import type { Group } from "../rule.ts";
import { askQuote, expectBalance, expectRefused, quoteIn, quoteOf, withPoints } from "./answers.ts";

/** Receipts of whole pieces, with sums that do not divide evenly. Each line is a pair: the price in kopecks, the number of pieces. */
const BASKETS: readonly (readonly (readonly [number, number])[])[] = [
  [[96_00, 3]],
  [
    [1_00, 7],
    [33_33, 3],
  ],
  [
    [99_99, 1],
    [1, 9],
    [54_90, 2],
  ],
  [
    [10_01, 13],
    [7_77, 11],
    [1299_99, 1],
  ],
];
const TOO_MANY = 1_000_000;

/** Rules about the points in the answers of `recalc` (platform-contracts 6.5). */
export const loyaltyPointsGroup: Group = {
  id: "loyalty/points",
  needs: ["loyalty/recalc/answer", "loyalty/customer/balance", "loyalty/sale/booked"],
  rules: [
    {
      id: "loyalty/points/equation",
      title: "the points after the sale follow from those before",
      source: "decided",
      clause: "platform-contracts 6.5",
      expected: "agentBonusBalanceAfter = agentBonusBalance − bonusValueToSpend + bonusValueToEarn, and agentBonusBalance as detail says",
      mend: "Compute the last from the other three, in whole points.",
      check: withPoints((till, customer, balance) =>
        eachQuote(till, customer, async ({ sent, quote }) => {
          if (quote.balance !== balance) return broken(sent, `agentBonusBalance is not ${balance}, as detail says`);
          return quote.balanceAfter === quote.balance - quote.spend + quote.earn ? held : broken(sent, "agentBonusBalanceAfter is another");
        }),
      ),
    },
    {
      id: "loyalty/points/earning",
      title: "who earns spends nothing",
      source: "decided",
      clause: "platform-contracts 6.5",
      expected: "bonusValueToSpend 0 and paidByBonusPoints 0 for transactionType EARNING, whatever the member has",
      mend: "Look at transactionType before you spend.",
      check: withPoints(async (till, customer) => {
        const sent = await askQuote(till, { customer, lines: [till.line(100_00, 2000)], type: "EARNING" });
        const { spend, paidKopecks } = quoteIn(sent);
        return spend === 0 && paidKopecks === 0 ? held : broken(sent, "points are spent");
      }),
    },
    {
      id: "loyalty/points/limits",
      title: "no more is spent than the member has, and than the receipt costs",
      source: "decided",
      clause: "platform-contracts 6.5; loyalty-model 5",
      expected: "0 ≤ bonusValueToSpend ≤ agentBonusBalance, bonusValueToEarn ≥ 0, and paidByBonusPoints at most the sum of the receipt",
      mend: "Take the least of the balance and of what the programme lets be paid by points.",
      check: withPoints((till, customer) =>
        eachQuote(till, customer, async ({ sent, quote, lines }) => {
          const { spend, balance, earn, paidKopecks } = quote;
          const full = discountedKopecks(lines.map((line) => ({ ...line, discountedKopecks: line.priceKopecks })));
          const isRight = spend >= 0 && spend <= balance && earn >= 0 && paidKopecks >= 0 && paidKopecks <= full;
          return isRight ? held : broken(sent, "points are beyond the member's or the receipt's");
        }),
      ),
    },
    {
      id: "loyalty/points/sum",
      title: "money and points together are the receipt, to the kopeck",
      source: "decided",
      clause: "platform-contracts 6.5",
      expected:
        "Σ discountedPrice × quantity + paidByBonusPoints of SPENDING = Σ discountedPrice × quantity of EARNING, exactly, for receipts that do not divide evenly",
      mend: "Spread the points in kopecks by largest remainder, and split a position whose share does not divide by its quantity.",
      needs: ["loyalty/points/limits"],
      check: withPoints((till, customer) =>
        eachQuote(till, customer, async ({ sent, quote, lines }) => {
          const earning = await quoteOf(till, { customer, lines, type: "EARNING" });
          const off = discountedKopecks(quote.lines) + quote.paidKopecks - discountedKopecks(earning.lines);
          if (off !== 0) return broken(sent, `money and points differ from the receipt by ${off} kopecks`);
          const problem = quoteProblem(lines, quote, true);
          return problem === undefined ? held : broken(sent, `the register refuses it, ${problem.code}: ${problem.words}`);
        }),
      ),
    },
    {
      id: "loyalty/points/rate",
      title: "every point is worth the same",
      source: "decided",
      clause: "platform-contracts 6.5",
      expected: "paidByBonusPoints ÷ bonusValueToSpend of the most that may be spent is that of one point",
      mend: "Multiply the points that are spent by the one rate of the programme.",
      check: withPoints(async (till, customer) => {
        const lines = [till.line(1000_00, 2000)];
        const one = await quoteOf(till, { customer, lines, type: "SPENDING", wanted: 1 });
        const sent = await askQuote(till, { customer, lines, type: "SPENDING" });
        const { spend, paidKopecks } = quoteIn(sent);
        return one.spend === 0 || paidKopecks * one.spend === one.paidKopecks * spend
          ? held
          : broken(sent, "points are of different worth");
      }),
    },
    {
      id: "loyalty/points/wanted",
      title: "as many points are spent as are wanted",
      source: "public",
      clause: "platform-contracts 6.3",
      expected: "bonusValueToSpend 1 less than the most that may be spent, for preferredBonusToSpend of that number",
      mend: "Read preferredBonusToSpend at the top of the body. Programmes that spend in larger steps answer the step below.",
      check: withPoints(async (till, customer) => {
        const lines = [till.line(1000_00, 2000)];
        const most = await quoteOf(till, { customer, lines, type: "SPENDING" });
        if (most.spend < 2) return { kind: "not-applicable", why: "the programme lets less than two points be spent" };
        const sent = await askQuote(till, { customer, lines, type: "SPENDING", wanted: most.spend - 1 });
        const { spend } = quoteIn(sent);
        return spend === most.spend - 1 ? held : broken(sent, `bonusValueToSpend is not ${most.spend - 1}`);
      }),
    },
    {
      id: "loyalty/points/beyond",
      title: "who wants more than may be spent spends the most",
      source: "public",
      clause: "platform-contracts 6.3; payments surface 6",
      expected: "the same bonusValueToSpend for preferredBonusToSpend 1000000 and null as without it",
      mend: "Treat a number above the limit, null and nothing alike: the most that may be spent.",
      check: withPoints(async (till, customer) => {
        const lines = [till.line(1000_00, 2000)];
        const most = await quoteOf(till, { customer, lines, type: "SPENDING" });
        const asked = { agent: agentOf(till.place, customer), lines, transactionType: "SPENDING" as const };
        return inTurn([TOO_MANY, null], String, async (preferredBonusToSpend) => {
          const body = { ...recalcBody(till.place, asked), preferredBonusToSpend };
          const sent = await till.send("recalc", body, { label: `preferredBonusToSpend ${preferredBonusToSpend}` });
          return quoteIn(sent).spend === most.spend ? held : broken(sent, `bonusValueToSpend is not ${most.spend}`);
        });
      }),
    },
    {
      id: "loyalty/points/no-number-of-points",
      title: "points that are zero, below it or a fraction are refused",
      source: "decided",
      clause: "platform-contracts 6.3; payments surface 6",
      expected: "412 and 999 for preferredBonusToSpend 0, -5 and 0.5, with that name in parameter",
      mend: "Take a whole number above zero, or nothing; never round what was asked for.",
      check: withPoints(async (till, customer) =>
        inTurn([0, -5, 0.5], String, async (wanted) =>
          expectRefused(
            await askQuote(till, { customer, lines: [till.line(1000_00, 2000)], type: "SPENDING", wanted }),
            412,
            999,
            "preferredBonusToSpend",
          ),
        ),
      ),
    },
    {
      id: "loyalty/points/pure",
      title: "asking changes nothing",
      source: "public",
      clause: "platform-contracts 6.5",
      expected: "the same answer to the same recalc again, and the member's points as before, however often it is asked",
      mend: "Reserve and book nothing in recalc: points move with the sale.",
      check: withPoints(async (till, customer, balance) => {
        const asked = { customer, lines: [till.line(1000_00, 2000), till.line(33_33, 3000)], type: "SPENDING" as const };
        const first = await askQuote(till, asked);
        for (let times = 0; times < 3; times += 1) {
          const again = await askQuote(till, asked);
          if (JSON.stringify(quoteIn(again)) !== JSON.stringify(quoteIn(first))) return broken(again, "the answer is another than before");
        }
        return expectBalance(till, customer, balance, "as before recalc was asked");
      }),
    },
    {
      id: "loyalty/points/serials",
      title: "positions that are split for points keep their serial numbers",
      source: "seed",
      clause: "seed, Rules 3; platform-contracts 6.5",
      expected:
        "as many serial numbers in each answered position as its quantity, and all of them once, where points do not divide by three pieces",
      mend: "Deal the serial numbers out over the parts of a split position.",
      needs: ["loyalty/recalc/serials"],
      check: withPoints(async (till, customer) =>
        inTurn([5, 7, 10], String, async (wanted) => {
          const lines = [till.line(96_00, 3000, ["A", "B", "C"]), till.line(50_01, 1000)];
          const sent = await askQuote(till, { customer, lines, type: "SPENDING", wanted });
          const problem = quoteProblem(lines, quoteIn(sent), true);
          return problem === undefined || ![17_017, 45_000, 45_001].includes(problem.code)
            ? held
            : broken(sent, `${problem.code}: ${problem.words}`);
        }),
      ),
    },
  ],
};

interface Asked {
  sent: Awaited<ReturnType<typeof askQuote>>;
  quote: ReturnType<typeof quoteIn>;
  lines: readonly LoyaltyLine[];
}

/** Asks `recalc` about each basket: for as many points as possible, and for some small numbers of points. */
function eachQuote(till: LoyaltyTill, customer: LoyaltyCustomer, check: (asked: Asked) => Promise<CheckResult>): Promise<CheckResult> {
  const cases = BASKETS.flatMap((basket) => [undefined, 1, 5, 7].map((wanted) => ({ basket, wanted })));
  return inTurn(
    cases,
    ({ basket, wanted }) => `${basket.length} positions, ${wanted ?? "all"} points`,
    async ({ basket, wanted }) => {
      const lines = basket.map(([priceKopecks, pieces]) => till.line(priceKopecks, pieces * 1000));
      const sent = await askQuote(till, { customer, lines, type: "SPENDING", ...(wanted === undefined ? {} : { wanted }) });
      return check({ sent, quote: quoteIn(sent), lines });
    },
  );
}
