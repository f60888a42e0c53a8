import type { Kysely } from "kysely";
import { type Placeholders, statement } from "../store/statement.ts";
import type { EntryRow, Tables } from "../store/tables.ts";

interface OfSale {
  appId: string;
  accountId: string;
  saleId: string;
}

/** Returns the returns of one sale in any state, newest first. Served by the index `entries_original`. */
export async function returnsOf(db: Kysely<Tables>, sale: OfSale, limit: number): Promise<EntryRow[]> {
  const { rows } = await returnsSelect(db, { ...sale, limit });
  return rows;
}

const returnsSelect = statement((db, { appId, accountId, saleId, limit }: Placeholders<OfSale & { limit: number }>) =>
  db
    .selectFrom("entries")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("original_id", "=", saleId)
    .orderBy("id", "desc")
    .limit(limit),
);
