import type { ReturnPolicy } from "../programme/programme.ts";
import { type Allocation, isExpired, type Lot, planDebit } from "./lots.ts";

/** The points that a return takes back. The parts together are the requested number. */
interface ClawBack {
  allocations: Allocation[];
  debtPoints: number;
  /** Points that are not taken, because they have expired in the lot of the sale or because the programme forgets debts. */
  forgivenPoints: number;
}

interface ClawBackInput {
  points: number;
  /** The lots after the same return has given points back. */
  lots: readonly Lot[];
  /** The lot that the sale has made. Absent: the sale has booked no earned points. */
  ownLotNumber?: number;
  /** Points that EXPIRE entries have taken from that lot. */
  ownExpiredPoints: number;
  /** Points that earlier returns of this sale did not take because they had expired. */
  forgivenBeforePoints: number;
  nowMs: number;
  policy: Pick<ReturnPolicy, "debt">;
}

/**
 * Plans how earned points are taken back (loyalty-model 7.8): first from the lot of the sale, active or pending. Points that have expired
 * in it are not taken. The rest is taken from other active lots in spend order, and what is missing becomes debt.
 */
export function planClawBack(input: ClawBackInput): ClawBack {
  const { points, lots, ownLotNumber, nowMs, policy } = input;
  const own = lots.find(({ number }) => number === ownLotNumber);
  const isOwnExpired = own !== undefined && isExpired(own, nowMs);
  const fromOwn = own === undefined || isOwnExpired ? 0 : Math.min(points, own.remaining);
  const expired = input.ownExpiredPoints + (isOwnExpired ? own.remaining : 0) - input.forgivenBeforePoints;
  const forgiven = Math.min(points - fromOwn, Math.max(0, expired));
  const rest = planDebit(
    lots.filter((lot) => lot !== own),
    points - fromOwn - forgiven,
    nowMs,
  );
  const isRemembered = policy.debt === "remember";
  return {
    allocations: [...(own === undefined || fromOwn === 0 ? [] : [{ lotNumber: own.number, points: fromOwn }]), ...rest.allocations],
    debtPoints: isRemembered ? rest.shortPoints : 0,
    forgivenPoints: forgiven + (isRemembered ? 0 : rest.shortPoints),
  };
}
