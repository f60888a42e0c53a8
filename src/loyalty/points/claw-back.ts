import type { ReturnPolicy } from "../programme/programme.ts";
import { type Allocation, isExpired, type Lot, planDebit } from "./lots.ts";

/** The points that a return takes back. The parts together are the requested number. */
interface ClawBack {
  allocations: Allocation[];
  debtPoints: number;
  /** Points that are not taken, because they have expired in a lot of the sale or because the programme forgets debts. */
  forgivenPoints: number;
}

interface ClawBackInput {
  points: number;
  /** The lots after the same return has given points back. */
  lots: readonly Lot[];
  /**
   * The lot that the sale has made, and the lots that undone merges have made of it. Empty: the sale has booked no earned points, or they are
   * in no lot of this account.
   */
  ownLotNumbers: readonly number[];
  /** Points that EXPIRE entries have taken from these lots. */
  ownExpiredPoints: number;
  /** Points that earlier returns of this sale did not take because they had expired. */
  forgivenBeforePoints: number;
  nowMs: number;
  policy: Pick<ReturnPolicy, "debt">;
}

/**
 * Plans how earned points are taken back (loyalty-model 7.8): first from the lots of the sale, active or pending. Points that have expired
 * in them are not taken. The rest is taken from other active lots in spend order, and what is missing becomes debt.
 */
export function planClawBack(input: ClawBackInput): ClawBack {
  const { points, lots, ownLotNumbers, nowMs, policy } = input;
  const own = lots.filter(({ number }) => ownLotNumbers.includes(number));
  const fromOwn: Allocation[] = [];
  let left = points;
  let expired = input.ownExpiredPoints - input.forgivenBeforePoints;
  for (const lot of own) {
    const taken = isExpired(lot, nowMs) ? 0 : Math.min(left, lot.remaining);
    if (isExpired(lot, nowMs)) expired += lot.remaining;
    if (taken > 0) fromOwn.push({ lotNumber: lot.number, points: taken });
    left -= taken;
  }
  const forgiven = Math.min(left, Math.max(0, expired));
  const rest = planDebit(
    lots.filter((lot) => !own.includes(lot)),
    left - forgiven,
    nowMs,
  );
  const isRemembered = policy.debt === "remember";
  return {
    allocations: [...fromOwn, ...rest.allocations],
    debtPoints: isRemembered ? rest.shortPoints : 0,
    forgivenPoints: forgiven + (isRemembered ? 0 : rest.shortPoints),
  };
}
