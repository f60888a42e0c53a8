/** A fact about a booking that a person may want to check. */
export type BookingAnomaly =
  /** The stated points are negative, not whole or too large to be exact. None of these points are booked. */
  | { kind: "spend-impossible" | "earn-impossible" }
  /** The stated points are worth more than the part of the price that was not paid in money. Only points for that part are booked. */
  | { kind: "spend-above-receipt"; statedPoints: number; bookedPoints: number }
  /**
   * The account has fewer points than the till spent. The missing points become debt, or are forgotten where the programme remembers no
   * debts.
   */
  | { kind: "short-balance"; shortPoints: number }
  /** The till stated more points than the programme gives, and not the number in the quote. The programme's number is booked. */
  | { kind: "earn-above-programme"; statedPoints: number; bookedPoints: number }
  /** Spending these points required a code, and no code was requested. */
  | { kind: "unverified-spend" };

export interface BookingInput {
  /** As the sale states them; 0 when absent. */
  stated: { spendPoints: number; earnPoints: number };
  availablePoints: number;
  /** The largest sum that points can have paid. */
  paidByPointsKopecks: number;
  pointValueKopecks: number;
  recomputedEarnPoints: number;
  quoted?: { earnPoints: number };
  earnWhileSpending: boolean;
  /** Whether spending these points needs a code: by the quote, otherwise by the programme. */
  needsCode: boolean;
  wasCodeRequested: boolean;
}

/** `debtPoints`: the part of `spendPoints` that no lot has. If the programme forgets debts, the caller forgets this part. */
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
  return { spendPoints, debtPoints, earnPoints: bookedEarn(earningInput(input, spendPoints), anomalies), anomalies };
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

/**
 * When `earnWhileSpending` is false, a sale that really spends points earns nothing. A till may spend points that no quote offers, for
 * example for goods that points cannot pay for. The recount of such a sale spends nothing, so by the recount alone the sale would earn.
 */
function earningInput(input: BookingInput, spendPoints: number): BookingInput {
  if (spendPoints === 0 || input.earnWhileSpending) return input;
  const { quoted: _, ...rest } = input;
  return { ...rest, recomputedEarnPoints: 0 };
}

function bookedEarn({ stated, quoted, recomputedEarnPoints }: BookingInput, anomalies: BookingAnomaly[]): number {
  const { earnPoints } = stated;
  if (!isPoints(earnPoints)) {
    anomalies.push({ kind: "earn-impossible" });
    return 0;
  }
  // There is no tolerance for rounding. With a tolerance, a till could state one extra point on each of many small receipts.
  if (earnPoints === quoted?.earnPoints || earnPoints <= recomputedEarnPoints) return earnPoints;
  anomalies.push({ kind: "earn-above-programme", statedPoints: earnPoints, bookedPoints: recomputedEarnPoints });
  return recomputedEarnPoints;
}

function isPoints(points: number): boolean {
  return Number.isSafeInteger(points) && points >= 0;
}
