import { type Kysely, sql } from "kysely";
import type { EntryRow, Tables } from "../store/tables.ts";
import type { EntryKey } from "./entry.ts";
import { begunAs, endedAs } from "./newest-queries.ts";

/** For people who correct what was registered: built when they ask, and never part of an operation. */
type Db = Kysely<Tables>;

/** Entries of the key's account and operation whose document ids begin so, the oldest first. */
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

/** Done entries whose facts name the sign, the newest first. No index leads here: all of a drive's entries are read. */
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

/** Returns of the account that name this sign as their sale's, refused ones left out, the oldest first. No index leads to the sign. */
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

/** Signs of one drive repeat once in thousands of millions. */
const MAX_WITH_SIGN = 10;
