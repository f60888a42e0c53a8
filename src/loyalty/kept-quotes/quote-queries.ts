import type { Insertable, Selectable } from "kysely";
import type { LoyaltyQuotesTable } from "../../store/loyalty-tables.ts";
import { type Placeholders, rowsStatement, statement } from "../../store/statement.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";

export type QuoteRow = Insertable<LoyaltyQuotesTable>;

export async function insertQuotes(tx: Tx, rows: readonly QuoteRow[]): Promise<void> {
  if (rows.length > 0) await quotesInsert(tx, rows);
}

const quotesInsert = rowsStatement((db, rows: readonly Placeholders<QuoteRow>[]) => db.insertInto("loyalty_quotes").values(rows));

interface Asked {
  memberId: string;
  inputsHash: string;
  sinceMs: number;
}

type KnownQuote = Pick<
  Selectable<LoyaltyQuotesTable>,
  "entry_number" | "programme_version" | "earned" | "needs_code" | "trace" | "made_at_ms"
>;

/** Returns the member's newest quote of these inputs that was made at or after `sinceMs`. */
export async function quoteFor(db: Db, { memberId, inputsHash, sinceMs }: Asked): Promise<KnownQuote | undefined> {
  const { rows } = await quoteSelect(db, { memberId, inputsHash, sinceMs });
  return rows[0];
}

const quoteSelect = statement((db, { memberId, inputsHash, sinceMs }: Placeholders<Asked>) =>
  db
    .selectFrom("loyalty_quotes")
    .select(["entry_number", "programme_version", "earned", "needs_code", "trace", "made_at_ms"])
    .where("member_id", "=", memberId)
    .where("made_at_ms", ">=", sinceMs)
    .where("inputs_hash", "=", inputsHash)
    .orderBy("made_at_ms", "desc")
    .limit(1),
);

/** Returns the points spent by the member's newest stored spending quote from `fromMs` to `toMs`. */
export async function spentInQuote(
  db: Db,
  memberId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<number | undefined> {
  const row = await db
    .selectFrom("loyalty_quotes")
    .select("spent")
    .where("member_id", "=", memberId)
    .where("made_at_ms", ">=", fromMs)
    .where("made_at_ms", "<=", toMs)
    .where("spent", ">", 0)
    .orderBy("made_at_ms", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.spent;
}

/**
 * Deletes the member's quotes with a future time. A process with a fast clock made them. A purchase without ledger entries ends earlier
 * quotes only by their time, so a future quote would survive the purchase.
 */
export async function deleteQuotesAfter(tx: Tx, memberId: string, nowMs: number): Promise<void> {
  await tx.deleteFrom("loyalty_quotes").where("member_id", "=", memberId).where("made_at_ms", ">", nowMs).execute();
}

/** Deletes at most `limit` quotes from before the moment, and returns their number. */
export async function deleteQuotesBefore(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const deleted = await tx
    .deleteFrom("loyalty_quotes")
    .where("id", "in", (from) =>
      from.selectFrom("loyalty_quotes").select("id").where("made_at_ms", "<", beforeMs).orderBy("made_at_ms").limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(deleted.numDeletedRows);
}
