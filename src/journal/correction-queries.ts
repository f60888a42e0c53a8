import { type Kysely, sql, type Transaction } from "kysely";
import { type Placeholders, statement } from "../store/statement.ts";
import type { EntryRow, Tables } from "../store/tables.ts";
import type { EntryContent, EntryKey } from "./entry.ts";
import { rivalledFailure } from "./failures.ts";
import { begunAs, endedAs } from "./newest-queries.ts";
import { entriesByTwin } from "./queries.ts";

/** Queries for corrections. The queries that only serve a person are built anew on each call, because no operation waits for them. */
type Db = Kysely<Tables>;

/** Returns entries of the key's account and operation whose document ids begin with `idPrefix`, oldest first. */
export function entriesUnder(db: Db, { appId, accountId, operation }: Omit<EntryKey, "documentId">, idPrefix: string): Promise<EntryRow[]> {
  return db
    .selectFrom("entries")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("operation", "=", operation)
    .where(sql<string>`substr(document_id, 1, ${sql.lit(idPrefix.length)})`, "=", idPrefix)
    .orderBy(begunAs)
    .orderBy("id")
    .execute();
}

/**
 * Returns done entries with this fiscal sign in their facts, newest first. No index has the sign, so all entries of the journal are read.
 */
export function doneBySign(db: Db, driveNumber: string, fiscalSign: string): Promise<EntryRow[]> {
  return db
    .selectFrom("entries")
    .selectAll()
    .where("state", "=", "done")
    .where("drive_number", "=", driveNumber)
    .where("facts", "like", `%"fiscalSign":"${fiscalSign}"%`)
    .orderBy(endedAs, "desc")
    .orderBy("id", "desc")
    .limit(MAX_WITH_SIGN)
    .execute();
}

/**
 * Returns the account's returns that name this fiscal sign as their sale's sign, oldest first, without refused returns. No index has the
 * sign, so all returns of the account are read.
 */
export function returnsNaming(
  db: Db,
  { appId, accountId }: Pick<EntryKey, "appId" | "accountId">,
  fiscalSign: string,
): Promise<EntryRow[]> {
  return db
    .selectFrom("entries")
    .selectAll()
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
 * Returns a check for the transaction that begins to send the operation. The check throws `journal-rivalled` when the `rival`, or the same
 * document under the other id type, was sent and not refused.
 *
 * The turns look for both earlier, but the turns of two lanes may look at the same moment. The check runs after the operation's own row was
 * written. Of two rivals that are checked at the same moment, one therefore waits until the other's transaction has ended.
 */
export function withoutRival(
  { key, twinHash, idType }: Pick<EntryContent, "key" | "twinHash" | "idType">,
  rival: EntryKey | undefined,
): (tx: Transaction<Tables>) => Promise<void> {
  return async (tx) => {
    const state = rival === undefined ? undefined : await lockedState(tx, rival);
    if (state !== undefined && isSent(state)) throw rivalledFailure(key);
    const twins = await entriesByTwin(tx, key.appId, key.accountId, key.operation, twinHash);
    if (twins.some((twin) => twin.id_type !== idType && isSent(twin.state))) throw rivalledFailure(key);
  };
}

function isSent(state: string): boolean {
  return state !== "queued" && state !== "refused";
}

/** Returns the state of the entry, and locks the entry until the transaction ends. Undefined: there is no such entry. */
async function lockedState(db: Db, key: EntryKey): Promise<string | undefined> {
  const { rows } = await stateUpdate(db, key);
  return rows[0]?.state;
}

/** An update that changes nothing and only locks the row. SQLite has no lock without an update, so both databases use the update. */
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
