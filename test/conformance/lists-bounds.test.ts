import type { Kysely } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { searchedRows } from "../../src/journal/finding/found-entries.ts";
import { Journal } from "../../src/journal/journal.ts";
import { listedPayments } from "../../src/payments/finding/found-payments.ts";
import { insertPayment, paymentById } from "../../src/payments/payment-queries.ts";
import type { Store } from "../../src/store/database.ts";
import type { Tables } from "../../src/store/tables.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { entryContent, entryKey } from "../support/journal-entries.ts";
import { PaymentBench } from "../support/payment-bench.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** More rows than the first step looks at. Three rows have each moment. */
const ROWS = 300;
const PAGE = 40;
const RARE = "rare store";
const PERIODS = [{}, { fromMs: 20 }, { toMs: 80 }, { fromMs: 20, toMs: 80 }, { fromMs: 200 }];

for (const kind of TRIED_DATABASES) {
  describeDatabase("lists with a period", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      await fillEntries();
      await fillPayments();
    });
    afterAll(() => database.drop());

    async function fillEntries(): Promise<void> {
      const journal = new Journal({ store, clock: new VirtualClock(0) });
      await journal.accept(entryContent({ key: entryKey({ documentId: "first" }) }));
      const { id: _, ...row } = await store.read((db) => db.selectFrom("entries").selectAll().executeTakeFirstOrThrow());
      const copies = Array.from({ length: ROWS }, (_, at) => ({
        ...row,
        document_id: `copy-${at}`,
        accepted_at_ms: at % (ROWS / 3),
        store_id: at % 7 === 0 ? RARE : "store",
      }));
      await store.commit((tx) => tx.insertInto("entries").values(copies).execute());
    }

    async function fillPayments(): Promise<void> {
      const bench = await PaymentBench.open({ store });
      await bench.create();
      const row = await store.read(async (db) => paymentById(db, (await bench.stored()).payment.id));
      if (row === undefined) throw new Error("the payment is gone");
      await store.commit(async (tx) => {
        for (let at = 0; at < ROWS; at += 1) {
          const id = `copy-${String((at * 31) % ROWS).padStart(4, "0")}`;
          await insertPayment(tx, {
            ...row,
            id,
            operation_id: id,
            created_at_ms: at % (ROWS / 3),
            store_id: at % 7 === 0 ? RARE : "store",
          });
        }
      });
      await bench.clients.close();
    }

    it.each(PERIODS)(`find the same entries in pages, with one bound at each end: %o (${kind.title})`, async (period) => {
      const all = await store.read((db) =>
        db
          .selectFrom("entries")
          .select(["id", "accepted_at_ms", "store_id"])
          .orderBy("accepted_at_ms", "desc")
          .orderBy("id", "desc")
          .execute(),
      );
      const { reads, statements } = recorded(store);
      for (const storeId of [undefined, RARE]) {
        const expected = all.filter((one) => isIn(period, one.accepted_at_ms) && (storeId ?? one.store_id) === one.store_id);
        const found: number[] = [];
        for (let before: { acceptedAtMs: number; id: number } | undefined; ; ) {
          const wanted = { ...period, ...(storeId && { storeId }), ...(before && { before }), limit: PAGE };
          const page = await searchedRows(reads, wanted);
          found.push(...page.map(({ id }) => id));
          const last = all.find(({ id }) => id === page.at(-1)?.id);
          if (last === undefined || page.length < PAGE) break;
          before = { acceptedAtMs: last.accepted_at_ms, id: last.id };
        }
        expect(found).toEqual(expected.map(({ id }) => id));
      }
      expectOneBound(statements, "accepted_at_ms");
    });

    it.each(PERIODS)(`find the same payments in pages, with one bound at each end: %o (${kind.title})`, async (period) => {
      const all = await store.read((db) => db.selectFrom("payments").selectAll().orderBy("created_at_ms", "desc").orderBy("id").execute());
      const { reads, statements } = recorded(store);
      for (const storeId of [undefined, RARE]) {
        const expected = all.filter((one) => isIn(period, one.created_at_ms) && (storeId ?? one.store_id) === one.store_id);
        const found: string[] = [];
        for (let after: { createdAtMs: number; id: string } | undefined; ; ) {
          const page = await listedPayments(reads, { ...period, ...(storeId && { storeId }), ...(after && { after }), limit: PAGE });
          found.push(...page.map(({ id }) => id));
          const last = page.at(-1);
          if (last === undefined || page.length < PAGE) break;
          after = { createdAtMs: last.created_at_ms, id: last.id };
        }
        expect(found).toEqual(expected.map(({ id }) => id));
      }
      expectOneBound(statements, "created_at_ms");
    });
  });
}

function isIn({ fromMs = 0, toMs = Number.POSITIVE_INFINITY }: { fromMs?: number; toMs?: number }, atMs: number): boolean {
  return atMs >= fromMs && atMs < toMs;
}

/** The store's readings, and the texts of all statements that they make. */
function recorded(store: Store): { reads: Pick<Store, "read">; statements: string[] } {
  const statements: string[] = [];
  const recording = (db: Kysely<Tables>): Kysely<Tables> =>
    db.withPlugin({
      transformQuery({ node, queryId }) {
        statements.push(db.getExecutor().compileQuery(node, queryId).sql);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
  return { reads: { read: (work) => store.read((db) => work(recording(db))) }, statements };
}

/** Expects at most one lower and one upper bound of the column in each statement. A choice between two conditions is no bound. */
function expectOneBound(statements: readonly string[], column: string): void {
  expect(statements.length).toBeGreaterThan(0);
  const doubled = statements.filter((text) => {
    const conditions = text.replaceAll(/\([^()]* or [^()]*\)/g, "");
    const bounds = (sign: string) => conditions.match(new RegExp(`${column}"?(, id\\))? ${sign}`, "g"))?.length ?? 0;
    return bounds("<") > 1 || bounds(">") > 1;
  });
  expect(doubled).toEqual([]);
}
