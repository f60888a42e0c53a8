import type { Insertable, Selectable } from "kysely";
import type { SeenTokensTable } from "../store/tables.ts";
import type { Db } from "./installation-queries.ts";

export type SeenTokenRow = Selectable<SeenTokensTable>;

/** False when the id is there already; nothing is changed then. */
export async function insertToken(db: Db, row: Insertable<SeenTokensTable>): Promise<boolean> {
  const result = await db
    .insertInto("seen_tokens")
    .values(row)
    .onConflict((conflict) => conflict.columns(["app_id", "jti"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export function selectToken(db: Db, appId: string, jti: string): Promise<SeenTokenRow | undefined> {
  return db.selectFrom("seen_tokens").selectAll().where("app_id", "=", appId).where("jti", "=", jti).executeTakeFirst();
}

/** The first answer of a token stays. */
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

export async function deleteTokensBefore(db: Db, expiredBeforeMs: number): Promise<void> {
  await db.deleteFrom("seen_tokens").where("expires_at_ms", "<", expiredBeforeMs).execute();
}
