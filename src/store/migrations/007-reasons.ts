import { sql, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import { doubtFrom, reasonsFrom } from "./old-sentences.ts";
import type { Migration } from "./types.ts";

/** Pages bound the memory that the migration uses. */
const PAGE_ROWS = 1_000;

/** Converts doubts and the reasons of moves from sentences to data. An unknown sentence of the program is kept as `words-only`. */
export const reasons: Migration = {
  version: 7,
  name: "reasons",
  async up(tx) {
    await tx.schema.alterTable("moves").renameColumn("note", "reasons").execute();
    await turnDoubts(tx);
    await turnNotes(tx);
  },
};

async function turnDoubts(tx: Transaction<Tables>): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ id: number; doubt: string }>`
      select id, doubt from entries where doubt is not null and id > ${last} order by id limit ${PAGE_ROWS}`.execute(tx);
    for (const { id, doubt } of rows) {
      await sql`update entries set doubt = ${JSON.stringify(doubtFrom(doubt))} where id = ${id}`.execute(tx);
    }
    if (rows.length < PAGE_ROWS) return;
    last = Number(rows.at(-1)?.id);
  }
}

/** A page ends between two entries, so no entry is split. */
async function turnNotes(tx: Transaction<Tables>): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ entry_id: number; attempt: number; to_state: string; by: string; reasons: string }>`
      select entry_id, attempt, to_state, by, reasons from moves
      where reasons is not null and entry_id > ${last}
        and entry_id <= coalesce((select max(entry_id) from (
          select entry_id from moves where reasons is not null and entry_id > ${last} order by entry_id limit ${PAGE_ROWS}) as page), ${last})
      order by entry_id`.execute(tx);
    for (const { entry_id, attempt, to_state, by, reasons: note } of rows) {
      const turned = JSON.stringify(reasonsFrom({ to: to_state, by, note }));
      await sql`update moves set reasons = ${turned} where entry_id = ${entry_id} and attempt = ${attempt} and to_state = ${to_state}`.execute(
        tx,
      );
    }
    const end = rows.at(-1);
    if (end === undefined) return;
    last = Number(end.entry_id);
  }
}
