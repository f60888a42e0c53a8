import { type Kysely, sql } from "kysely";
import type { EntryRow, Tables } from "../../store/tables.ts";
import type { SizedRow } from "./steps.ts";

/** Queries that read rows of the journal in steps: first the ids with their lengths, then the rows of each step. */
type Db = Kysely<Tables>;

/** Both databases know the length of a column without reading the column. */
export const SIZE_COLUMNS = [
  "entries.id",
  sql<number>`octet_length(entries.content) + octet_length(entries.document)`.as("bytes"),
] as const;

const HEAD_COLUMNS = [
  "id",
  "app_id",
  "account_id",
  "operation",
  "document_id",
  "store_id",
  "register",
  "state",
  "attempt",
  "accepted_at_ms",
  "moved_at_ms",
  "checkpoint",
  "facts",
  "refusal",
  "doubt",
  "name",
  "sum_kopecks",
] as const;

export type HeadRow = Pick<EntryRow, (typeof HEAD_COLUMNS)[number]>;
export type DocumentRow = Pick<EntryRow, "id" | "document">;

/** Returns the rows in the order of the ids. */
export async function wholeRows(db: Db, ids: readonly number[]): Promise<EntryRow[]> {
  return inOrder(ids, await db.selectFrom("entries").selectAll().where("id", "in", ids).execute());
}

/** Returns the heads in the order of the ids. */
export async function headRows(db: Db, ids: readonly number[]): Promise<HeadRow[]> {
  return inOrder(ids, await db.selectFrom("entries").select(HEAD_COLUMNS).where("id", "in", ids).execute());
}

/** Returns the documents of the entries, in the order of the ids. */
export async function documentRows(db: Db, ids: readonly number[]): Promise<DocumentRow[]> {
  return inOrder(ids, await db.selectFrom("entries").select(["id", "document"]).where("id", "in", ids).execute());
}

/** Returns the lengths of the entries' documents, in the order of the ids. */
export async function documentSizes(db: Db, ids: readonly number[]): Promise<SizedRow[]> {
  const bytes = sql<number>`octet_length(document)`.as("bytes");
  return inOrder(ids, await db.selectFrom("entries").select(["id", bytes]).where("id", "in", ids).execute());
}

function inOrder<Row extends { id: number }>(ids: readonly number[], rows: readonly Row[]): Row[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
