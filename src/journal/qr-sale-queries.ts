import type { Kysely } from "kysely";
import type { Tables } from "../store/tables.ts";

/** The data that a QR payment has about its sale. */
export interface WantedSale {
  appId: string;
  accountId: string;
  storeId: string;
  qrKopecks: number;
  /** The sale's entry is newer than this entry, unless the sale was refused first and made by a repeat. */
  afterEntryId: number;
  /** Only for a sale made by a repeat: the sale was made at this moment or later. */
  afterMs: number;
}

interface QrSale {
  id: number;
  movedAtMs: number;
}

/**
 * The largest number of earlier entries with the same sum that are searched for a sale that was refused and then repeated. A point of sale
 * has fewer sales of one sum in a day.
 */
const MOST_EARLIER = 200;

/**
 * Returns done sales with this QR sum whose entries are newer than `afterEntryId` and `afterId`, the oldest first. Served by the index
 * `entries_qr`.
 */
export async function doneQrSales(
  db: Kysely<Tables>,
  wanted: WantedSale,
  page: { afterId: number; limit: number },
): Promise<readonly QrSale[]> {
  return await ofSum(db, wanted)
    .where("id", ">", Math.max(page.afterId, wanted.afterEntryId))
    .where("app_id", "=", wanted.appId)
    .where("operation", "=", "sale")
    .where("state", "=", "done")
    .select(["id", "moved_at_ms as movedAtMs"])
    .orderBy("id")
    .limit(page.limit)
    .execute();
}

/**
 * Returns done sales with this QR sum that a repeat made at `afterMs` or later, and whose entries are not newer than `afterEntryId`. The
 * sale that was made first comes first. A repeat keeps the entry of the refused sale, so the entry's id does not show when the sale was
 * made. Served by the index `entries_qr`.
 */
export async function repeatedQrSales(db: Kysely<Tables>, wanted: WantedSale): Promise<readonly QrSale[]> {
  const earlier = ofSum(db, wanted)
    .where("id", "<=", wanted.afterEntryId)
    .select(["id", "app_id", "operation", "state", "attempt", "moved_at_ms"])
    .orderBy("id", "desc")
    .limit(MOST_EARLIER);
  return await db
    .selectFrom(earlier.as("earlier"))
    .select(["id", "moved_at_ms as movedAtMs"])
    .where("app_id", "=", wanted.appId)
    .where("operation", "=", "sale")
    .where("state", "=", "done")
    .where("attempt", ">", 1)
    .where("moved_at_ms", ">=", wanted.afterMs)
    .orderBy("moved_at_ms")
    .orderBy("id")
    .execute();
}

function ofSum(db: Kysely<Tables>, { accountId, storeId, qrKopecks }: WantedSale) {
  return db.selectFrom("entries").where("account_id", "=", accountId).where("store_id", "=", storeId).where("qr_kopecks", "=", qrKopecks);
}

/** Returns the id of the journal's newest entry. Undefined for an empty journal. */
export async function newestEntryId(db: Kysely<Tables>): Promise<number | undefined> {
  const row = await db.selectFrom("entries").select("id").orderBy("id", "desc").limit(1).executeTakeFirst();
  return row?.id;
}
