/** A fact about a booking that a person may want to check. */
export type BookingAnomaly =
  /** The stated number of points is negative or not whole. None of the points are booked. */
  | { kind: "spend-impossible" | "earn-impossible" }
  /** The stated points are worth more than the part of the price that was not paid in money. Only that part is booked. */
  | { kind: "spend-above-receipt"; statedPoints: number; bookedPoints: number }
  /** The account holds fewer points than were spent at the till. The missing points become debt. */
  | { kind: "short-balance"; shortPoints: number }
  /** The till stated more points than the programme gives. The programme's number is booked. */
  | { kind: "earn-above-programme"; statedPoints: number; bookedPoints: number }
  /** Points were spent that required a code, and no code was requested. */
  | { kind: "unverified-spend" };

export interface BookingInput {
  /** As the sale states them; 0 where it states none. */
  stated: { spendPoints: number; earnPoints: number };
  /** Of the account now: active points less debt, never below 0. */
  availablePoints: number;
  /** The price of the goods after discounts, less the money paid. Points cannot have paid more than this. */
  paidByPointsKopecks: number;
  pointValueKopecks: number;
  /** The points that the programme gives for this sale, computed again. */
  recomputedEarnPoints: number;
  /** The quote for the same inputs, if one was kept. */
  quoted?: { earnPoints: number };
  /** Whether spending these points needs a code: as it was quoted, or else by the programme. */
  needsCode: boolean;
  wasCodeRequested: boolean;
}

/** `spendPoints` includes the part that becomes debt. */
interface BookingDecision {
  spendPoints: number;
  debtPoints: number;
  earnPoints: number;
  anomalies: BookingAnomaly[];
}

/**
 * Decides which points a sale moves (loyalty-model 6). The receipt is already printed, so a shortage becomes debt and never refuses the
 * sale.
 */
export function decideBooking(input: BookingInput): BookingDecision {
  const anomalies: BookingAnomaly[] = [];
  const spendPoints = bookedSpend(input, anomalies);
  const debtPoints = Math.max(0, spendPoints - input.availablePoints);
  if (debtPoints > 0) anomalies.push({ kind: "short-balance", shortPoints: debtPoints });
  if (spendPoints > 0 && input.needsCode && !input.wasCodeRequested) anomalies.push({ kind: "unverified-spend" });
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

function bookedEarn({ stated, quoted, recomputedEarnPoints }: BookingInput, anomalies: BookingAnomaly[]): number {
  const { earnPoints } = stated;
  if (!isPoints(earnPoints)) {
    anomalies.push({ kind: "earn-impossible" });
    return 0;
  }
  // No tolerance for rounding: a till could state a point more on each of any number of small receipts.
  if (earnPoints === quoted?.earnPoints || earnPoints <= recomputedEarnPoints) return earnPoints;
  anomalies.push({ kind: "earn-above-programme", statedPoints: earnPoints, bookedPoints: recomputedEarnPoints });
  return recomputedEarnPoints;
}

function isPoints(points: number): boolean {
  return Number.isSafeInteger(points) && points >= 0;
}
