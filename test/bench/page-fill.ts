import { sql } from "kysely";
import { Journal } from "../../src/journal/journal.ts";
import type { Store } from "../../src/store/database.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** The number of entries that one statement inserts. */
const AT_ONCE = 20_000;
/** The number of sales on a busy till's day. A number of the till occurs once a day. */
const PER_DAY = 500;
const DAY_MS = 86_400_000;
export const FILLED_UNTIL_MS = Date.UTC(2026, 10, 29, 9);

/**
 * Fills a journal with so many done sales. They are copies of a sale that the journal itself has written, each with its own id,
 * document, time, sum and till's number.
 */
export async function fillJournal(store: Store, entries: number): Promise<void> {
  const clock = new VirtualClock(FILLED_UNTIL_MS);
  const journal = new Journal({ store, clock });
  const sending = await journal.begin(entryContent({ key: entryKey({ documentId: "sale-1" }) }), checkpoint());
  await journal.finish(sending, { kind: "done", facts: saleFacts({ documentNumber: 1 }) }, "register");
  await store.commit(async (tx) => {
    for (let from = 2; from <= entries; from += AT_ONCE) {
      const to = Math.min(entries, from + AT_ONCE - 1);
      await copy(tx, "entries", sending.id, from, to, entries);
      await copy(tx, "moves", sending.id, from, to, entries);
    }
  });
  await store.commit((tx) => sql`analyze`.execute(tx));
}

type Tx = Parameters<Parameters<Store["commit"]>[0]>[0];

async function copy(tx: Tx, table: "entries" | "moves", source: number, from: number, to: number, entries: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(tx);
  const age = sql`(${entries} - n.value) / ${PER_DAY} * ${DAY_MS}`;
  const changed: Record<string, ReturnType<typeof sql>> = {
    id: table === "entries" ? sql`n.value` : sql`null`,
    entry_id: sql`n.value`,
    document_id: sql`'sale-' || n.value`,
    content_hash: sql`'hash-' || n.value`,
    twin: sql`'twin-' || n.value`,
    accepted_at_ms: sql`${FILLED_UNTIL_MS} - ${age}`,
    moved_at_ms: sql`${FILLED_UNTIL_MS} - ${age}`,
    at_ms: sql`${FILLED_UNTIL_MS} - ${age}`,
    name: sql`printf('%05d', n.value % ${PER_DAY})`,
    sum_kopecks: sql`10000 + n.value`,
    document_number: sql`case when s.document_number is null then null else n.value end`,
  };
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => changed[name] ?? sql`s.${sql.ref(name)}`);
  await sql`
    insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    with recursive n(value) as (select ${from} union all select value + 1 from n where value < ${to})
    select ${sql.join(values)} from n join ${sql.table(table)} s on s.${sql.ref(table === "entries" ? "id" : "entry_id")} = ${source}`.execute(
    tx,
  );
}
