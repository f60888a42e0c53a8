import { type Kysely, sql } from "kysely";
import { type Placeholders, statement } from "../store/statement.ts";
import type { Tables } from "../store/tables.ts";
import { SIZE_COLUMNS } from "./reading/step-queries.ts";
import type { SizedRow } from "./reading/steps.ts";

interface OfSale {
  appId: string;
  accountId: string;
  saleId: string;
}

/**
 * Returns the returns of one sale in any state, newest first, but waiting and refused returns come last. A till may have many refused
 * returns, and these must not push a registered return out of the limit. Served by the index `entries_original`.
 */
export async function returnsOf(db: Kysely<Tables>, sale: OfSale, limit: number): Promise<SizedRow[]> {
  const { rows } = await returnsSelect(db, { ...sale, limit });
  return rows;
}

const returnsSelect = statement((db, { appId, accountId, saleId, limit }: Placeholders<OfSale & { limit: number }>) =>
  db
    .selectFrom("entries")
    .select(SIZE_COLUMNS)
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("original_id", "=", saleId)
    .orderBy(sql`case when state in ('refused', 'queued') then 1 else 0 end`)
    .orderBy("id", "desc")
    .limit(limit),
);
