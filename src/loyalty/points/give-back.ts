import type { ReturnPolicy } from "../programme/programme.ts";
import { type Allocation, isExpired, type Lot } from "./lots.ts";

/** A part of what a sale consumed. Lists of parts follow the order of consumption. */
export interface Consumption {
  /** Null: the part that no lot held and that became debt. */
  lotNumber: number | null;
  points: number;
  /**
   * Set when the lot is in the account of a member that was merged into this member. Points that have not expired return as a new lot with
   * the same dates.
   */
  elsewhere?: Lot;
  /** Given back by earlier returns, including forfeited points. */
  givenBackPoints: number;
}

interface RestoredLot {
  points: number;
  activeFromMs: number;
  expiresAtMs: number | null;
}

/** The points that a return gives back. The first four parts add up to the requested points, at most what the sale consumed. */
export interface GiveBack {
  allocations: Allocation[];
  debtReliefPoints: number;
  newLots: RestoredLot[];
  forfeitedPoints: number;
  /** The points given back for each consumption, in the order of the consumptions. */
  perConsumption: number[];
}

interface GiveBackInput {
  consumed: readonly Consumption[];
  points: number;
  /** Must include the lots of all consumptions, even used-up lots. */
  lots: readonly Lot[];
  debtPoints: number;
  nowMs: number;
  policy: Pick<ReturnPolicy, "expired">;
  /**
   * `graceEndsMs`: the end of a grace period that begins now (`endOfDayAfterMs`). `fullLifeEndsMs`: the end of a lot made now
   * (`expiresAtMs`).
   */
  graceEndsMs: number;
  fullLifeEndsMs: number | null;
}

/**
 * Plans how points of a sale are given back, in the reverse order of their consumption (loyalty-model 7.7). The policy decides whether
 * points of an expired lot get a new lot or are forfeited, also after a merge of the buyer. Points that became debt reduce the debt. If the
 * debt was already repaid, they get a new lot.
 */
export function planGiveBack(input: GiveBackInput): GiveBack {
  const { consumed, lots, nowMs } = input;
  const byNumber = new Map(lots.map((lot) => [lot.number, lot]));
  const plan: GiveBack = { allocations: [], debtReliefPoints: 0, newLots: [], forfeitedPoints: 0, perConsumption: consumed.map(() => 0) };
  let left = input.points;
  for (let index = consumed.length - 1; index >= 0 && left > 0; index--) {
    const each = consumed[index];
    const points = each === undefined ? 0 : Math.min(left, each.points - each.givenBackPoints);
    if (each === undefined || points <= 0) continue;
    left -= points;
    plan.perConsumption[index] = points;
    const lot = each.elsewhere ?? (each.lotNumber === null ? undefined : byNumber.get(each.lotNumber));
    if (each.lotNumber === null) relieveDebt(plan, points, input);
    else if (lot === undefined || isExpired(lot, nowMs)) restoreExpired(plan, points, lot, input);
    else if (each.elsewhere === undefined) plan.allocations.push({ lotNumber: lot.number, points });
    else plan.newLots.push({ points, activeFromMs: lot.activeFromMs, expiresAtMs: lot.expiresAtMs });
  }
  return plan;
}

function relieveDebt(plan: GiveBack, points: number, { debtPoints, nowMs, fullLifeEndsMs }: GiveBackInput): void {
  const relief = Math.min(points, debtPoints - plan.debtReliefPoints);
  plan.debtReliefPoints += relief;
  if (points > relief) plan.newLots.push({ points: points - relief, activeFromMs: nowMs, expiresAtMs: fullLifeEndsMs });
}

function restoreExpired(plan: GiveBack, points: number, lot: Lot | undefined, input: GiveBackInput): void {
  const { policy, nowMs, graceEndsMs, fullLifeEndsMs } = input;
  switch (policy.expired) {
    case "forfeit":
      plan.forfeitedPoints += points;
      break;
    case "grace":
      plan.newLots.push({ points, activeFromMs: nowMs, expiresAtMs: Math.max(lot?.expiresAtMs ?? graceEndsMs, graceEndsMs) });
      break;
    case "full":
      plan.newLots.push({ points, activeFromMs: nowMs, expiresAtMs: fullLifeEndsMs });
      break;
  }
}
