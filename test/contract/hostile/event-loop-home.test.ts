import { sql } from "kysely";
import { expect, it } from "vitest";
import { pointsWithoutSale, receiptsWithoutPayment } from "../../../src/app/pages/unmatched.ts";
import { FILLED_UNTIL_MS, fillJournal } from "../../bench/page-fill.ts";
import { fillTable } from "../../support/hostile/fill-table.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const BOUND_MS = 50;
const TIME_LIMIT_MS = 240_000;
const HOUR_MS = 3_600_000;
const ENTRIES = 5_000;
/** The payments of the account. When each QR sale looked through them for its point of sale, the page stopped the server for seconds. */
const PAYMENTS = 30_000;
const SHOWN = 20;

it(
  `the longest stop of the event loop stays below ${BOUND_MS} ms while the console looks for QR sales without a payment and for points without a sale`,
  async () => {
    const store = await openMemoryStore();
    await fillJournal(store, ENTRIES);
    await sql`pragma foreign_keys = off`.execute(store.db);
    const [newest] = await store.db.selectFrom("entries").selectAll().orderBy("id", "desc").limit(1).execute();
    if (newest === undefined) throw new Error("the journal is empty");
    const [app_id, account_id] = [`'${newest.app_id}'`, `'${newest.account_id}'`];
    const place = sql`case when id % 500 = 0 then 'with payments' when id % 500 = 1 then 'of another account' else 'without payments' end`;
    await sql`update entries set operation = 'sale', qr_kopecks = 100, accepted_at_ms = ${FILLED_UNTIL_MS - HOUR_MS} + id, store_id = ${place}`.execute(
      store.db,
    );
    await store.db.deleteFrom("payments").execute();
    await fillTable(store, "payments", PAYMENTS, {
      id: "'payment-' || n.value",
      operation_id: "printf('%08d', n.value)",
      app_id,
      account_id: `case when n.value = 2 then 'another account' else ${account_id} end`,
      store_id: "case n.value when 1 then 'with payments' when 2 then 'of another account' else 'somewhere else' end",
      sale_entry_id: `${ENTRIES} + n.value`,
    });
    const received_at_ms = `${FILLED_UNTIL_MS - HOUR_MS} + n.value`;
    await fillTable(store, "loyalty_orders", ENTRIES, {
      id: "n.value",
      app_id,
      account_id,
      document_key: "'unsold-' || n.value",
      type: "'sale'",
      state: "'booked'",
      received_at_ms,
      anomalies: "null",
    });
    const needs = { store, clock: new VirtualClock(FILLED_UNTIL_MS) };
    const short = async <T>(work: () => Promise<T>) => {
      const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, work);
      expect(cpuMs).toBeLessThan(allowedMs);
      return result;
    };
    const receipts = await short(() => receiptsWithoutPayment(needs, SHOWN));
    expect(receipts.map(({ id, storeId }) => [id, storeId])).toEqual([5_000, 4_500, 4_000, 3_500].map((id) => [id, "with payments"]));
    expect((await receiptsWithoutPayment(needs, 1)).map(({ id }) => id)).toEqual([5_000]);
    expect(await short(() => pointsWithoutSale(needs, SHOWN))).toHaveLength(SHOWN);
    await store.close();
  },
  TIME_LIMIT_MS,
);
