import type { ReturnPolicy } from "../programme/programme.ts";
import { type Allocation, isExpired, type Lot, planDebit } from "./lots.ts";

/** The points that a return takes back. The parts add up to the requested number. */
interface ClawBack {
  allocations: Allocation[];
  debtPoints: number;
  /** Points that are not taken: they expired in a lot of the sale, or the programme forgets debts. */
  forgivenPoints: number;
}

interface ClawBackInput {
  points: number;
  /** The lots after this return has given points back. */
  lots: readonly Lot[];
  /**
   * The lots of this account with points that the sale earned: the sale's own lot, or lots to which a merge or an undone merge moved the
   * points. Empty: the sale earned no points, or this account has none of them.
   */
  ownLotNumbers: readonly number[];
  ownExpiredPoints: number;
  /** Points that earlier returns of this sale did not take: they had expired, or no lot had them and the programme forgets debts. */
  forgivenBeforePoints: number;
  nowMs: number;
  policy: Pick<ReturnPolicy, "debt">;
}

/**
 * Plans how earned points are taken back (loyalty-model 7.8). First they are taken from the lots of the sale, active or pending, as far as
 * these have not expired. Points that expired there are forgiven. Then the points are taken from other active lots in spend order. The
 * missing points become debt, or are forgiven when the programme forgets debts.
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
