import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { EntryRow, Tables } from "../store/tables.ts";
import type { EntryState } from "./states.ts";

type Db = Kysely<Tables>;
type Entries = SelectQueryBuilder<Tables, "entries", EntryRow>;

/** What a person looks for. An entry must match every member that is there. */
export interface EntrySearch {
  /** Any of these is enough. */
  term?: EntryTerm;
  accountId?: string;
  storeId?: string;
  state?: EntryState;
  /** Moments of arrival, the second one excluded. */
  fromMs?: number;
  toMs?: number;
  /** Only what arrived before this entry: the next page. */
  before?: { acceptedAtMs: number; id: number };
  limit: number;
}

/** A text that was typed, as what it may mean. */
export interface EntryTerm {
  /** The till's numbers: `31` and `00031`. */
  names: readonly string[];
  documentId: string;
  /** Number of a document in its drive (tag 1040). */
  documentNumber?: number;
  sumKopecks?: number;
}

/** Entries with one meaning of a term that are looked at, the newest of them: enough for every page that people turn to. */
const MOST_OF_A_MEANING = 2_000;

/** The newest first. Every way to an entry is an index, so a large journal takes no longer than a small one. */
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
  // A till's number comes again every few days, so its index has the time too, and only the page's own rows are read.
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

/** The index of the moves begins with the drive, so the drives are walked through, one step of the index for each. */
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
