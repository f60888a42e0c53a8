import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import { present } from "../../kernel/present.ts";
import { fewIds, mostBefore, type Step, type StepEnd } from "../../kernel/work/newest-in-steps.ts";
import type { EntryRow, Tables } from "../../store/tables.ts";
import { type EntryFilter, idsInState } from "../queries.ts";
import { SIZE_COLUMNS } from "../reading/step-queries.ts";
import type { SizedRow } from "../reading/steps.ts";
import { type EntryState, UNFINISHED } from "../states.ts";

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
  /** The till's number of a document as typed, and the same number without and with leading zeros (`31`, `00031`). */
  names: readonly string[];
  documentId: string;
  /** Number of a document in its drive (tag 1040). */
  documentNumber?: number;
  sumKopecks?: number;
}

/**
 * The largest number of entries that a search takes for one meaning of a term: for a document id, a sum or a document number. The newest
 * entries that fit the rest of the search are taken.
 */
export const MOST_OF_A_MEANING = 2_000;

/** A place in the order of arrival. */
export interface EntryPlace {
  acceptedAtMs: number;
  id: number;
}

/**
 * Returns the ids of the entries among which a search without a term must look. Unfinished entries are few, and so are the entries of a new
 * account. Undefined: the search must look through the journal in steps.
 */
export async function fewCandidates(db: Db, { state, accountId }: Omit<EntrySearch, "term">): Promise<number[] | undefined> {
  if (state !== undefined && UNFINISHED.includes(state)) return idsInState(db, state);
  return accountId === undefined ? undefined : idsOfSmallAccount(db, accountId);
}

/** Returns the ids of all entries of the account. Undefined: they are too many to read at once. */
export function idsOfSmallAccount(db: Db, accountId: string): Promise<number[] | undefined> {
  return fewIds(db.selectFrom("entries").select("id").where("account_id", "=", accountId));
}

/** Returns the entries with these ids that fit the search, the newest first. */
export async function searchAmong(
  db: Db,
  ids: readonly number[],
  { fromMs, toMs, before, limit, ...wanted }: EntrySearch,
): Promise<SizedRow[]> {
  if (ids.length === 0) return [];
  const among = within(db.selectFrom("entries"), present({ fromMs, toMs, before })).where("id", "in", ids);
  return fitting(db, among.select([...FILTER_COLUMNS, ...SIZE_COLUMNS]).limit(ids.length), wanted)
    .orderBy("looked.accepted_at_ms", "desc")
    .orderBy("looked.id", "desc")
    .limit(limit)
    .execute();
}

/** Looks for entries in the order of their arrival, the newest first. Looks only at the wanted period. */
export async function searchStep(
  db: Db,
  { fromMs, toMs, before: first, ...wanted }: EntrySearch,
  { before, rows, limit }: Step<EntryPlace>,
): Promise<StepEnd<EntryPlace, SizedRow>> {
  const period = present({ fromMs, toMs, before: before ?? first });
  const inOrder = (bounds: Bounds) => within(db.selectFrom("entries"), bounds).orderBy("accepted_at_ms", "desc").orderBy("id", "desc");
  const lastRow = await inOrder(period)
    .select(["id", "accepted_at_ms"])
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  const last = lastRow && { acceptedAtMs: lastRow.accepted_at_ms, id: lastRow.id };
  const looked = inOrder({ ...period, ...present({ last }) });
  const found = await fitting(db, looked.select([...FILTER_COLUMNS, ...SIZE_COLUMNS]).limit(mostBefore(rows)), wanted)
    .orderBy("looked.accepted_at_ms", "desc")
    .orderBy("looked.id", "desc")
    .limit(limit)
    .execute();
  return { found, ...present({ last }) };
}

/** Returns the entries with these ids that fit the filter, in the order of their ids, the newest first. */
export async function listAmong(db: Db, ids: readonly number[], { beforeId, limit, ...wanted }: EntryFilter): Promise<SizedRow[]> {
  if (ids.length === 0) return [];
  const all = db.selectFrom("entries").where("id", "in", ids);
  const among = beforeId === undefined ? all : all.where("id", "<", beforeId);
  return fitting(db, among.select([...FILTER_COLUMNS, ...SIZE_COLUMNS]).limit(ids.length), wanted)
    .orderBy("looked.id", "desc")
    .limit(limit)
    .execute();
}

/** Looks for entries in the order of their ids, the newest first. */
export async function listStep(
  db: Db,
  { beforeId, ...wanted }: EntryFilter,
  { before, rows, limit }: Step<{ id: number }>,
): Promise<StepEnd<{ id: number }, SizedRow>> {
  const end = before?.id ?? beforeId;
  const all = db.selectFrom("entries").orderBy("id", "desc");
  const inOrder = end === undefined ? all : all.where("id", "<", end);
  const last = await inOrder
    .select("id")
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  const looked = last === undefined ? inOrder : inOrder.where("id", ">=", last.id);
  const found = await fitting(db, looked.select([...FILTER_COLUMNS, ...SIZE_COLUMNS]).limit(mostBefore(rows)), wanted)
    .orderBy("looked.id", "desc")
    .limit(limit)
    .execute();
  return { found, ...present({ last }) };
}

const FILTER_COLUMNS = ["app_id", "account_id", "store_id", "state", "accepted_at_ms"] as const;
type Looked = SizedRow & Pick<EntryRow, (typeof FILTER_COLUMNS)[number]>;

/**
 * Returns the rows of `looked` that fit. `looked` is a subquery with a limit: without the limit SQLite would read all entries of the
 * account, or all entries until enough fit.
 */
function fitting(
  db: Db,
  looked: Entries<Looked>,
  { appId, accountId, storeId, state }: Pick<EntryFilter, "appId" | "accountId" | "storeId" | "state">,
): SelectQueryBuilder<Tables & { looked: Looked }, "looked", SizedRow> {
  let chosen = db.selectFrom(looked.as("looked")).select(["looked.id", "looked.bytes"]);
  if (appId !== undefined) chosen = chosen.where("looked.app_id", "=", appId);
  if (accountId !== undefined) chosen = chosen.where("looked.account_id", "=", accountId);
  if (storeId !== undefined) chosen = chosen.where("looked.store_id", "=", storeId);
  if (state !== undefined) chosen = chosen.where("looked.state", "=", state);
  return chosen;
}

function matching<Row>(
  query: Entries<Row>,
  { accountId, storeId, state, fromMs, toMs, before }: Omit<EntrySearch, "term" | "limit">,
): Entries<Row> {
  let chosen = within(query, present({ fromMs, toMs, before }));
  if (accountId !== undefined) chosen = chosen.where("account_id", "=", accountId);
  if (storeId !== undefined) chosen = chosen.where("store_id", "=", storeId);
  if (state !== undefined) chosen = chosen.where("state", "=", state);
  return chosen;
}

/** `last`: the last entry of a step, which lies in the period. */
type Bounds = Pick<EntrySearch, "fromMs" | "toMs" | "before"> & { last?: EntryPlace };

/**
 * Returns the entries within the bounds. Of two upper or two lower bounds only the tighter bound is a condition: SQLite uses one of each in
 * an index, perhaps the wider bound, and would then read all entries up to the tighter bound in each step.
 */
function within<Row>(query: Entries<Row>, { fromMs, toMs, before, last }: Bounds): Entries<Row> {
  let chosen = query;
  if (last !== undefined) chosen = chosen.where(sql<boolean>`(accepted_at_ms, id) >= (${last.acceptedAtMs}, ${last.id})`);
  else if (fromMs !== undefined) chosen = chosen.where("accepted_at_ms", ">=", fromMs);
  if (before !== undefined && (toMs === undefined || before.acceptedAtMs < toMs))
    return chosen.where(sql<boolean>`(accepted_at_ms, id) < (${before.acceptedAtMs}, ${before.id})`);
  return toMs === undefined ? chosen : chosen.where("accepted_at_ms", "<", toMs);
}

/** A search without its term. */
export type Rest = Omit<EntrySearch, "term">;

/** Returns the ids of the newest entries with the name. A till repeats a number every few days. The index includes the time. */
export async function idsNamed(db: Db, name: string, { limit, ...filter }: Rest): Promise<number[]> {
  const named = matching(db.selectFrom("entries").select("id"), filter).where("name", "=", name);
  const rows = await named.orderBy("accepted_at_ms", "desc").orderBy("id", "desc").limit(limit).execute();
  return rows.map(({ id }) => id);
}

/** The meanings of a term with an index that ends with the id. */
type Meaning = { column: "document_id"; value: string } | { column: "sum_kopecks"; value: number };

/** Looks at the next entries with the meaning, the newest first. Returns the ids of those that fit the rest of the search. */
export async function meaningStep(
  db: Db,
  { column, value }: Meaning,
  { fromMs, toMs, before: after, ...wanted }: Rest,
  { before, rows, limit }: Step<{ id: number }>,
): Promise<StepEnd<{ id: number }, number>> {
  const all = db.selectFrom("entries").where(column, "=", value).orderBy("id", "desc");
  const inOrder = before === undefined ? all : all.where("id", "<", before.id);
  const last = await inOrder
    .select("id")
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  const looked = last === undefined ? inOrder : inOrder.where("id", ">=", last.id);
  let chosen = fitting(db, looked.select([...FILTER_COLUMNS, ...SIZE_COLUMNS]).limit(mostBefore(rows)), wanted);
  if (fromMs !== undefined) chosen = chosen.where("looked.accepted_at_ms", ">=", fromMs);
  if (toMs !== undefined) chosen = chosen.where("looked.accepted_at_ms", "<", toMs);
  if (after !== undefined) chosen = chosen.where(sql<boolean>`(looked.accepted_at_ms, looked.id) < (${after.acceptedAtMs}, ${after.id})`);
  const found = await chosen.orderBy("looked.id", "desc").limit(limit).execute();
  return { found: found.map(({ id }) => id), ...present({ last }) };
}

/**
 * Returns the ids of the newest entries with this document number in a drive that fit the rest of the search. The index of the moves begins
 * with the drive, so the query goes from drive to drive with one index step each.
 */
export async function idsNumbered(db: Db, documentNumber: number, { limit: _, ...filter }: Rest): Promise<number[]> {
  const fits = matching(db.selectFrom("entries").select("id"), filter).whereRef("entries.id", "=", sql.ref("moves.entry_id"));
  const { rows } = await sql<{ id: number }>`
    with recursive drives (number) as (
      select min(drive_number) from moves where document_number is not null
      union all
      select (select min(drive_number) from moves where document_number is not null and drive_number > drives.number)
      from drives where drives.number is not null
    )
    select moves.entry_id as id from drives
    join moves on moves.drive_number = drives.number and moves.document_number = ${documentNumber}
    where exists ${fits}
    order by moves.entry_id desc limit ${MOST_OF_A_MEANING}`.execute(db);
  return rows.map(({ id }) => id);
}
