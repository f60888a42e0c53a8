import { createHash } from "node:crypto";
import type { LoyaltyGiftEntriesTable } from "../../store/loyalty-tables.ts";

/** Returns SHA-256 (hex) over the hash of the previous entry and all other values of this entry. */
export function hashOfGiftEntry(previousHash: string, row: Omit<LoyaltyGiftEntriesTable, "hash">): string {
  const said = JSON.stringify([row.card_id, row.number, row.kind, row.kopecks, row.order_id, row.at_ms]);
  return createHash("sha256").update(previousHash).update("\n").update(said).digest("hex");
}
