import { type Kysely, sql } from "kysely";
import type { EntryRow, Tables } from "../store/tables.ts";
import type { EntryKey } from "./entry.ts";
import { begunAs, endedAs } from "./newest-queries.ts";

/** Queries for people who correct registered documents. They are built on each call, because no operation uses them. */
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
 * Returns done entries whose facts have this fiscal sign, newest first. There is no index: all entries of the drive are read.
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
 * Returns the return entries of the account that name this sign as the sign of their sale, oldest first. Refused returns are left out.
 * There is no index on the sign.
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

/**
 * The largest number of entries with one sign that are returned. Two documents of one drive hardly ever have the same
 * sign.
 */
const MAX_WITH_SIGN = 10;
