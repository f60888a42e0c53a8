import { type Insertable, type Kysely, sql, type Transaction } from "kysely";
import type { InstallationKey } from "../accounts/installation.ts";
import { present } from "../kernel/present.ts";
import type { PaymentMovesTable, PaymentRow, PaymentsTable } from "../store/payment-tables.ts";
import { type Placeholders, statement } from "../store/statement.ts";
import type { Tables } from "../store/tables.ts";

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export type PaymentChange = Partial<Omit<PaymentsTable, "id">>;

/** Inserts the payment. Returns false, and changes nothing, if the operation already has an attempt of this number. */
export async function insertPayment(tx: Tx, row: Insertable<PaymentsTable>): Promise<boolean> {
  const result = await tx
    .insertInto("payments")
    .values(row)
    .onConflict((conflict) => conflict.columns(["account_id", "app_id", "operation_id", "attempt"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The newest attempt of an operation, without a lock. */
export async function newestAttempt(db: Db, { appId, accountId }: InstallationKey, operationId: string): Promise<PaymentRow | undefined> {
  const { rows } = await newestSelect(db, { appId, accountId, operationId });
  return rows[0];
}

const newestSelect = statement((db, { appId, accountId, operationId }: Placeholders<InstallationKey & { operationId: string }>) =>
  db
    .selectFrom("payments")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("operation_id", "=", operationId)
    .orderBy("attempt", "desc")
    .limit(1),
);

export async function paymentById(db: Db, id: string): Promise<PaymentRow | undefined> {
  const { rows } = await byIdSelect(db, { id });
  return rows[0];
}

const byIdSelect = statement((db, { id }: Placeholders<{ id: string }>) => db.selectFrom("payments").selectAll().where("id", "=", id));

/** Reads and locks the payment until the end of the transaction. */
export async function lockPayment(tx: Tx, id: string): Promise<PaymentRow | undefined> {
  const { rows } = await lockUpdate(tx, { id });
  return rows[0];
}

const lockUpdate = statement((db, { id }: Placeholders<{ id: string }>) =>
  db
    .updateTable("payments")
    .set((row) => ({ attempt: row.ref("attempt") }))
    .where("id", "=", id)
    .returningAll(),
);

/** Changes the payment. Call it after `lockPayment`. */
export async function updatePayment(tx: Tx, id: string, change: PaymentChange): Promise<void> {
  await paymentUpdate(tx, { id, ...present(change) });
}

const paymentUpdate = statement((db, { id, ...change }: Placeholders<{ id: string } & PaymentChange>) =>
  db.updateTable("payments").set(change).where("id", "=", id),
);

export async function insertPaymentMove(tx: Tx, move: Omit<PaymentMovesTable, "number">): Promise<void> {
  const newest = await tx
    .selectFrom("payment_moves")
    .select("number")
    .where("payment_id", "=", move.payment_id)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  await tx
    .insertInto("payment_moves")
    .values({ ...move, number: (newest?.number ?? 0) + 1 })
    .execute();
}

export function paymentMoves(db: Db, id: string): Promise<PaymentMovesTable[]> {
  return db.selectFrom("payment_moves").selectAll().where("payment_id", "=", id).orderBy("number").execute();
}

/** Payments due at this moment, the longest due first. Uses the index `payments_followed`. */
export function duePayments(
  db: Db,
  nowMs: number,
  { limit, without = [] }: { limit: number; without?: readonly string[] },
): Promise<{ id: string; merchant: string; next_read_at_ms: number | null }[]> {
  const query = db
    .selectFrom("payments")
    .select(["id", "merchant", "next_read_at_ms"])
    .where("next_read_at_ms", "is not", null)
    .where("next_read_at_ms", "<=", nowMs)
    .orderBy("next_read_at_ms")
    .limit(limit);
  return (without.length === 0 ? query : query.where("merchant", "not in", without)).execute();
}

/** A place in the order in which payments are due. */
export interface DuePlace {
  dueMs: number;
  id: string;
}

/**
 * Changes the next `limit` payments that have a next reading, so that they are due since their creation, or since now if the clock shows a
 * time before their creation. Goes from the payment that is due latest to the payment that is due earliest, and begins after the place
 * `before`. A change makes a payment due earlier, so a payment is met at most twice. Returns the place of the last payment that was looked
 * at; undefined when no payment is left.
 */
export async function makeNextDue(tx: Tx, nowMs: number, before: DuePlace | undefined, limit: number): Promise<DuePlace | undefined> {
  const followed = tx.selectFrom("payments").where("next_read_at_ms", "is not", null);
  const left = before === undefined ? followed : followed.where(sql<boolean>`(next_read_at_ms, id) < (${before.dueMs}, ${before.id})`);
  const looked = await left
    .select(["id", "created_at_ms", "next_read_at_ms"])
    .orderBy("next_read_at_ms", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  const early = looked.filter((row) => row.next_read_at_ms !== Math.min(row.created_at_ms, nowMs)).map(({ id }) => id);
  if (early.length > 0) {
    await tx
      .updateTable("payments")
      .set((row) => ({
        next_read_at_ms: row.case().when("created_at_ms", "<", nowMs).then(row.ref("created_at_ms")).else(nowMs).end(),
      }))
      .where("id", "in", early)
      .where("next_read_at_ms", "is not", null)
      .execute();
  }
  const last = looked.length < limit ? undefined : looked.at(-1);
  return last && { dueMs: last.next_read_at_ms ?? 0, id: last.id };
}

/**
 * The payment that a notification names, by the bank's id or by the payment's id. The statements name no account, because SQLite would then
 * read all payments of the account.
 */
export async function paymentOfBank(
  db: Db,
  { appId, accountId }: InstallationKey,
  named: { acquirer: string; bankId: string; paymentId?: string },
): Promise<PaymentRow | undefined> {
  const { acquirer, bankId, paymentId } = named;
  const isMeant = (row: PaymentRow) => row.account_id === accountId && row.app_id === appId && row.acquirer === acquirer;
  const ofBank = (await ofBankSelect(db, { bankId })).rows.find(isMeant);
  if (ofBank !== undefined || paymentId === undefined) return ofBank;
  return (await byIdSelect(db, { id: paymentId })).rows.find(isMeant);
}

/** A prepared statement: banks may send hundreds of notifications in a second. */
const ofBankSelect = statement((db, { bankId }: Placeholders<{ bankId: string }>) =>
  db.selectFrom("payments").selectAll().where("bank_id", "=", bankId),
);

/** Sets when a payment is due. Call it in the transaction that has read the payment. */
export async function hurryPayment(tx: Tx, id: string, dueMs: number): Promise<void> {
  await hurryUpdate(tx, { id, dueMs });
}

const hurryUpdate = statement((db, { id, dueMs }: Placeholders<{ id: string; dueMs: number }>) =>
  db.updateTable("payments").set({ next_read_at_ms: dueMs }).where("id", "=", id),
);

/** Followed payments in an open state or in `refunding`, by acquirer, for the metrics. */
export function countFollowed(db: Db): Promise<{ acquirer: string; count: number }[]> {
  return db
    .selectFrom("payments")
    .select(["acquirer", (row) => row.fn.countAll<number>().as("count")])
    .where("next_read_at_ms", "is not", null)
    .where("state", "in", ["creating", "waiting", "cancelling", "unknown", "refunding"])
    .groupBy("acquirer")
    .execute();
}
