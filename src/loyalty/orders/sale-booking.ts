import { deleteQuotesAfter } from "../kept-quotes/quote-queries.ts";
import type { AccountBook } from "../ledger/account-book.ts";
import { bringUpToDate, earn, type LedgerContext, lotsOf, spend } from "../ledger/bookings.ts";
import type { Tx } from "../ledger/ledger-queries.ts";
import { type BookingAnomaly, decideBooking } from "../points/booking-decision.ts";
import { balanceAt, type Lot } from "../points/lots.ts";
import type { SoldLine } from "../points/matching.ts";
import type { Programme, ProgrammeInForce } from "../programme/programme.ts";
import type { QuotePosition } from "../quote/line.ts";
import { needsCode, type Quote, type QuoteMember } from "../quote/quote.ts";
import type { SaleCall } from "../till-call.ts";
import { paidOf, rowOfLine } from "./order-lines.ts";
import { insertLines, updateBooked } from "./order-queries.ts";
import type { Recounts } from "./recounts.ts";
import { type EarnedByMoney, earnedByMoney, type GoodsLine, joinedLines, soldLinesOf, weighedByPoints } from "./sale-lines.ts";
import { reviewDueTier, reviewTier } from "./tier.ts";

interface SaleBooking {
  tx: Tx;
  call: SaleCall;
  /** The member's account, opened in `tx`. `bookSale` closes it. */
  book: AccountBook;
  /**
   * The programme that decides what the sale spends and earns: the version of the sale's current quote, otherwise the programme in force.
   */
  programme: Programme;
  version: number;
  /** The programme in force. It sets the tiers and the ends of earlier lots. */
  current: ProgrammeInForce;
  /** Month and day: MM-DD. */
  birthday?: string;
  orderId: number;
  nowMs: number;
  zone: string;
  groups: ReadonlyMap<string, readonly string[]>;
  /** The stored quote of these goods and spent points, if any. `isCurrent`: the member has not bought or returned since the quote. */
  quoted?: { earnPoints: number; needVerification: boolean; madeAtMs: number; isCurrent: boolean };
  wasCodeRequested: boolean;
  recounts: Recounts;
}

/** `payingPoints`: the stated points that paid for a part of the goods. */
interface CountedSale extends SaleBooking {
  payingPoints: number;
}

interface BookedSale {
  spentPoints: number;
  earnedPoints: number;
  anomalies: readonly BookingAnomaly[];
}

/**
 * Books the points that a sale states, as far as possible (loyalty-model 6). The goods are already sold, so a shortage of points never
 * refuses the sale. Throws `loyalty-quote-due` when a long quote is not computed yet: the transaction then ends without a change.
 */
export async function bookSale(booking: SaleBooking): Promise<BookedSale> {
  const { tx, call, book, programme, current, nowMs, zone, orderId, quoted } = booking;
  const ledger: LedgerContext = { book, programme, current, nowMs, zone, actor: "till", orderId };
  bringUpToDate(ledger);
  await reviewDueTier(tx, book, { programme: current.programme, nowMs, zone });
  const { availablePoints } = balanceAt(lotsOf(ledger), book.account.debt_points, nowMs);
  const counted: CountedSale = { ...booking, payingPoints: payingPoints(booking, availablePoints) };
  const recount = recounted(counted, call.lines);
  const stated = soldLinesOf(call.lines, recount, programme);
  const byLines = earnedByMoney(recount, call.lines, programme);
  const { earnPoints: recomputedEarnPoints, isPaid } = call.earned > byLines.earnPoints ? asQuoted(counted, byLines) : byLines;
  const decision = decideBooking({
    stated: { spendPoints: call.spent, earnPoints: call.earned },
    availablePoints,
    paidByPointsKopecks: paidByPoints(booking, stated),
    pointValueKopecks: programme.pointValueKopecks,
    recomputedEarnPoints,
    earnWhileSpending: programme.earnWhileSpending,
    ...(quoted?.isCurrent === true && isPaid ? { quoted } : {}),
    needsCode: quoted?.isCurrent === true ? quoted.needVerification : needsCode(programme, call.spent),
    wasCodeRequested: booking.wasCodeRequested,
  });
  const lines = weighedByPoints(stated, recount, decision.spendPoints * programme.pointValueKopecks);
  const forgotten = programme.returns.debt === "forget" ? decision.debtPoints : 0;
  spend(ledger, decision.spendPoints);
  earn(ledger, decision.earnPoints, JSON.stringify(recount.trace.filter(({ matched }) => matched)));
  book.change({ visited_at_ms: nowMs, has_bought: 1 });
  const booked = { spentPoints: decision.spendPoints - forgotten, earnedPoints: decision.earnPoints, anomalies: decision.anomalies };
  await updateBooked(tx, orderId, {
    state: "booked",
    programme_version: booking.version,
    member_id: book.memberId,
    paid_kopecks: paidOf(lines),
    spent: booked.spentPoints,
    earned: booked.earnedPoints,
    anomalies: booked.anomalies.length === 0 ? null : JSON.stringify(booked.anomalies),
  });
  await insertLines(
    tx,
    lines.map((line, index) => rowOfLine(orderId, index + 1, line)),
  );
  if (booked.spentPoints === 0 && booked.earnedPoints === 0) await deleteQuotesAfter(tx, book.memberId, nowMs);
  await reviewTier(tx, book, { programme: current.programme, nowMs, zone });
  await book.close();
  return booked;
}

/**
 * Returns the stated points that count as a payment. If the programme remembers debts, all points count, because missing points become a
 * debt. If the programme forgets debts, nobody ever pays the missing points. Then missing points count only if the quote is current.
 */
function payingPoints({ call, programme, quoted }: SaleBooking, availablePoints: number): number {
  return programme.returns.debt === "remember" || quoted?.isCurrent === true ? call.spent : Math.min(call.spent, availablePoints);
}

/**
 * Computes this sale's quote again from the undiscounted goods. If the quote is current, uses the time of the quote: the hour or the day of
 * a rule may have begun or ended since.
 */
function recounted(
  { call, book, programme, nowMs, zone, groups, birthday, quoted, payingPoints: points, recounts }: CountedSale,
  lines: readonly GoodsLine[],
): Quote<QuotePosition> {
  const { tier, has_bought } = book.account;
  const spent: Lot = { number: 1, kind: "earned", original: points, remaining: points, activeFromMs: 0, expiresAtMs: null };
  const member: QuoteMember = {
    status: "active",
    lots: [spent],
    debtPoints: 0,
    tier,
    hasBought: has_bought === 1,
    ...(birthday === undefined ? {} : { birthday }),
  };
  const positions = lines.map(({ productId, quantityMillionths, priceKopecks }) => {
    return { productId, quantityMillionths, priceKopecks, groupIds: groups.get(productId) ?? [] };
  });
  const wish = points > 0 ? ({ transactionType: "SPENDING", preferredPoints: points } as const) : ({ transactionType: "EARNING" } as const);
  return recounts.of({
    programme,
    member,
    storeId: call.storeId,
    zone,
    nowMs: quoted?.isCurrent === true ? quoted.madeAtMs : nowMs,
    positions,
    ...wish,
  });
}

/**
 * Returns what the sale earns when the sale is counted by positions, as in its quote. A quote may split a position into two lines. Each
 * line is rounded separately, so the lines may earn a point less than the position. Call this only for a sale that states more points than
 * its lines earn. The paid money is still taken from the lines. Otherwise many lines of less than a kopeck would earn points for nothing.
 */
function asQuoted(booking: CountedSale, byLines: EarnedByMoney): EarnedByMoney {
  const { call, programme } = booking;
  const joined = joinedLines(call.lines);
  if (joined.length === call.lines.length) return byLines;
  const byPositions = earnedByMoney(recounted(booking, joined), call.lines, programme);
  return { ...byPositions, earnPoints: Math.max(byLines.earnPoints, byPositions.earnPoints) };
}

/**
 * Returns the largest sum that points can have paid: the prices after discounts, less the paid money. For a quote that is no longer
 * current, returns the prices without discounts, less the paid money. A discount may have begun since the quote, and would leave less room
 * for the quoted points.
 */
function paidByPoints({ quoted }: SaleBooking, lines: readonly SoldLine[]): number {
  const isStale = quoted?.isCurrent === false;
  return lines.reduce((sum, line) => sum + (isStale ? Math.max(0, line.grossKopecks - line.paidKopecks) : line.pointsKopecks), 0);
}
