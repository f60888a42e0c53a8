import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { Tables } from "../store/tables.ts";
import { idsInState } from "./queries.ts";
import { SIZE_COLUMNS } from "./reading/step-queries.ts";
import type { SizedRow } from "./reading/steps.ts";
import { type EntryState, UNFINISHED } from "./states.ts";

type Db = Kysely<Tables>;
type Entries<Row> = SelectQueryBuilder<Tables, "entries", Row>;

/** A person's search. An entry must match every given member. */
export interface EntrySearch {
  /** An entry must match one of the term's meanings. */
  term?: EntryTerm;
  accountId?: string;
  storeId?: string;
  state?: EntryState;
  /** The entry arrived at `fromMs` or later, and before `toMs`. */
  fromMs?: number;
  toMs?: number;
  /** Only entries that arrived before this entry, for the next page. */
  before?: { acceptedAtMs: number; id: number };
  limit: number;
}

/** The possible meanings of a person's typed text. */
export interface EntryTerm {
  /** The till's number as typed, and the same number without and with leading zeros (`31`, `00031`). */
  names: readonly string[];
  documentId: string;
  /** Number of a document in its drive (tag 1040). */
  documentNumber?: number;
  sumKopecks?: number;
}

/** The largest number of entries read for one meaning of a term, the newest first. It covers every page that people turn to. */
const MOST_OF_A_MEANING = 2_000;

/**
 * Returns the newest entries first. A search by a term uses an index for each meaning, so it stays fast in a large journal. A search for
 * unfinished entries is fast too, because they are few. Any other search reads the account's entries, or all entries of the days, from
 * the newest until the page is full.
 */
export async function searchEntries(db: Db, { term, limit, ...filter }: EntrySearch): Promise<SizedRow[]> {
  const all = matching(db.selectFrom("entries").select(SIZE_COLUMNS), filter);
  const newest = (query: typeof all) => query.orderBy("accepted_at_ms", "desc").orderBy("id", "desc").limit(limit).execute();
  const ids = term === undefined ? await unfinishedIds(db, filter.state) : await idsOf(db, term, { ...filter, limit });
  if (ids === undefined) return newest(all);
  return ids.length === 0 ? [] : newest(all.where("id", "in", ids));
}

function matching<Row>(
  query: Entries<Row>,
  { accountId, storeId, state, fromMs, toMs, before }: Omit<EntrySearch, "term" | "limit">,
): Entries<Row> {
  let chosen = query;
  if (accountId !== undefined) chosen = chosen.where("account_id", "=", accountId);
  if (storeId !== undefined) chosen = chosen.where("store_id", "=", storeId);
  if (state !== undefined) chosen = chosen.where("state", "=", state);
  if (fromMs !== undefined) chosen = chosen.where("accepted_at_ms", ">=", fromMs);
  if (toMs !== undefined) chosen = chosen.where("accepted_at_ms", "<", toMs);
  if (before === undefined) return chosen;
  const { acceptedAtMs, id } = before;
  return chosen.where((at) =>
    at.or([at("accepted_at_ms", "<", acceptedAtMs), at.and([at("accepted_at_ms", "=", acceptedAtMs), at("id", "<", id)])]),
  );
}

/**
 * Returns the ids of unfinished entries of a state. Undefined without a state, and for `done` and `refused`: no index leads to such
 * entries.
 */
async function unfinishedIds(db: Db, state: EntryState | undefined): Promise<number[] | undefined> {
  if (state === undefined || !UNFINISHED.includes(state)) return undefined;
  return idsInState(db, state);
}

async function idsOf(
  db: Db,
  { names, documentId, documentNumber, sumKopecks }: EntryTerm,
  { limit, ...filter }: Omit<EntrySearch, "term">,
): Promise<number[]> {
  const entries = () => db.selectFrom("entries").select("id").orderBy("id", "desc").limit(MOST_OF_A_MEANING);
  // A till repeats a number every few days. The index includes the time, so only the page's rows are read.
  const named = (name: string) =>
    matching(db.selectFrom("entries").select("id"), filter)
      .where("name", "=", name)
      .orderBy("accepted_at_ms", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
  const found = await Promise.all([
    ...names.map(named),
    entries().where("document_id", "=", documentId).execute(),
    sumKopecks === undefined ? [] : entries().where("sum_kopecks", "=", sumKopecks).execute(),
    documentNumber === undefined ? [] : numbered(db, documentNumber),
  ]);
  return [...new Set(found.flat().map(({ id }) => id))];
}

/** The index of the moves begins with the drive, so the query goes from drive to drive with one index step each. */
async function numbered(db: Db, documentNumber: number): Promise<{ id: number }[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive drives (number) as (
      select min(drive_number) from moves where document_number is not null
      union all
      select (select min(drive_number) from moves where document_number is not null and drive_number > drives.number)
      from drives where drives.number is not null
    )
    select moves.entry_id as id from drives
    join moves on moves.drive_number = drives.number and moves.document_number = ${documentNumber}
    order by moves.entry_id desc limit ${MOST_OF_A_MEANING}`.execute(db);
  return rows;
}
