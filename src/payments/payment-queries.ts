import type { Insertable, Kysely, Transaction } from "kysely";
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

/**
 * Makes all followed payments due, in the order of their creation. Needed at a start, because the banks may have had news meanwhile. Needed
 * after the wall clock was set back, because the stored times are then wrong.
 */
export async function makeAllDue(tx: Tx, nowMs: number): Promise<void> {
  await tx
    .updateTable("payments")
    .set((row) => ({
      next_read_at_ms: row.case().when("created_at_ms", "<", nowMs).then(row.ref("created_at_ms")).else(nowMs).end(),
    }))
    .where("next_read_at_ms", "is not", null)
    .execute();
}

/** The payment that a notification names, by the bank's id or by the payment's id. */
export async function paymentOfBank(
  db: Db,
  { appId, accountId }: InstallationKey,
  named: { acquirer: string; bankId: string; paymentId?: string },
): Promise<PaymentRow | undefined> {
  const { acquirer, bankId, paymentId } = named;
  const { rows } = await ofBankSelect(db, { appId, accountId, acquirer, bankId, ...present({ paymentId }) });
  return rows[0];
}

type NamedByBank = InstallationKey & { acquirer: string; bankId: string; paymentId?: string };

/** A prepared statement: banks may send hundreds of notifications in a second. */
const ofBankSelect = statement((db, { appId, accountId, acquirer, bankId, paymentId }: Placeholders<NamedByBank>) =>
  db
    .selectFrom("payments")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("acquirer", "=", acquirer)
    .where((row) => row.or([row("bank_id", "=", bankId), ...(paymentId === undefined ? [] : [row("id", "=", paymentId)])]))
    .limit(1),
);

/** Sets when a payment is due. Call it in the transaction that has read the payment. */
export async function hurryPayment(tx: Tx, id: string, dueMs: number): Promise<void> {
  await hurryUpdate(tx, { id, dueMs });
}

const hurryUpdate = statement((db, { id, dueMs }: Placeholders<{ id: string; dueMs: number }>) =>
  db.updateTable("payments").set({ next_read_at_ms: dueMs }).where("id", "=", id),
);

export interface PaymentFilter {
  accountId?: string;
  storeId?: string;
  state?: string;
  /** Only payments that were created at this moment or later, and before `toMs`. */
  fromMs?: number;
  toMs?: number;
  after?: { createdAtMs: number; id: string };
  limit: number;
}

/** Lists payments for a person, the newest first. */
export function listPayments(db: Db, filter: PaymentFilter): Promise<PaymentRow[]> {
  let query = db.selectFrom("payments").selectAll().orderBy("created_at_ms", "desc").orderBy("id").limit(filter.limit);
  if (filter.accountId !== undefined) query = query.where("account_id", "=", filter.accountId);
  if (filter.storeId !== undefined) query = query.where("store_id", "=", filter.storeId);
  if (filter.state !== undefined) query = query.where("state", "=", filter.state);
  if (filter.fromMs !== undefined) query = query.where("created_at_ms", ">=", filter.fromMs);
  if (filter.toMs !== undefined) query = query.where("created_at_ms", "<", filter.toMs);
  const { after } = filter;
  if (after !== undefined) {
    query = query.where((row) =>
      row.or([
        row("created_at_ms", "<", after.createdAtMs),
        row.and([row("created_at_ms", "=", after.createdAtMs), row("id", ">", after.id)]),
      ]),
    );
  }
  return query.execute();
}

/** Payments whose id, operation id or bank id is this text, newest first. For a person's requests. */
export function paymentsNamed(db: Db, text: string, limit: number): Promise<PaymentRow[]> {
  return db
    .selectFrom("payments")
    .selectAll()
    .where((row) => row.or([row("id", "=", text), row("operation_id", "=", text), row("bank_id", "=", text)]))
    .orderBy("created_at_ms", "desc")
    .orderBy("attempt", "desc")
    .limit(limit)
    .execute();
}

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
