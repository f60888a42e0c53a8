import type { AccountBook } from "../ledger/account-book.ts";
import { bringUpToDate, earn, type LedgerContext, lotsOf, spend } from "../ledger/bookings.ts";
import type { Tx } from "../ledger/ledger-queries.ts";
import { type BookingAnomaly, decideBooking } from "../points/booking-decision.ts";
import { balanceAt, type Lot } from "../points/lots.ts";
import type { SoldLine } from "../points/matching.ts";
import type { Programme, ProgrammeInForce } from "../programme/programme.ts";
import type { QuotePosition } from "../quote/line.ts";
import { needsCode, type Quote, type QuoteMember, quote } from "../quote/quote.ts";
import type { SaleCall } from "../till-call.ts";
import { paidOf, rowOfLine } from "./order-lines.ts";
import { insertLines, updateBooked } from "./order-queries.ts";
import { type EarnedByMoney, earnedByMoney, type GoodsLine, joinedLines, soldLinesOf } from "./sale-lines.ts";
import { reviewTier } from "./tier.ts";

/** What is needed to book a sale of a known member. */
interface SaleBooking {
  tx: Tx;
  call: SaleCall;
  /** The account of the member, opened in `tx`. `bookSale` closes it. */
  book: AccountBook;
  /** The version of the sale's quote, or else the programme in force. The sale spends and earns by it. */
  programme: Programme;
  version: number;
  /** The programme in force. It says when lots end, and which tiers there are. */
  current: ProgrammeInForce;
  /** MM-DD. */
  birthday?: string;
  /** The row of the sale, which is stored already. */
  orderId: number;
  nowMs: number;
  zone: string;
  /** The folders of each product, for rules that name folders. */
  groups: ReadonlyMap<string, readonly string[]>;
  /** The quote for these goods and these spent points, if one was kept. `isCurrent`: the member has not bought or returned since. */
  quoted?: { earnPoints: number; needVerification: boolean; madeAtMs: number; isCurrent: boolean };
  wasCodeRequested: boolean;
}

/** `payingPoints`: the stated points that have paid for a part of the goods. */
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
 * refuses the sale.
 */
export async function bookSale(booking: SaleBooking): Promise<BookedSale> {
  const { tx, call, book, programme, current, nowMs, zone, orderId, quoted } = booking;
  const ledger: LedgerContext = { book, programme, current, nowMs, zone, actor: "till", orderId };
  bringUpToDate(ledger);
  const { availablePoints } = balanceAt(lotsOf(ledger), book.account.debt_points, nowMs);
  const counted: CountedSale = { ...booking, payingPoints: payingPoints(booking, availablePoints) };
  const recount = recounted(counted, call.lines);
  const lines = soldLinesOf(call.lines, recount, programme);
  const byLines = earnedByMoney(recount, call.lines, programme);
  const { earnPoints: recomputedEarnPoints, isPaid } = call.earned > byLines.earnPoints ? asQuoted(counted, byLines) : byLines;
  const decision = decideBooking({
    stated: { spendPoints: call.spent, earnPoints: call.earned },
    availablePoints,
    paidByPointsKopecks: paidByPoints(booking, lines),
    pointValueKopecks: programme.pointValueKopecks,
    recomputedEarnPoints,
    ...(quoted?.isCurrent === true && isPaid ? { quoted } : {}),
    needsCode: quoted?.isCurrent === true ? quoted.needVerification : needsCode(programme, call.spent),
    wasCodeRequested: booking.wasCodeRequested,
  });
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
  await reviewTier(tx, book, { programme: current.programme, nowMs, zone });
  await book.close();
  return booked;
}

/**
 * Returns the stated points that count as a payment: all of them, whatever the account holds by now, because the rest becomes a debt. Where
 * debts are forgotten nobody ever pays the rest, so only points that a quote has offered count beyond what the account holds.
 */
function payingPoints({ call, programme, quoted }: SaleBooking, availablePoints: number): number {
  return programme.returns.debt === "remember" || quoted?.isCurrent === true ? call.spent : Math.min(call.spent, availablePoints);
}

/**
 * Computes the quote of this sale again, from the undiscounted goods, as of the time of its quote: an hour or a day of a rule may have begun
 * or ended since.
 */
function recounted(
  { call, book, programme, nowMs, zone, groups, birthday, quoted, payingPoints: points }: CountedSale,
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
  return quote({
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
 * Returns what the sale earns when it is counted by positions, as its quote was. A quote may have sold a position as two lines. The kopecks
 * of two lines are divided in another way, so the two lines may earn a point less. This count is only for a sale that states more points
 * than its lines earn. The paid money of the lines stays the same in it: otherwise many lines that each cost a part of a kopeck would earn
 * points for nothing.
 */
function asQuoted(booking: CountedSale, byLines: EarnedByMoney): EarnedByMoney {
  const { call, programme } = booking;
  const joined = joinedLines(call.lines);
  if (joined.length === call.lines.length) return byLines;
  const byPositions = earnedByMoney(recounted(booking, joined), call.lines, programme);
  return { ...byPositions, earnPoints: Math.max(byLines.earnPoints, byPositions.earnPoints) };
}

/**
 * Returns the most that points can have paid of a sale. When its quote no longer counts, a discount that began since must not take the place
 * of the points that the quote has offered. So the price without discounts is the bound then.
 */
function paidByPoints({ quoted }: SaleBooking, lines: readonly SoldLine[]): number {
  const isStale = quoted?.isCurrent === false;
  return lines.reduce((sum, line) => sum + (isStale ? Math.max(0, line.grossKopecks - line.paidKopecks) : line.pointsKopecks), 0);
}
