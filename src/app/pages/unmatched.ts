import type { Entry } from "../../journal/entry.ts";
import { entryOf } from "../../journal/rows.ts";
import { salesWithoutPayment, unregisteredSales } from "../../journal/unmatched-queries.ts";
import type { Clock } from "../../kernel/clock.ts";
import { newestSales } from "../../loyalty/orders/unsold-queries.ts";
import type { Store } from "../../store/database.ts";
import type { UnsoldPoints } from "../../web/console/services.ts";

/** As long as a payment waits for its sale before it is told (qr-acquirers 7.3): a till sends its documents when it is online again. */
const SETTLED_AFTER_MS = 30 * 60_000;
/** What is older was looked at, or nobody will. */
const LOOKED_FOR_MS = 3 * 24 * 3_600_000;
/** Sales of programmes that are looked at, the newest of them. */
const MOST_LOOKED_AT = 2_000;

interface Needs {
  store: Pick<Store, "read">;
  clock: Pick<Clock, "nowMs">;
}

/** Sales that have moved points and were never registered, the newest first. */
export async function pointsWithoutSale({ store, clock }: Needs, limit: number): Promise<UnsoldPoints[]> {
  const nowMs = clock.nowMs();
  const found = await store.read(async (db) => {
    const orders = await newestSales(db, { beforeMs: nowMs - SETTLED_AFTER_MS, limit: MOST_LOOKED_AT });
    const recent = orders.filter(({ received_at_ms, spent, earned }) => received_at_ms >= nowMs - LOOKED_FOR_MS && spent + earned > 0);
    const sales = recent.map((row) => ({ appId: row.app_id, accountId: row.account_id, documentId: row.document_key, row }));
    return unregisteredSales(db, sales);
  });
  return found.slice(0, limit).map(({ accountId, documentId, row }) => ({
    accountId,
    storeId: row.store_id,
    documentId,
    atMs: row.received_at_ms,
    spent: row.spent,
    earned: row.earned,
    ...(row.member_id === null ? {} : { memberId: row.member_id }),
  }));
}

/** Receipts that say they were paid by QR, while no payment here belongs to them, the newest first. */
export async function receiptsWithoutPayment({ store, clock }: Needs, limit: number): Promise<Entry[]> {
  const nowMs = clock.nowMs();
  const wanted = { fromMs: nowMs - LOOKED_FOR_MS, beforeMs: nowMs - SETTLED_AFTER_MS, limit };
  return (await store.read((db) => salesWithoutPayment(db, wanted))).map(entryOf);
}
