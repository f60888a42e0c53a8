import type { ReceiptLine, SettlementSign } from "./document.ts";
import { isMeasured } from "./units.ts";

/** Tag 2003, the planned status of marked goods: 1 a piece sold, 2 measured goods sold, 3 a piece returned, 4 measured goods returned. */
type PlannedStatus = 1 | 2 | 3 | 4;

/** Returns the planned status of a marked line (fiscal-receipts 4.7). The status of measured goods keeps the mark in circulation. */
export function plannedStatus(line: Pick<ReceiptLine, "mark" | "unit">, sign: SettlementSign): PlannedStatus {
  const sold = sign === 1;
  if (isMeasured(line)) return sold ? 2 : 4;
  return sold ? 1 : 3;
}
