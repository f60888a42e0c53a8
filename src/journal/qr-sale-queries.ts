import type { Kysely } from "kysely";
import type { Tables } from "../store/tables.ts";

/** The sale that a QR payment has paid, as far as the payment knows it. */
export interface WantedSale {
  appId: string;
  accountId: string;
  storeId: string;
  qrKopecks: number;
  /** The sale came at this moment at the earliest. */
  notBeforeMs: number;
}

/** Entries of done sales with this QR sum, the oldest first, beyond a given one. Served by the index `entries_qr`. */
export async function doneQrSales(db: Kysely<Tables>, wanted: WantedSale, page: { afterId: number; limit: number }): Promise<number[]> {
  const rows = await db
    .selectFrom("entries")
    .select("id")
    .where("account_id", "=", wanted.accountId)
    .where("store_id", "=", wanted.storeId)
    .where("qr_kopecks", "=", wanted.qrKopecks)
    .where("id", ">", page.afterId)
    .where("app_id", "=", wanted.appId)
    .where("operation", "=", "sale")
    .where("state", "=", "done")
    .where("accepted_at_ms", ">=", wanted.notBeforeMs)
    .orderBy("id")
    .limit(page.limit)
    .execute();
  return rows.map(({ id }) => id);
}
