import { type Kysely, sql, type Transaction } from "kysely";
import { type Placeholders, statement } from "../store/statement.ts";
import type { Tables } from "../store/tables.ts";
import type { EntryContent, EntryKey } from "./entry.ts";
import { rivalledFailure } from "./failures.ts";
import { begunAs, endedAs } from "./newest-queries.ts";
import { entriesByTwin } from "./queries.ts";
import { SIZE_COLUMNS } from "./reading/step-queries.ts";
import type { SizedRow } from "./reading/steps.ts";

/** Queries for corrections. Those for people are built on each call, because no operation uses them. */
type Db = Kysely<Tables>;

/** Returns entries of the key's account and operation whose document ids begin with `idPrefix`, oldest first. */
export function entriesUnder(db: Db, { appId, accountId, operation }: Omit<EntryKey, "documentId">, idPrefix: string): Promise<SizedRow[]> {
  return db
    .selectFrom("entries")
    .select(SIZE_COLUMNS)
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("operation", "=", operation)
    .where(sql<string>`substr(document_id, 1, ${sql.lit(idPrefix.length)})`, "=", idPrefix)
    .orderBy(begunAs)
    .orderBy("id")
    .execute();
}

/** Returns done entries with this fiscal sign in their facts, newest first. Without an index: all entries of the journal are read. */
export function doneBySign(db: Db, driveNumber: string, fiscalSign: string): Promise<SizedRow[]> {
  return db
    .selectFrom("entries")
    .select(SIZE_COLUMNS)
    .where("state", "=", "done")
    .where("drive_number", "=", driveNumber)
    .where("facts", "like", `%"fiscalSign":"${fiscalSign}"%`)
    .orderBy(endedAs, "desc")
    .orderBy("id", "desc")
    .limit(MAX_WITH_SIGN)
    .execute();
}

/**
 * Returns the account's returns that name this sign as their sale's sign, oldest first, without refused returns. The sign has no index:
 * all returns of the account are read.
 */
export function returnsNaming(
  db: Db,
  { appId, accountId }: Pick<EntryKey, "appId" | "accountId">,
  fiscalSign: string,
): Promise<SizedRow[]> {
  return db
    .selectFrom("entries")
    .select(SIZE_COLUMNS)
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("operation", "=", "sales-return")
    .where("state", "<>", "refused")
    .where("document", "like", `%"originalSign":"${fiscalSign}"%`)
    .orderBy(begunAs)
    .orderBy("id")
    .execute();
}

/** The largest number of entries with one sign. Two documents of one drive hardly ever have the same sign. */
const MAX_WITH_SIGN = 10;

/**
 * Returns a check for the transaction that begins to send the operation. Throws `journal-rivalled` when the `rival`, or the same document
 * under the other id type, was sent and not refused. The turns look for both before, but two lanes may look at the same moment. The check
 * runs after the operation's own row was written. So of two rivals that are checked at the same moment, one waits for the row of the other.
 */
export function withoutRival(
  { key, twinHash, idType }: Pick<EntryContent, "key" | "twinHash" | "idType">,
  rival: EntryKey | undefined,
): (tx: Transaction<Tables>) => Promise<void> {
  return async (tx) => {
    const state = rival === undefined ? undefined : await lockedState(tx, rival);
    if (state !== undefined && isSent(state)) throw rivalledFailure(key);
    const twins = await entriesByTwin(tx, { key, twinHash, idType });
    if (twins.some((twin) => isSent(twin.state))) throw rivalledFailure(key);
  };
}

function isSent(state: string): boolean {
  return state !== "queued" && state !== "refused";
}

/** The state of the entry, which cannot change until the transaction ends. Undefined: there is no such entry. */
async function lockedState(db: Db, key: EntryKey): Promise<string | undefined> {
  const { rows } = await stateUpdate(db, key);
  return rows[0]?.state;
}

/** Changes nothing: both databases lock a row that is updated, and only PostgreSQL knows a lock without a change. */
const stateUpdate = statement((db, { appId, accountId, operation, documentId }: Placeholders<EntryKey>) =>
  db
    .updateTable("entries")
    .set({ state: sql.ref("state") })
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("operation", "=", operation)
    .where("document_id", "=", documentId)
    .returning("state"),
);
