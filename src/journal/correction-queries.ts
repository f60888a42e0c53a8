import { type Kysely, sql, type Transaction } from "kysely";
import { holdName } from "../store/dialects/named-lock.ts";
import { type Placeholders, statement } from "../store/statement.ts";
import type { EntryRow, Tables } from "../store/tables.ts";
import type { EntryContent, EntryKey } from "./entry.ts";
import { rivalledFailure } from "./failures.ts";
import { begunAs } from "./newest-queries.ts";
import { entriesByTwin, entryByKey } from "./queries.ts";
import { SIZE_COLUMNS } from "./reading/step-queries.ts";
import type { SizedRow } from "./reading/steps.ts";

/** Queries for corrections. A query that only serves a person is built anew on each call, because no operation waits for it. */
type Db = Kysely<Tables>;

/**
 * Returns the entries of an account and operation whose document ids begin with `idPrefix`, in the order in which their newest attempts
 * began.
 */
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

/**
 * Returns a check for the transaction that begins to send the operation. The check throws `journal-rivalled` when an operation that would
 * make the same registration was sent and not refused. It checks the `rival`, the twins (the same document under the other id type), and
 * the corrections that register refused twins. `missedKey` returns the key of the correction that would register an operation. Undefined:
 * no correction can register the operation.
 *
 * The turns look for all these operations earlier, but the turns of two lanes may look at the same moment. The check runs after the
 * operation's own row was written. So when two rivals are checked at the same moment, one transaction waits for the row of its rival. If
 * both rows existed before, each transaction waits for the row of its rival: then PostgreSQL lets one transaction fail, and the store
 * repeats it. Twins have no row in common, so a twin waits for the lock of the name that both share.
 */
export function withoutRival(
  { key, twinHash, idType }: Pick<EntryContent, "key" | "twinHash" | "idType">,
  rival: EntryKey | undefined,
  missedKey: (key: EntryKey) => EntryKey | undefined,
): (tx: Transaction<Tables>) => Promise<void> {
  return async (tx) => {
    const found = rival === undefined ? undefined : await lockedRow(tx, rival);
    if (found !== undefined && isSent(found.state)) throw rivalledFailure(key);
    // For a correction of a missed operation, the twins of the missed operation are checked. Other corrections have no twins.
    const isCorrection = key.operation === "correction";
    if (isCorrection && found === undefined) return;
    const of = isCorrection && rival !== undefined ? rival.operation : key.operation;
    const { twin, id_type } = isCorrection && found !== undefined ? found : { twin: twinHash, id_type: idType };
    const { appId, accountId } = key;
    await holdName(tx, ["twin", appId, accountId, of, twin].join(" "));
    for (const other of await entriesByTwin(tx, { key: { appId, accountId, operation: of }, twinHash: twin, idType: id_type })) {
      const missed = missedKey({ appId, accountId, operation: of, documentId: other.document_id });
      const correction = missed && (await entryByKey(tx, missed));
      if (isSent(other.state) || (correction !== undefined && isSent(correction.state))) throw rivalledFailure(key);
    }
  };
}

function isSent(state: string): boolean {
  return state !== "queued" && state !== "refused";
}

/** Returns the entry's row, and locks it until the transaction ends. Undefined: there is no such entry. */
async function lockedRow(db: Db, key: EntryKey): Promise<Pick<EntryRow, "state" | "twin" | "id_type"> | undefined> {
  const { rows } = await rowUpdate(db, key);
  return rows[0];
}

/** An update that changes nothing and only locks the row. SQLite has no lock without an update, so both databases use the update. */
const rowUpdate = statement((db, { appId, accountId, operation, documentId }: Placeholders<EntryKey>) =>
  db
    .updateTable("entries")
    .set({ state: sql.ref("state") })
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("operation", "=", operation)
    .where("document_id", "=", documentId)
    .returning(["state", "twin", "id_type"]),
);
