import type { ReceiptLine, SettlementSign } from "./document.ts";
import { isMeasured } from "./units.ts";

/** Tag 2003, what becomes of the goods under a mark: a piece is sold, measured goods are, a piece comes back, measured goods do. */
type PlannedStatus = 1 | 2 | 3 | 4;

/** The planned status of a marked line (fiscal-receipts 4.7): that of measured goods leaves the mark in circulation. */
export function plannedStatus(line: Pick<ReceiptLine, "mark" | "unit">, sign: SettlementSign): PlannedStatus {
  const sold = sign === 1;
  if (isMeasured(line)) return sold ? 2 : 4;
  return sold ? 1 : 3;
}
