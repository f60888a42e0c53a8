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

/**
 * Returns done QR sales without a payment of this server, the newest first. Points of sale without any QR payment on this server are left
 * out. Served by the index `entries_qr_newest`.
 */
export function salesWithoutPayment(
  db: Db,
  { fromMs, beforeMs, limit }: { fromMs: number; beforeMs: number; limit: number },
): Promise<SizedRow[]> {
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
  return db
    .selectFrom("entries as e")
    .innerJoin(newest.as("n"), "n.id", "e.id")
    .select(["e.id", sql<number>`octet_length(e.content) + octet_length(e.document)`.as("bytes")])
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom("payments as p").select("p.id").whereRef("p.sale_entry_id", "=", "e.id"))),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("payments as o")
          .select("o.id")
          .whereRef("o.account_id", "=", "e.account_id")
          .whereRef("o.app_id", "=", "e.app_id")
          .whereRef("o.store_id", "=", "e.store_id"),
      ),
    )
    .orderBy("e.accepted_at_ms", "desc")
    .orderBy("e.id", "desc")
    .limit(limit)
    .execute();
}
