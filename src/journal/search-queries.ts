import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { EntryRow, Tables } from "../store/tables.ts";
import type { EntryState } from "./states.ts";

type Db = Kysely<Tables>;
type Entries = SelectQueryBuilder<Tables, "entries", EntryRow>;

/** A person's search. An entry must match every given member. */
export interface EntrySearch {
  /** An entry matches the term when it matches one of the term's meanings. */
  term?: EntryTerm;
  accountId?: string;
  storeId?: string;
  state?: EntryState;
  /** The entry arrived at `fromMs` or later, and before `toMs`. */
  fromMs?: number;
  toMs?: number;
  /** Only entries that arrived before this entry: they form the next page. */
  before?: { acceptedAtMs: number; id: number };
  limit: number;
}

/** The possible meanings of a text that a person typed. */
export interface EntryTerm {
  /** The till's numbers: `31` and `00031`. */
  names: readonly string[];
  documentId: string;
  /** Number of a document in its drive (tag 1040). */
  documentNumber?: number;
  sumKopecks?: number;
}

/**
 * The largest number of entries that are read for one meaning of a term. The newest are read. They are enough for every
 * page that people turn to.
 */
const MOST_OF_A_MEANING = 2_000;

/**
 * Returns the newest entries first. Every search uses an index, so a large journal takes no longer than a small one.
 */
export async function searchEntries(db: Db, { term, limit, ...filter }: EntrySearch): Promise<EntryRow[]> {
  const all = matching(db.selectFrom("entries").selectAll(), filter);
  const newest = (query: Entries) => query.orderBy("accepted_at_ms", "desc").orderBy("id", "desc").limit(limit).execute();
  if (term === undefined) return newest(all);
  const ids = await idsOf(db, term, { ...filter, limit });
  return ids.length === 0 ? [] : newest(all.where("id", "in", ids));
}

function matching(query: Entries, { accountId, storeId, state, fromMs, toMs, before }: Omit<EntrySearch, "term" | "limit">): Entries {
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

async function idsOf(
  db: Db,
  { names, documentId, documentNumber, sumKopecks }: EntryTerm,
  { limit, ...filter }: Omit<EntrySearch, "term">,
): Promise<number[]> {
  const entries = () => db.selectFrom("entries").select("id").orderBy("id", "desc").limit(MOST_OF_A_MEANING);
  // A till repeats a number every few days. The index has the time too, so only the rows of the page are read.
  const named = (name: string) =>
    matching(db.selectFrom("entries").selectAll(), filter)
      .clearSelect()
      .select("id")
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

/**
 * The index of the moves begins with the drive, so the query finds the drives one by one, with one index step for each.
 */
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
