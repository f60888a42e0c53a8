import { listedHeadsOf } from "../../journal/entry-heads.ts";
import type { EntryHead } from "../../journal/reading/head.ts";
import type { Listed } from "../../journal/reading/unreadable.ts";
import { salesWithoutPayment, unregisteredSales } from "../../journal/unmatched-queries.ts";
import type { Clock } from "../../kernel/clock.ts";
import { newestSales } from "../../loyalty/orders/unsold-queries.ts";
import { pointOf, pointsWithPayment } from "../../payments/finding/paying-points.ts";
import { type ListedPayment, listedPaymentOf } from "../../payments/listed-payment.ts";
import { unsoldPayments } from "../../payments/sale-queries.ts";
import type { Store } from "../../store/database.ts";
import type { UnsoldPoints } from "../../web/console/services.ts";

/**
 * How old a sale or payment must be before its missing counterpart is reported. A till that was offline sends its sales late. Payments
 * without a sale are reported after the same time (qr-acquirers 7.3).
 */
const SETTLED_AFTER_MS = 30 * 60_000;
/** Older sales are left out: a person has looked at them by now, or never will. */
const LOOKED_FOR_MS = 3 * 24 * 3_600_000;
/** How many of the newest sales with a loyalty programme are checked. */
const MOST_LOOKED_AT = 2_000;

interface Needs {
  store: Pick<Store, "read">;
  clock: Pick<Clock, "nowMs">;
}

/**
 * Sales within the time limits above that moved points and that the journal lacks or has as refused, newest first. Installations that never
 * sent a sale are left out.
 */
export async function pointsWithoutSale({ store, clock }: Needs, limit: number): Promise<UnsoldPoints[]> {
  const nowMs = clock.nowMs();
  const found = await store.read(async (db) => {
    const orders = await newestSales(db, { beforeMs: nowMs - SETTLED_AFTER_MS, limit: MOST_LOOKED_AT });
    const recent = orders.filter(({ received_at_ms, spent, earned }) => received_at_ms >= nowMs - LOOKED_FOR_MS && spent + earned > 0);
    const sales = recent.map((row) => ({ appId: row.app_id, accountId: row.account_id, documentId: row.document_key, row }));
    return unregisteredSales(db, sales);
  });
  return found.slice(0, limit).map(({ appId, accountId, documentId, row }) => ({
    appId,
    accountId,
    storeId: row.store_id,
    documentId,
    atMs: row.received_at_ms,
    spent: row.spent,
    earned: row.earned,
    ...(row.member_id === null ? {} : { memberId: row.member_id }),
  }));
}

/**
 * Registered sales within the time limits above that have a QR sum but no payment of this server, newest first. Points of sale without any
 * QR payment on this server are left out.
 */
export async function receiptsWithoutPayment({ store, clock }: Needs, limit: number): Promise<Listed<EntryHead>[]> {
  const nowMs = clock.nowMs();
  const wanted = { fromMs: nowMs - LOOKED_FOR_MS, beforeMs: nowMs - SETTLED_AFTER_MS };
  const sales = await store.read((db) => salesWithoutPayment(db, wanted));
  const paying = await pointsWithPayment(store, sales);
  return listedHeadsOf(store, sales.filter((sale) => paying.has(pointOf(sale))).slice(0, limit));
}

/**
 * Payments without a known sale that were paid at least `SETTLED_AFTER_MS` ago, the earliest payment first. Payments whose money was
 * returned in full are left out.
 */
export async function paidWithoutSale({ store, clock }: Needs, limit: number): Promise<ListedPayment[]> {
  const beforeMs = clock.nowMs() - SETTLED_AFTER_MS;
  const rows = await store.read((db) => unsoldPayments(db, limit, { paidAtMs: 0, id: "" }));
  return rows.filter(({ paid_at_ms }) => (paid_at_ms ?? 0) <= beforeMs).map(listedPaymentOf);
}
