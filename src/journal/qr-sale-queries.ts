import type { Kysely } from "kysely";
import type { Tables } from "../store/tables.ts";

/** The sale that a QR payment has paid, as far as the payment knows it. */
export interface WantedSale {
  appId: string;
  accountId: string;
  storeId: string;
  qrKopecks: number;
  /** The sale came after this entry. */
  afterEntryId: number;
}

/**
 * Returns the ids of done sales with this QR sum after both given entries, the oldest first. Served by the index
 * `entries_qr`.
 */
export async function doneQrSales(db: Kysely<Tables>, wanted: WantedSale, page: { afterId: number; limit: number }): Promise<number[]> {
  const rows = await db
    .selectFrom("entries")
    .select("id")
    .where("account_id", "=", wanted.accountId)
    .where("store_id", "=", wanted.storeId)
    .where("qr_kopecks", "=", wanted.qrKopecks)
    .where("id", ">", Math.max(page.afterId, wanted.afterEntryId))
    .where("app_id", "=", wanted.appId)
    .where("operation", "=", "sale")
    .where("state", "=", "done")
    .orderBy("id")
    .limit(page.limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the id of the journal's newest entry; undefined when there is none. */
export async function newestEntryId(db: Kysely<Tables>): Promise<number | undefined> {
  const row = await db.selectFrom("entries").select("id").orderBy("id", "desc").limit(1).executeTakeFirst();
  return row?.id;
}
