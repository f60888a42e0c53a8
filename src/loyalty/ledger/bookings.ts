import { planClawBack } from "../points/claw-back.ts";
import { type Consumption, planGiveBack } from "../points/give-back.ts";
import { activeFromMs, endOfDayAfterMs, expiresAtMs, lotsInForce } from "../points/lot-dates.ts";
import { type Lot, planDebit, planExpiry, planRepayment } from "../points/lots.ts";
import type { Programme } from "../programme/programme.ts";
import type { AccountBook } from "./account-book.ts";

/** Under which programme, when and where an account is changed. */
export interface LedgerContext {
  book: AccountBook;
  programme: Programme;
  nowMs: number;
  /** Zone of the point of sale. */
  zone: string;
  actor: string;
  orderId?: number;
}

/** The lots with the ends that hold now. */
export function lotsOf({ book, programme, zone }: Pick<LedgerContext, "book" | "programme" | "zone">): readonly Lot[] {
  return lotsInForce(book.lots, programme.expiry, book.account.visited_at_ms ?? undefined, zone);
}

/**
 * Writes what has happened by itself, in the order of time: debt that points repay as they become active, and points that are over.
 * Twice writes nothing new, and a late run writes what one in time would have.
 */
export function bringUpToDate(booking: LedgerContext): void {
  const { book, nowMs, actor } = booking;
  if (book.account.debt_points > 0) {
    const moments = lotsOf(booking).flatMap(({ remaining, activeFromMs: fromMs }) => (remaining > 0 && fromMs <= nowMs ? [fromMs] : []));
    for (const momentMs of moments.sort((a, b) => a - b)) repay({ ...booking, nowMs: momentMs });
  }
  for (const expired of planExpiry(lotsOf(booking), nowMs))
    book.add({ kind: "EXPIRE", points: -expired.points, allocations: [expired], actor });
  repay(booking);
}

/** Active points repay the debt. */
export function repay(booking: LedgerContext): void {
  const { book, nowMs, actor } = booking;
  const debt = book.account.debt_points;
  if (debt === 0) return;
  const allocations = planRepayment(lotsOf(booking), debt, nowMs);
  const points = allocations.reduce((sum, each) => sum + each.points, 0);
  if (points > 0) book.add({ kind: "DEBT_REPAY", points: -points, debtPoints: -points, allocations, actor });
}

/** Takes what a sale has spent. What no lot holds becomes debt, or is forgotten, as the programme says; returned in either case. */
export function spend(booking: LedgerContext, points: number): number {
  if (points === 0) return 0;
  const { book, programme, nowMs, actor, orderId } = booking;
  const { allocations, shortPoints } = planDebit(lotsOf(booking), points, nowMs);
  const debtPoints = programme.returns.debt === "remember" ? shortPoints : 0;
  const taken = points - shortPoints + debtPoints;
  if (taken > 0) book.add({ kind: "SPEND", points: -taken, debtPoints, allocations, actor, ...order(orderId) });
  return shortPoints;
}

/** Adds what a sale has earned, as one lot. */
export function earn(booking: LedgerContext, points: number, trace: string): void {
  if (points === 0) return;
  const { book, actor, orderId } = booking;
  book.add({ kind: "EARN", points, lot: newLot(booking, "earned", points), actor, trace, ...order(orderId) });
  repay(booking);
}

/** A lot with the beginning and end that the programme gives to points of this moment. */
export function newLot({ programme, nowMs, zone }: Pick<LedgerContext, "programme" | "nowMs" | "zone">, kind: Lot["kind"], points: number) {
  return {
    kind,
    points,
    activeFromMs: kind === "earned" ? activeFromMs(programme.activation, nowMs, zone) : nowMs,
    expiresAtMs: expiresAtMs(programme.expiry, nowMs, zone),
  };
}

/** What a sale has consumed, and what earlier returns gave back of it: they go from the end of the consumption to its beginning. */
export function consumptionOf(
  allocations: readonly { lotNumber: number; points: number }[],
  debtPoints: number,
  givenBackPoints: number,
): Consumption[] {
  const taken = allocations.map(({ lotNumber, points }): Consumption => ({ lotNumber, points, givenBackPoints: 0 }));
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

/** Gives points of a sale back. `consumed`: see `consumptionOf`; its lots must have been read. */
export function giveBack(booking: LedgerContext, points: number, consumed: readonly Consumption[], reverses: number): void {
  if (points === 0) return;
  const { book, programme, nowMs, zone, actor, orderId } = booking;
  const plan = planGiveBack({
    consumed,
    points,
    lots: lotsOf(booking),
    debtPoints: book.account.debt_points,
    nowMs,
    policy: programme.returns,
    graceEndsMs: endOfDayAfterMs(nowMs, programme.returns.graceDays, zone),
    fullLifeEndsMs: expiresAtMs(programme.expiry, nowMs, zone),
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
  sale: { ownLotNumber?: number; ownExpiredPoints: number; forgivenBeforePoints: number; reverses: number },
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
