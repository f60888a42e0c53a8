import type { ReturnPolicy } from "../programme/programme.ts";
import { type Allocation, isExpired, type Lot } from "./lots.ts";

/** What a sale has consumed, in the order in which it did. */
export interface Consumption {
  /** Null: the part that no lot held, and that became debt. */
  lotNumber: number | null;
  points: number;
  /** What earlier returns have given back of it, what they have forfeited included. */
  givenBackPoints: number;
}

/** A lot that is to be made. */
interface RestoredLot {
  points: number;
  activeFromMs: number;
  expiresAtMs: number | null;
}

/** What a return gives back. The sum of all four is what was asked for, at most what the sale has consumed. */
export interface GiveBack {
  /** Back into lots that are still alive. */
  allocations: Allocation[];
  debtReliefPoints: number;
  newLots: RestoredLot[];
  forfeitedPoints: number;
  /** How much of each consumption is given back now: for the next return. Same order as the consumptions. */
  perConsumption: number[];
}

interface GiveBackInput {
  consumed: readonly Consumption[];
  points: number;
  /** With the lots of the consumptions, used up or not. */
  lots: readonly Lot[];
  debtPoints: number;
  nowMs: number;
  policy: Pick<ReturnPolicy, "expired">;
  /** The end of a grace that begins now (`endOfDayAfterMs`), and of a full life that begins now (`expiresAtMs`). */
  graceEndsMs: number;
  fullLifeEndsMs: number | null;
}

/**
 * Gives points of a sale back in the reverse order of their consumption (loyalty-model 7.7). A lot that has expired meanwhile becomes
 * a new lot by policy, or is forfeited. What had become debt lowers the debt, and is a new lot once the debt was repaid.
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
    const lot = each.lotNumber === null ? undefined : byNumber.get(each.lotNumber);
    if (each.lotNumber === null) relieveDebt(plan, points, input);
    else if (lot !== undefined && !isExpired(lot, nowMs)) plan.allocations.push({ lotNumber: lot.number, points });
    else restoreExpired(plan, points, lot, input);
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
