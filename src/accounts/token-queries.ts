import type { Insertable, Selectable } from "kysely";
import type { SeenTokensTable } from "../store/tables.ts";
import type { Db } from "./installation-queries.ts";

export type SeenTokenRow = Selectable<SeenTokensTable>;

/** Returns false, and changes nothing, if the id is stored already. */
export async function insertToken(db: Db, row: Insertable<SeenTokensTable>): Promise<boolean> {
  const result = await db
    .insertInto("seen_tokens")
    .values(row)
    .onConflict((conflict) => conflict.columns(["app_id", "jti"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/**
 * Inserts the token at its first use. `stored`: the id is stored already. `forgotten`: the token may have been used, because records with
 * this or a later expiry were deleted. Changes nothing in both cases.
 *
 * The insert comes first, and then the newest deleted expiry is read. If the reading came first, a process whose clock is ahead could
 * delete the token's record between the two statements. Then a used token would seem new.
 */
export async function insertUnused(db: Db, row: Insertable<SeenTokensTable>): Promise<"first" | "stored" | "forgotten"> {
  if (!(await insertToken(db, row))) return "stored";
  if (row.expires_at_ms > ((await selectForgottenTo(db, row.app_id)) ?? Number.NEGATIVE_INFINITY)) return "first";
  await db.deleteFrom("seen_tokens").where("app_id", "=", row.app_id).where("jti", "=", row.jti).execute();
  return "forgotten";
}

export function selectToken(db: Db, appId: string, jti: string): Promise<SeenTokenRow | undefined> {
  return db.selectFrom("seen_tokens").selectAll().where("app_id", "=", appId).where("jti", "=", jti).executeTakeFirst();
}

/** Stores the answer to the call of a token, unless an answer is already stored. */
export async function updateTokenAnswer(
  db: Db,
  token: { appId: string; jti: string; status: number; answer: string | null },
): Promise<void> {
  await db
    .updateTable("seen_tokens")
    .set({ status: token.status, answer: token.answer })
    .where("app_id", "=", token.appId)
    .where("jti", "=", token.jti)
    .where("status", "is", null)
    .execute();
}

/**
 * Deletes at most `limit` token records with this `appId` that expired before `expiredBeforeMs`, the earliest expiry first.
 * The `kept` records that expire last stay. Records with the same expiry as the last deleted record are deleted too, even beyond `limit`
 * and `kept`. Stores the newest expiry of the deleted records. Returns the number of deleted records.
 */
export async function forgetTokensBefore(db: Db, appId: string, expiredBeforeMs: number, kept: number, limit: number): Promise<number> {
  const records = db.selectFrom("seen_tokens").select("expires_at_ms").where("app_id", "=", appId);
  const beyond = await records.orderBy("expires_at_ms", "desc").offset(kept).limit(1).executeTakeFirst();
  if (beyond === undefined) return 0;
  const first = records
    .where("expires_at_ms", "<=", beyond.expires_at_ms)
    .where("expires_at_ms", "<", expiredBeforeMs)
    .orderBy("expires_at_ms")
    .limit(limit);
  const expired = await db
    .selectFrom(first.as("first"))
    .select((select) => select.fn.max("first.expires_at_ms").as("newestMs"))
    .executeTakeFirst();
  const newestMs = expired?.newestMs ?? null;
  if (newestMs === null) return 0;
  await db
    .insertInto("forgotten_tokens")
    .values({ app_id: appId, expired_to_ms: newestMs })
    .onConflict((conflict) =>
      conflict.column("app_id").doUpdateSet({ expired_to_ms: newestMs }).where("forgotten_tokens.expired_to_ms", "<", newestMs),
    )
    .execute();
  const { numDeletedRows } = await db
    .deleteFrom("seen_tokens")
    .where("app_id", "=", appId)
    .where("expires_at_ms", "<=", newestMs)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/**
 * Returns the newest expiry among deleted records. A token with this or an earlier expiry may have been used, although it has no record.
 */
export async function selectForgottenTo(db: Db, appId: string): Promise<number | undefined> {
  const row = await db.selectFrom("forgotten_tokens").select("expired_to_ms").where("app_id", "=", appId).executeTakeFirst();
  return row?.expired_to_ms;
}
