import type { Kysely } from "kysely";
import { present } from "../../kernel/present.ts";
import type { Step, StepEnd } from "../../kernel/work/newest-in-steps.ts";
import type { Tables } from "../../store/tables.ts";
import type { EntryKey } from "../entry.ts";
import { begunAs, endedAs } from "../newest-queries.ts";
import { SIZE_COLUMNS } from "../reading/step-queries.ts";
import type { SizedRow } from "../reading/steps.ts";

/** No index leads to documents by their shift or fiscal sign. So these queries look at entries step by step, for a person. */
type Db = Kysely<Tables>;

export interface DoneFilter {
  driveNumber: string;
  /** Only entries of this register's shift. */
  shift?: { register: string; number: number };
  /** Only entries with this fiscal sign in their facts. */
  fiscalSign?: string;
}

/** Looks at the next entries in the order of their ids, the newest first. Returns all done entries among them that fit. */
export async function doneStep(
  db: Db,
  { driveNumber, shift, fiscalSign }: DoneFilter,
  { before, rows }: Step<{ id: number }>,
): Promise<StepEnd<{ id: number }, SizedRow>> {
  const all = db.selectFrom("entries").orderBy("id", "desc");
  const left = before === undefined ? all : all.where("id", "<", before.id);
  const last = await left
    .select("id")
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  let query = last === undefined ? left : left.where("id", ">=", last.id);
  query = query.where("state", "=", "done").where("drive_number", "=", driveNumber);
  if (shift !== undefined) query = query.where("register", "=", shift.register).where("shift_number", "=", shift.number);
  if (fiscalSign !== undefined) query = query.where("facts", "like", `%"fiscalSign":"${fiscalSign}"%`);
  return { found: await query.select(SIZE_COLUMNS).execute(), ...present({ last }) };
}

/** The largest number of returned entries with one sign. Two documents of one drive hardly ever have the same sign. */
const MAX_WITH_SIGN = 10;

/** Returns the entries in the order in which they were done, the newest first, at most `MAX_WITH_SIGN`. */
export async function inOrderOfEnd(db: Db, ids: readonly number[]): Promise<SizedRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom("entries")
    .select(SIZE_COLUMNS)
    .where("id", "in", ids)
    .orderBy(endedAs, "desc")
    .orderBy("id", "desc")
    .limit(MAX_WITH_SIGN)
    .execute();
}

/** The account's returns that name this fiscal sign as the sign of their sale. */
export type ReturnFilter = Pick<EntryKey, "appId" | "accountId"> & { fiscalSign: string };

/** Looks at the account's next returns in the order of the index `entries_key`. Returns all that name the sign and were not refused. */
export async function returnsStep(
  db: Db,
  { appId, accountId, fiscalSign }: ReturnFilter,
  { before, rows }: Step<{ documentId: string }>,
): Promise<StepEnd<{ documentId: string }, SizedRow>> {
  const all = db
    .selectFrom("entries")
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("operation", "=", "sales-return")
    .orderBy("document_id", "desc");
  const left = before === undefined ? all : all.where("document_id", "<", before.documentId);
  const last = await left
    .select("document_id")
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  const found = await (last === undefined ? left : left.where("document_id", ">=", last.document_id))
    .where("state", "<>", "refused")
    .where("document", "like", `%"originalSign":"${fiscalSign}"%`)
    .select(SIZE_COLUMNS)
    .execute();
  return { found, ...present({ last: last && { documentId: last.document_id } }) };
}

/** Returns the entries in the order in which their newest attempts began, the oldest first. */
export async function inOrderOfBeginning(db: Db, ids: readonly number[]): Promise<SizedRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom("entries").select(SIZE_COLUMNS).where("id", "in", ids).orderBy(begunAs).orderBy("id").execute();
}
