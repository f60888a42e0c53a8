import type { ReturnPolicy } from "../programme/programme.ts";
import { type Allocation, isExpired, type Lot, planDebit } from "./lots.ts";

/** What a return takes back. The sum of all parts is what was asked for. */
interface ClawBack {
  allocations: Allocation[];
  debtPoints: number;
  /** Not taken: it had expired in the lot of the sale, or the programme forgets debts. */
  forgivenPoints: number;
}

interface ClawBackInput {
  points: number;
  /** With what the same return has given back. */
  lots: readonly Lot[];
  /** The lot that the sale has made; absent: it earned nothing that was booked. */
  ownLotNumber?: number;
  /** What EXPIRE entries have taken from that lot. */
  ownExpiredPoints: number;
  /** What earlier returns of this sale have forgiven because it had expired. */
  forgivenBeforePoints: number;
  nowMs: number;
  policy: Pick<ReturnPolicy, "debt">;
}

/**
 * Takes earned points back (loyalty-model 7.8): from the lot of the sale first, active or pending; what expired of it is not taken;
 * then from other active lots by the spend order; what is left becomes debt.
 */
export function planClawBack(input: ClawBackInput): ClawBack {
  const { points, lots, ownLotNumber, nowMs, policy } = input;
  const own = lots.find(({ number }) => number === ownLotNumber);
  const isOver = own !== undefined && isExpired(own, nowMs);
  const fromOwn = own === undefined || isOver ? 0 : Math.min(points, own.remaining);
  const expired = input.ownExpiredPoints + (isOver ? own.remaining : 0) - input.forgivenBeforePoints;
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
