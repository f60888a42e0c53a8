import type { Insertable } from "kysely";
import type { LoyaltyQuotesTable } from "../../store/loyalty-tables.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";

export type QuoteRow = Insertable<LoyaltyQuotesTable>;

export async function insertQuotes(tx: Tx, rows: readonly QuoteRow[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto("loyalty_quotes").values(rows).execute();
}

/** The newest quote of a member for these inputs since a moment. */
export function quoteFor(
  db: Db,
  { memberId, inputsHash, sinceMs }: { memberId: string; inputsHash: string; sinceMs: number },
): Promise<{ programme_version: number; earned: number; needs_code: number; trace: string } | undefined> {
  return db
    .selectFrom("loyalty_quotes")
    .select(["programme_version", "earned", "needs_code", "trace"])
    .where("member_id", "=", memberId)
    .where("made_at_ms", ">=", sinceMs)
    .where("inputs_hash", "=", inputsHash)
    .orderBy("made_at_ms", "desc")
    .limit(1)
    .executeTakeFirst();
}

export async function deleteQuotesBefore(tx: Tx, beforeMs: number): Promise<void> {
  await tx.deleteFrom("loyalty_quotes").where("made_at_ms", "<", beforeMs).execute();
}
