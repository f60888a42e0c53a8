/** Something that was booked, and that a person may want to look at. */
export type BookingAnomaly =
  /** What the sale states is no whole number of points, or negative; none of it is booked. */
  | { kind: "spend-impossible" | "earn-impossible" }
  /** The stated points are worth more than the goods cost less what was paid. The rest is not booked. */
  | { kind: "spend-above-receipt"; statedPoints: number; bookedPoints: number }
  /** The account held less than was spent at the till. The rest is debt. */
  | { kind: "short-balance"; shortPoints: number }
  /** More was stated than the programme gives: what it gives is booked. */
  | { kind: "earn-above-programme"; statedPoints: number; bookedPoints: number }
  /** Points were spent that needed a code, and no code was asked for. */
  | { kind: "unverified-spend" };

export interface BookingInput {
  /** As the sale states them; 0 where it states none. */
  stated: { spendPoints: number; earnPoints: number };
  /** Of the account now: active points less debt, never below 0. */
  availablePoints: number;
  /** What the goods cost with discounts, less what was paid in money: the most that points can have paid. */
  paidByPointsKopecks: number;
  pointValueKopecks: number;
  /** What the programme gives for this sale, counted anew. */
  recomputedEarnPoints: number;
  /** The quote for the same inputs, if one was kept. */
  quoted?: { earnPoints: number; needVerification: boolean };
  wasCodeRequested: boolean;
  /** By how many points the statement may exceed the recount: a till may round differently. */
  tolerancePoints: number;
}

/** `spendPoints` is all that is spent, the part that becomes debt included. */
interface BookingDecision {
  spendPoints: number;
  debtPoints: number;
  earnPoints: number;
  anomalies: BookingAnomaly[];
}

/** What a sale moves (loyalty-model 6). The receipt is printed, so a shortage becomes debt and never refuses the sale. */
export function decideBooking(input: BookingInput): BookingDecision {
  const anomalies: BookingAnomaly[] = [];
  const spendPoints = bookedSpend(input, anomalies);
  const debtPoints = Math.max(0, spendPoints - input.availablePoints);
  if (debtPoints > 0) anomalies.push({ kind: "short-balance", shortPoints: debtPoints });
  if (spendPoints > 0 && input.quoted?.needVerification === true && !input.wasCodeRequested) anomalies.push({ kind: "unverified-spend" });
  return { spendPoints, debtPoints, earnPoints: bookedEarn(input, anomalies), anomalies };
}

function bookedSpend({ stated, paidByPointsKopecks, pointValueKopecks }: BookingInput, anomalies: BookingAnomaly[]): number {
  const { spendPoints } = stated;
  if (!isPoints(spendPoints)) {
    anomalies.push({ kind: "spend-impossible" });
    return 0;
  }
  const most = Math.floor(Math.max(0, paidByPointsKopecks) / pointValueKopecks);
  if (spendPoints <= most) return spendPoints;
  anomalies.push({ kind: "spend-above-receipt", statedPoints: spendPoints, bookedPoints: most });
  return most;
}

function bookedEarn({ stated, quoted, recomputedEarnPoints, tolerancePoints }: BookingInput, anomalies: BookingAnomaly[]): number {
  const { earnPoints } = stated;
  if (!isPoints(earnPoints)) {
    anomalies.push({ kind: "earn-impossible" });
    return 0;
  }
  // Of a sale that earns nothing no rounding is left to a till: a point of each receipt of a kopeck would be one for nothing.
  const most = recomputedEarnPoints === 0 ? 0 : recomputedEarnPoints + tolerancePoints;
  if (earnPoints === quoted?.earnPoints || earnPoints <= most) return earnPoints;
  anomalies.push({ kind: "earn-above-programme", statedPoints: earnPoints, bookedPoints: recomputedEarnPoints });
  return recomputedEarnPoints;
}

function isPoints(points: number): boolean {
  return Number.isSafeInteger(points) && points >= 0;
}
