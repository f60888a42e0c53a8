import type { PaymentCallsTable } from "../store/payment-tables.ts";
import type { Db, Tx } from "./payment-queries.ts";

/** Stores a call before the bank is asked. Returns the call's number. */
export async function insertCall(tx: Tx, call: Omit<PaymentCallsTable, "number" | "ended_at_ms" | "outcome">): Promise<number> {
  const newest = await tx
    .selectFrom("payment_calls")
    .select("number")
    .where("payment_id", "=", call.payment_id)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  const number = (newest?.number ?? 0) + 1;
  await tx
    .insertInto("payment_calls")
    .values({ ...call, number, ended_at_ms: null, outcome: null })
    .execute();
  return number;
}

export async function endCall(tx: Tx, paymentId: string, number: number, outcome: string, atMs: number): Promise<void> {
  await tx
    .updateTable("payment_calls")
    .set({ outcome, ended_at_ms: atMs })
    .where("payment_id", "=", paymentId)
    .where("number", "=", number)
    .execute();
}

export function callsOf(db: Db, paymentId: string): Promise<PaymentCallsTable[]> {
  return db.selectFrom("payment_calls").selectAll().where("payment_id", "=", paymentId).orderBy("number").execute();
}
