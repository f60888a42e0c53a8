import type { Insertable } from "kysely";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { LoyaltyCodesTable } from "../../store/loyalty-tables.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";

/**
 * Locks the rows of the account's access keys until the end of the transaction, so concurrent requests for codes of one account run in
 * sequence. The limits need this lock, because they count rows. An account whose tills can ask for a code always has an access key, so
 * there is a row to lock.
 */
export async function lockCodes(tx: Tx, { appId, accountId }: InstallationKey): Promise<void> {
  await tx
    .updateTable("loyalty_keys")
    .set((row) => ({ added_at_ms: row.ref("added_at_ms") }))
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .execute();
}

/** Returns when codes were sent to this address after `sinceMs`, the oldest first. Includes codes that no channel delivered. */
export async function sendsTo(db: Db, { appId, accountId }: InstallationKey, target: string, sinceMs: number): Promise<number[]> {
  const rows = await db
    .selectFrom("loyalty_codes")
    .select("sent_at_ms")
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("target", "=", target)
    .where("sent_at_ms", ">", sinceMs)
    .orderBy("sent_at_ms")
    .execute();
  return rows.map((row) => row.sent_at_ms);
}

/** Counts the codes that were sent from a point of sale after `sinceMs`. */
export async function countSendsOfStore(db: Db, { appId, accountId }: InstallationKey, storeId: string, sinceMs: number): Promise<number> {
  const row = await db
    .selectFrom("loyalty_codes")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("store_id", "=", storeId)
    .where("sent_at_ms", ">", sinceMs)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Returns the newest code of this purpose, person and address that has not been ended. The code may have expired. */
export function openCode(
  db: Db,
  { appId, accountId }: InstallationKey,
  asked: { purpose: string; subject: string; target: string },
): Promise<{ id: string; sent_at_ms: number; wait_seconds: number; expires_at_ms: number } | undefined> {
  return db
    .selectFrom("loyalty_codes")
    .select(["id", "sent_at_ms", "wait_seconds", "expires_at_ms"])
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("target", "=", asked.target)
    .where("purpose", "=", asked.purpose)
    .where("subject", "=", asked.subject)
    .where("ended_at_ms", "is", null)
    .orderBy("sent_at_ms", "desc")
    .limit(1)
    .executeTakeFirst();
}

export async function insertCode(tx: Tx, row: Insertable<LoyaltyCodesTable>): Promise<void> {
  await tx.insertInto("loyalty_codes").values(row).execute();
}

/** Ends a code and deletes its text. */
export async function endCode(tx: Tx, id: string, nowMs: number): Promise<void> {
  await tx.updateTable("loyalty_codes").set({ ended_at_ms: nowMs, code_sealed: null }).where("id", "=", id).execute();
}

/** Ends at most `limit` expired codes, deletes their text, and returns their number. */
export async function endExpiredCodes(tx: Tx, nowMs: number, limit: number): Promise<number> {
  const ended = await tx
    .updateTable("loyalty_codes")
    .set({ ended_at_ms: nowMs, code_sealed: null })
    .where("id", "in", (from) =>
      from.selectFrom("loyalty_codes").select("id").where("ended_at_ms", "is", null).where("expires_at_ms", "<=", nowMs).limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(ended.numUpdatedRows);
}

/** Deletes at most `limit` rows of codes sent before the moment, because no limit counts these codes any more. Returns their number. */
export async function deleteCodesBefore(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const deleted = await tx
    .deleteFrom("loyalty_codes")
    .where("id", "in", (from) =>
      from.selectFrom("loyalty_codes").select("id").where("sent_at_ms", "<", beforeMs).orderBy("sent_at_ms").limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(deleted.numDeletedRows);
}

/** Deletes at most `limit` rows of codes that were sent after the moment. Returns their number. */
export async function deleteCodesAfter(tx: Tx, afterMs: number, limit: number): Promise<number> {
  const deleted = await tx
    .deleteFrom("loyalty_codes")
    .where("id", "in", (from) =>
      from.selectFrom("loyalty_codes").select("id").where("sent_at_ms", ">", afterMs).orderBy("sent_at_ms").limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(deleted.numDeletedRows);
}

/** Deletes the account's codes to this address, and from this point of sale, that were sent after the moment. */
export async function deleteCodesOf(
  tx: Tx,
  { appId, accountId }: InstallationKey,
  { target, storeId, afterMs }: { target: string; storeId: string; afterMs: number },
): Promise<void> {
  await tx
    .deleteFrom("loyalty_codes")
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("sent_at_ms", ">", afterMs)
    .where((row) => row.or([row("target", "=", target), row("store_id", "=", storeId)]))
    .execute();
}

/** A sent code for spending. `target`: the hash of the address. */
export type SentCode = { target: string; sent_at_ms: number };

/**
 * Returns the codes for spending that were sent for this member from this point of sale after `sinceMs`. Omits a code that ended before it
 * expired: another code replaced it, or no channel delivered it. Omits a code if the member has spent points since it was sent, because a
 * code is for one purchase.
 */
export function spendingCodes(
  db: Db,
  { appId, accountId }: InstallationKey,
  { memberId, storeId, sinceMs }: { memberId: string; storeId: string; sinceMs: number },
): Promise<SentCode[]> {
  return db
    .selectFrom("loyalty_codes as c")
    .select(["c.target", "c.sent_at_ms"])
    .where("c.account_id", "=", accountId)
    .where("c.app_id", "=", appId)
    .where("c.sent_at_ms", ">", sinceMs)
    .where("c.purpose", "=", "spending")
    .where("c.subject", "=", memberId)
    .where("c.store_id", "=", storeId)
    .where((row) => row.or([row("c.ended_at_ms", "is", null), row("c.ended_at_ms", ">=", row.ref("c.expires_at_ms"))]))
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom("loyalty_orders as o")
            .select("o.id")
            .where("o.member_id", "=", memberId)
            .where("o.type", "=", "sale")
            .where("o.spent", ">", 0)
            .whereRef("o.received_at_ms", ">=", "c.sent_at_ms"),
        ),
      ),
    )
    .execute();
}
