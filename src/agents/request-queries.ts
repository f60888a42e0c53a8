import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../store/tables.ts";

type Db = Kysely<Tables>;
type Tx = Transaction<Tables>;

export async function insertRequest(tx: Tx, row: { id: string; asked_at_ms: number; request: string }): Promise<void> {
  await tx
    .insertInto("agent_requests")
    .values({ ...row, answer: null })
    .execute();
}

/** Returns unanswered requests, the oldest first. `skip`: how many of the oldest are left out. */
export function selectOpenRequests(db: Db, limit: number, skip: number): Promise<{ id: string; request: string }[]> {
  return db
    .selectFrom("agent_requests")
    .select(["id", "request"])
    .where("answer", "is", null)
    .orderBy("asked_at_ms")
    .orderBy("id")
    .limit(limit)
    .offset(skip)
    .execute();
}

/** Returns the answer to a request. Null: none yet. Undefined: there is no such request. */
export async function selectAnswer(db: Db, id: string): Promise<string | null | undefined> {
  const row = await db.selectFrom("agent_requests").select("answer").where("id", "=", id).executeTakeFirst();
  return row?.answer;
}

/** Stores an answer, unless the request was deleted or is answered already. */
export async function updateAnswer(tx: Tx, id: string, answer: string): Promise<void> {
  await tx.updateTable("agent_requests").set({ answer }).where("id", "=", id).where("answer", "is", null).execute();
}

/** Deletes a request and returns its answer, if any. */
export async function takeRequest(tx: Tx, id: string): Promise<string | undefined> {
  const row = await tx.deleteFrom("agent_requests").where("id", "=", id).returning("answer").executeTakeFirst();
  return row?.answer ?? undefined;
}

export async function deleteOldRequests(tx: Tx, beforeMs: number): Promise<void> {
  await tx.deleteFrom("agent_requests").where("asked_at_ms", "<", beforeMs).execute();
}
