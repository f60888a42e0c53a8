import { createHash } from "node:crypto";
import type { LoyaltyGiftEntriesTable } from "../../store/loyalty-tables.ts";

/** Returns the hash of an entry of a gift card: SHA-256 (hex) over the hash of the entry before it and all members of the entry. */
export function hashOfGiftEntry(previousHash: string, row: Omit<LoyaltyGiftEntriesTable, "hash">): string {
  const said = JSON.stringify([row.card_id, row.number, row.kind, row.kopecks, row.order_id, row.at_ms]);
  return createHash("sha256").update(previousHash).update("\n").update(said).digest("hex");
}
