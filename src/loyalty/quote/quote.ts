import { present } from "../../kernel/present.ts";
import { doneAtOnce, type Stepped } from "../../kernel/work/stepped.ts";
import { lotsOverPeriods } from "../points/lot-dates.ts";
import { balanceAt, type Lot } from "../points/lots.ts";
import type { Effect, ExpiryPeriod, Programme, Rule } from "../programme/programme.ts";
import { matchRule, type RuleContext, ruleContextOf } from "./conditions.ts";
import { type Discounts, discountsOf, type MatchedRule } from "./discounts.ts";
import { type Earning, earningOf } from "./earning.ts";
import { type DiscountedPosition, lineKopecks, type QuotePosition } from "./line.ts";
import { nothingSpent, type Spending, spendingOf } from "./spending.ts";
import { priced } from "./spread.ts";
import type { Traced, Why } from "./trace.ts";

export interface QuoteMember {
  status: "active" | "blocked";
  /** Every lot with points, with its stored dates. */
  lots: readonly Lot[];
  debtPoints: number;
  /** The name of the tier. Null: the member has no tier. */
  tier: string | null;
  hasBought: boolean;
  /** Month and day: MM-DD. */
  birthday?: string;
  lastVisitMs?: number;
  /**
   * The expiry rules of all programmes so far, which decide the ends of older lots. Absent: only the rule of the quote's programme counts.
   */
  periods?: readonly ExpiryPeriod[];
}

export interface QuoteInput<Position extends QuotePosition> {
  programme: Programme;
  /** Absent: the call names no buyer, or the buyer is not a member. */
  member?: QuoteMember;
  storeId: string;
  zone: string;
  nowMs: number;
  /** The goods before discounts. Each quantity is above 0, and each line's sum is at most `MAX_KOPECKS`. */
  positions: readonly Position[];
  transactionType: "EARNING" | "SPENDING";
  /** The points that the buyer wants to spend: a whole number above 0. Absent: as many as possible. */
  preferredPoints?: number;
}

/** The sums of one position of the request, for later returns. */
interface QuoteLine {
  /** The sum after discounts, before points. */
  netKopecks: number;
  pointsKopecks: number;
  /** The weight of the line in the earned points. */
  earningKopecks: number;
}

export interface Quote<Position extends QuotePosition> {
  /** In the order of the call. One position may become two. */
  positions: DiscountedPosition<Position>[];
  lines: QuoteLine[];
  discountKopecks: number;
  balancePoints: number;
  spendPoints: number;
  earnPoints: number;
  /** Points that the buyer can spend after this sale, without pending points. */
  balanceAfterPoints: number;
  paidByPointsKopecks: number;
  needVerification: boolean;
  messages: string[];
  /** One element for each examined rule, in the order of precedence. */
  trace: Traced[];
}

/**
 * Quotes a receipt for a member (loyalty-model 5). Deterministic; stores nothing. Without a member, or for a blocked member, the positions
 * stay unchanged.
 */
export function quote<Position extends QuotePosition>(input: QuoteInput<Position>): Quote<Position> {
  return doneAtOnce(quoteInSteps(input));
}

/** The largest product lines × (rules + 1) of a quote that is made at once. For an ordinary receipt the product is a few hundred. */
const MAX_AT_ONCE = 1_000;

/** Whether a quote should be made step by step. */
export function isLongQuote({ programme, positions }: { programme: Programme; positions: readonly unknown[] }): boolean {
  return positions.length * (programme.rules.length + 1) > MAX_AT_ONCE;
}

/** As `quote`, in steps. */
export function* quoteInSteps<Position extends QuotePosition>(input: QuoteInput<Position>): Stepped<Quote<Position>> {
  const { programme, member, nowMs, zone } = input;
  if (member === undefined || member.status !== "active") return unchanged(input.positions);
  const periods = [...(member.periods ?? []), { fromMs: nowMs, expiry: programme.expiry }];
  const balance = balanceAt(lotsOverPeriods(member.lots, periods, member.lastVisitMs, zone), member.debtPoints, nowMs);
  const context = ruleContextOf({ ...input, tier: member.tier, hasBought: member.hasBought, ...present({ birthday: member.birthday }) });
  yield input.positions.length * UNITS_OF_POSITION;
  const { matched, trace } = yield* matchRules(programme.rules, context);
  const discounts = yield* discountsOf(ofKinds(matched, "percent", "fixed-price", "bundle"), context);
  const sumsKopecks = discounts.lines.map(({ sumKopecks }) => sumKopecks);
  const spending = spend(input, context, sumsKopecks, balance.availablePoints);
  const earning = yield* earningOf({
    programme,
    tier: member.tier,
    rules: ofKinds(matched, "multiplier", "points"),
    sumsKopecks,
    spending,
  });
  yield input.positions.length * UNITS_OF_POSITION;
  const earnedNow = programme.activation.kind === "at-once" ? earning.points : 0;
  return {
    positions: pricedPositions(input.positions, discounts, spending),
    lines: linesOf(sumsKopecks, spending, earning),
    discountKopecks: context.totalKopecks - sumsKopecks.reduce((sum, each) => sum + each, 0),
    balancePoints: balance.availablePoints,
    spendPoints: spending.points,
    earnPoints: earning.points,
    balanceAfterPoints: Math.max(0, balance.activePoints - balance.debtPoints - spending.points + earnedNow),
    paidByPointsKopecks: spending.kopecks,
    needVerification: needsCode(programme, spending.points),
    messages: matched.flatMap(({ rule }) => (rule.effect.kind === "message" ? [rule.effect.text] : [])),
    trace: trace.map((rule) => traced(rule, [discounts.whys, earning.whys])),
  };
}

/** Returns the positions unchanged and zeros, for a receipt whose buyer is no active member. */
export function unchanged<Position extends QuotePosition>(positions: readonly Position[]): Quote<Position> {
  return {
    positions: positions.map((position) => ({
      ...position,
      discountedPriceKopecks: position.priceKopecks,
      discountPercentHundredths: 0,
    })),
    lines: positions.map(({ priceKopecks, quantityMillionths }) => {
      return { netKopecks: lineKopecks(priceKopecks, quantityMillionths), pointsKopecks: 0, earningKopecks: 0 };
    }),
    discountKopecks: 0,
    balancePoints: 0,
    spendPoints: 0,
    earnPoints: 0,
    balanceAfterPoints: 0,
    paidByPointsKopecks: 0,
    needVerification: false,
    messages: [],
    trace: [],
  };
}

/** The units of work (`Stepped`) for one position: once when the positions are indexed, and once when they are priced at the end. */
const UNITS_OF_POSITION = 10;

/** A rule with the failed condition. `failed` is absent when all conditions hold. */
interface Examined {
  rule: Rule;
  failed?: Why;
}

/** Returns the trace of all rules ordered by priority and id, and the rules whose conditions hold. */
function* matchRules(rules: readonly Rule[], context: RuleContext): Stepped<{ matched: MatchedRule[]; trace: Examined[] }> {
  const matched: MatchedRule[] = [];
  const trace: Examined[] = [];
  for (const rule of [...rules].sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))) {
    const match = matchRule(rule, context);
    if (match.kind === "matched") matched.push({ rule, lines: match.lines });
    trace.push(match.kind === "failed" ? { rule, failed: match.why } : { rule });
    yield context.positions.length;
  }
  return { matched, trace };
}

function ofKinds(rules: readonly MatchedRule[], ...kinds: readonly Effect["kind"][]): MatchedRule[] {
  return rules.filter(({ rule }) => kinds.includes(rule.effect.kind));
}

function spend(
  { programme, transactionType, preferredPoints, positions }: QuoteInput<QuotePosition>,
  context: RuleContext,
  sumsKopecks: readonly number[],
  availablePoints: number,
): Spending {
  if (transactionType === "EARNING") return nothingSpent(positions.length);
  return spendingOf({ programme, context, sumsKopecks, availablePoints, ...present({ preferredPoints }) });
}

function pricedPositions<Position extends QuotePosition>(
  positions: readonly Position[],
  { lines }: Discounts,
  { lineKopecks: paid }: Spending,
): DiscountedPosition<Position>[] {
  return positions.flatMap((position, index) => {
    const { unitKopecks = position.priceKopecks, sumKopecks = 0 } = lines[index] ?? {};
    return priced(position, unitKopecks, sumKopecks - (paid[index] ?? 0));
  });
}

function linesOf(sumsKopecks: readonly number[], spending: Spending, earning: Earning): QuoteLine[] {
  return sumsKopecks.map((netKopecks, index) => {
    return { netKopecks, pointsKopecks: spending.lineKopecks[index] ?? 0, earningKopecks: earning.lineKopecks[index] ?? 0 };
  });
}

export function needsCode({ verification: { spending } }: Programme, points: number): boolean {
  if (points === 0 || spending === "never") return false;
  return spending === "always" || points > spending;
}

const GAINS: readonly Why["code"][] = ["discounted", "multiplied", "added", "said"];

function traced({ rule, failed }: Examined, outcomes: readonly ReadonlyMap<Rule, Why>[]): Traced {
  const why = failed ?? outcomes.map((whys) => whys.get(rule)).find((each) => each !== undefined) ?? { code: "said" };
  return { rule: rule.id, matched: GAINS.includes(why.code), why };
}
