import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/tables.ts";
import type { SizedRow } from "./reading/steps.ts";

type Db = Kysely<Tables>;

interface NamedSale {
  appId: string;
  accountId: string;
  documentId: string;
}

/** Returns the given sales that the journal lacks, or has as refused. Sales of installations that never sent a sale are left out. */
export async function unregisteredSales<Sale extends NamedSale>(db: Db, sales: readonly Sale[]): Promise<Sale[]> {
  if (sales.length === 0) return [];
  const rows = await db
    .selectFrom("entries")
    .select(["app_id", "account_id", "document_id"])
    .where(
      "document_id",
      "in",
      sales.map(({ documentId }) => documentId),
    )
    .where("operation", "=", "sale")
    .where("state", "<>", "refused")
    .execute();
  const known = new Set(rows.map((row) => keyOf({ appId: row.app_id, accountId: row.account_id, documentId: row.document_id })));
  const missing = sales.filter((sale) => !known.has(keyOf(sale)));
  const registering = new Map<string, boolean>();
  for (const { appId, accountId } of missing) {
    const installation = `${appId} ${accountId}`;
    if (!registering.has(installation)) registering.set(installation, await registersSales(db, appId, accountId));
  }
  return missing.filter(({ appId, accountId }) => registering.get(`${appId} ${accountId}`) === true);
}

function keyOf({ appId, accountId, documentId }: NamedSale): string {
  return `${appId} ${accountId} ${documentId}`;
}

async function registersSales(db: Db, appId: string, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom("entries")
    .select("id")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("operation", "=", "sale")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The largest number of QR sales that are examined, the newest first. */
const MOST_LOOKED_AT = 2_000;

/** A done QR sale that no payment of this server names. */
interface UnpaidSale extends SizedRow {
  appId: string;
  accountId: string;
  storeId: string;
}

/**
 * Returns done QR sales that no payment of this server names, the newest first, also of points of sale that take QR payments without this
 * server. Served by the index `entries_qr_newest`.
 */
export async function salesWithoutPayment(db: Db, { fromMs, beforeMs }: { fromMs: number; beforeMs: number }): Promise<UnpaidSale[]> {
  const newest = db
    .selectFrom("entries")
    .select("id")
    .where("qr_kopecks", "is not", null)
    .where("accepted_at_ms", ">=", fromMs)
    .where("accepted_at_ms", "<", beforeMs)
    .where("state", "=", "done")
    .orderBy("accepted_at_ms", "desc")
    .orderBy("id", "desc")
    .limit(MOST_LOOKED_AT);
  const rows = await db
    .selectFrom("entries as e")
    .innerJoin(newest.as("n"), "n.id", "e.id")
    .select(["e.id", "e.app_id", "e.account_id", "e.store_id"])
    .select(sql<number>`octet_length(e.content) + octet_length(e.document)`.as("bytes"))
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom("payments as p").select("p.id").whereRef("p.sale_entry_id", "=", "e.id"))),
    )
    .orderBy("e.accepted_at_ms", "desc")
    .orderBy("e.id", "desc")
    .execute();
  return rows.map(({ id, bytes, app_id, account_id, store_id }) => ({
    id,
    bytes,
    appId: app_id,
    accountId: account_id,
    storeId: store_id,
  }));
}
