import { present } from "../../kernel/present.ts";
import { planClawBack } from "../points/claw-back.ts";
import { type Consumption, planGiveBack } from "../points/give-back.ts";
import { activeFromMs, endOfDayAfterMs, expiresAtMs, lotsOverPeriods } from "../points/lot-dates.ts";
import { type Lot, planDebit, planExpiry, planRepayment } from "../points/lots.ts";
import type { Programme, ProgrammeInForce } from "../programme/programme.ts";
import type { AccountBook } from "./account-book.ts";

export interface LedgerContext {
  book: AccountBook;
  /**
   * The programme that decides which points are credited, with which dates, and which are taken back. For a return: the version by which
   * its sale was booked.
   */
  programme: Programme;
  /** The programme in force. It decides when stored lots and restored points end, so an old sale cannot bring an earlier rule back. */
  current: ProgrammeInForce;
  nowMs: number;
  zone: string;
  actor: string;
  orderId?: number;
}

/** Returns the lots of the account with their effective ends (`lotsOverPeriods`). */
export function lotsOf({ book, current, zone }: Pick<LedgerContext, "book" | "current" | "zone">): readonly Lot[] {
  return lotsOverPeriods(book.lots, current.periods, book.account.visited_at_ms ?? undefined, zone);
}

function inForce({ book, current, zone }: LedgerContext, lot: Lot | undefined): Lot | undefined {
  return lot === undefined ? undefined : lotsOverPeriods([lot], current.periods, book.account.visited_at_ms ?? undefined, zone)[0];
}

/**
 * Writes what became due without a request: repayments by points that became active, and expired points. Safe to repeat. A late call writes
 * the same as a call in time.
 *
 * `mostLots`: the largest number of lots that expire by this call. Returns whether more lots have expired. Before a visit all expired lots
 * must be written: the ends of lots may depend on the last visit.
 */
export function bringUpToDate(booking: LedgerContext, mostLots = Number.POSITIVE_INFINITY): boolean {
  const { book, nowMs, actor } = booking;
  if (book.account.debt_points > 0) {
    const active = lotsOf(booking).filter(({ remaining, activeFromMs: fromMs }) => remaining > 0 && fromMs <= nowMs);
    // While a debt is left, the lots that became active before a moment are used up or expired. So each moment needs only the lots that
    // became active at it.
    const byMoment = Map.groupBy(active, (lot) => lot.activeFromMs);
    for (const [momentMs, lots] of [...byMoment].sort(([a], [b]) => a - b)) repayFrom({ ...booking, nowMs: momentMs }, lots);
  }
  const expired = planExpiry(lotsOf(booking), nowMs);
  for (const lot of expired.slice(0, mostLots)) book.add({ kind: "EXPIRE", points: -lot.points, allocations: [lot], actor });
  repay(booking);
  return expired.length > mostLots;
}

/** Repays the debt with active points. */
export function repay(booking: LedgerContext): void {
  if (booking.book.account.debt_points > 0) repayFrom(booking, lotsOf(booking));
}

function repayFrom({ book, nowMs, actor }: LedgerContext, lots: readonly Lot[]): void {
  const debt = book.account.debt_points;
  if (debt === 0) return;
  const allocations = planRepayment(lots, debt, nowMs);
  const points = allocations.reduce((sum, each) => sum + each.points, 0);
  if (points > 0) book.add({ kind: "DEBT_REPAY", points: -points, debtPoints: -points, allocations, actor });
}

/**
 * Books the points that a sale has spent. If the active lots hold too few points, the missing points become debt or are forgotten, as the
 * programme sets it. Returns the number of missing points.
 */
export function spend(booking: LedgerContext, points: number): number {
  if (points === 0) return 0;
  const { book, programme, nowMs, actor, orderId } = booking;
  const { allocations, shortPoints } = planDebit(lotsOf(booking), points, nowMs);
  const debtPoints = programme.returns.debt === "remember" ? shortPoints : 0;
  const taken = points - shortPoints + debtPoints;
  if (taken > 0) book.add({ kind: "SPEND", points: -taken, debtPoints, allocations, actor, ...order(orderId) });
  return shortPoints;
}

/** Books the points that a sale has earned, as one lot, and repays the debt with active points. */
export function earn(booking: LedgerContext, points: number, trace: string): void {
  if (points === 0) return;
  const { book, actor, orderId } = booking;
  book.add({ kind: "EARN", points, lot: newLot(booking, "earned", points), actor, trace, ...order(orderId) });
  repay(booking);
}

/** Returns a lot with the start and end that the programme gives to points credited now. Only earned points wait for activation. */
export function newLot({ programme, nowMs, zone }: Pick<LedgerContext, "programme" | "nowMs" | "zone">, kind: Lot["kind"], points: number) {
  return {
    kind,
    points,
    activeFromMs: kind === "earned" ? activeFromMs(programme.activation, nowMs, zone) : nowMs,
    expiresAtMs: expiresAtMs(programme.expiry, nowMs, zone),
  };
}

/** Points that a sale took from a lot. `elsewhere`: see `Consumption`. */
export type TakenPoints = { lotNumber: number } & Pick<Consumption, "points" | "elsewhere">;

/**
 * Returns the parts that a sale consumed, each with the points that earlier returns gave back. Points go back from the last part to the
 * first.
 */
export function consumptionOf(allocations: readonly TakenPoints[], debtPoints: number, givenBackPoints: number): Consumption[] {
  const taken = allocations.map((each): Consumption => ({ ...each, givenBackPoints: 0 }));
  const all = debtPoints === 0 ? taken : [...taken, { lotNumber: null, points: debtPoints, givenBackPoints: 0 }];
  let left = givenBackPoints;
  return all
    .toReversed()
    .map((each) => {
      const given = Math.min(left, each.points);
      left -= given;
      return { ...each, givenBackPoints: given };
    })
    .toReversed();
}

/**
 * Gives points of a sale back. `consumed`: see `consumptionOf`; the book must have read the lots that it names. `reverses`: the number of
 * the entry that spent the points.
 */
export function giveBack(booking: LedgerContext, points: number, consumed: readonly Consumption[], reverses: number): void {
  if (points === 0) return;
  const { book, programme, current, nowMs, zone, actor, orderId } = booking;
  const plan = planGiveBack({
    consumed: consumed.map((each) => ({ ...each, ...present({ elsewhere: inForce(booking, each.elsewhere) }) })),
    points,
    lots: lotsOf(booking),
    debtPoints: book.account.debt_points,
    nowMs,
    policy: programme.returns,
    graceEndsMs: endOfDayAfterMs(nowMs, programme.returns.graceDays, zone),
    fullLifeEndsMs: expiresAtMs(current.programme.expiry, nowMs, zone),
  });
  const allocations = plan.allocations.map((each) => ({ lotNumber: each.lotNumber, points: -each.points }));
  const restored = plan.allocations.reduce((sum, each) => sum + each.points, 0) + plan.debtReliefPoints;
  const entry = { kind: "SPEND_REVERSAL", reverses, actor, ...order(orderId) } as const;
  let part = 1;
  if (restored > 0) book.add({ ...entry, points: restored, debtPoints: -plan.debtReliefPoints, allocations, part: part++ });
  for (const lot of plan.newLots) book.add({ ...entry, points: lot.points, lot: { ...lot, kind: "restored" }, part: part++ });
  repay(booking);
}

/** Takes earned points of a sale back. */
export function clawBack(
  booking: LedgerContext,
  points: number,
  sale: { ownLotNumbers: readonly number[]; ownExpiredPoints: number; forgivenBeforePoints: number; reverses: number },
): void {
  if (points === 0) return;
  const { book, programme, nowMs, actor, orderId } = booking;
  const plan = planClawBack({ ...sale, points, lots: lotsOf(booking), nowMs, policy: programme.returns });
  const taken = plan.allocations.reduce((sum, each) => sum + each.points, 0) + plan.debtPoints;
  if (taken === 0) return;
  const { allocations, debtPoints } = plan;
  book.add({ kind: "EARN_REVERSAL", points: -taken, debtPoints, allocations, reverses: sale.reverses, actor, ...order(orderId) });
}

function order(orderId: number | undefined): { orderId?: number } {
  return orderId === undefined ? {} : { orderId };
}
