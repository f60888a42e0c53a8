import { type SchemaModule, sql } from "kysely";
import type { Migration, MigrationDialect } from "./types.ts";

/** Makes the tables for QR payments, acquirers' accounts, keys of QR tokens, and leases. payment-tables.ts describes the columns. */
export const payments: Migration = {
  version: 8,
  name: "payments",
  async up(tx, dialect) {
    await addQrSums(tx.schema, dialect);
    await createPayments(tx.schema, dialect);
    await createPaymentMoves(tx.schema, dialect);
    await createPaymentCalls(tx.schema, dialect);
    await createRefunds(tx.schema, dialect);
    await createBankNotifications(tx.schema, dialect);
    await createAcquirerAccounts(tx.schema, dialect);
    await createKeySets(tx.schema, dialect);
    await createLeases(tx.schema, dialect);
  },
};

/** Earlier rows get no sum: no earlier sale belongs to a payment of this server. */
async function addQrSums(schema: SchemaModule, { int64 }: MigrationDialect): Promise<void> {
  await schema.alterTable("entries").addColumn("qr_kopecks", int64).execute();
  await schema
    .createIndex("entries_qr")
    .on("entries")
    .columns(["account_id", "store_id", "qr_kopecks", "id"])
    .where(sql`qr_kopecks`, "is not", null)
    .execute();
}

async function createPayments(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("payments")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("operation_id", "text", (c) => c.notNull())
    .addColumn("attempt", int64, (c) => c.notNull())
    .addColumn("store_id", "text", (c) => c.notNull())
    .addColumn("acquirer", "text", (c) => c.notNull())
    .addColumn("merchant", "text", (c) => c.notNull())
    .addColumn("amount_kopecks", int64, (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("doubt", "text")
    .addColumn("told", "text")
    .addColumn("cancelled", int64, (c) => c.notNull())
    .addColumn("freed", int64, (c) => c.notNull())
    .addColumn("refunded_kopecks", int64, (c) => c.notNull())
    .addColumn("created_at_ms", int64, (c) => c.notNull())
    .addColumn("moved_at_ms", int64, (c) => c.notNull())
    .addColumn("expires_at_ms", int64, (c) => c.notNull())
    .addColumn("bank_expires_at_ms", int64)
    .addColumn("read_at_ms", int64)
    .addColumn("next_read_at_ms", int64)
    .addColumn("paid_at_ms", int64)
    .addColumn("told_at_ms", int64)
    .addColumn("told_entry_id", int64)
    .addColumn("late_kopecks", int64)
    .addColumn("late_state", "text")
    .addColumn("sale_entry_id", int64, (c) => c.references("entries.id"))
    .addColumn("unsold_told", int64, (c) => c.notNull())
    .addColumn("bank_id", "text")
    .addColumn("raw_status", "text")
    .addColumn("description", "text", (c) => c.notNull())
    .addColumn("qr_text", "text")
    .addColumn("reason", "text");
  await finish(table, "by-id").execute();
  await schema
    .createIndex("payments_operation")
    .unique()
    .on("payments")
    .columns(["account_id", "app_id", "operation_id", "attempt"])
    .execute();
  await schema.createIndex("payments_bank").on("payments").columns(["bank_id", "merchant"]).execute();
  await schema
    .createIndex("payments_followed")
    .on("payments")
    .column("next_read_at_ms")
    .where(sql`next_read_at_ms`, "is not", null)
    .execute();
  await schema
    .createIndex("payments_unsold")
    .on("payments")
    .columns(["paid_at_ms", "id"])
    .where(sql`sale_entry_id`, "is", null)
    .where(sql`paid_at_ms`, "is not", null)
    .execute();
  // A sale belongs to at most one payment.
  await schema.createIndex("payments_sale").unique().on("payments").column("sale_entry_id").execute();
}

async function createPaymentMoves(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("payment_moves")
    .addColumn("payment_id", "text", (c) => c.notNull().references("payments.id"))
    .addColumn("number", int64, (c) => c.notNull())
    .addColumn("at_ms", int64, (c) => c.notNull())
    .addColumn("from_state", "text")
    .addColumn("to_state", "text", (c) => c.notNull())
    .addColumn("why", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("payment_moves_key", ["payment_id", "number"]);
  await finish(table, "by-key").execute();
}

async function createPaymentCalls(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("payment_calls")
    .addColumn("payment_id", "text", (c) => c.notNull().references("payments.id"))
    .addColumn("number", int64, (c) => c.notNull())
    .addColumn("call", "text", (c) => c.notNull())
    .addColumn("refund_number", int64)
    .addColumn("order_hash", "text", (c) => c.notNull())
    .addColumn("at_ms", int64, (c) => c.notNull())
    .addColumn("ended_at_ms", int64)
    .addColumn("outcome", "text")
    .addPrimaryKeyConstraint("payment_calls_key", ["payment_id", "number"]);
  await finish(table, "by-key").execute();
}

async function createRefunds(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("payment_refunds")
    .addColumn("payment_id", "text", (c) => c.notNull().references("payments.id"))
    .addColumn("number", int64, (c) => c.notNull())
    .addColumn("amount_kopecks", int64, (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("cause", "text", (c) => c.notNull())
    .addColumn("asked_at_ms", int64, (c) => c.notNull())
    .addColumn("attempts", int64, (c) => c.notNull())
    .addColumn("tried_at_ms", int64)
    .addColumn("next_try_at_ms", int64)
    .addColumn("before_kopecks", int64)
    .addColumn("bank_refund_id", "text")
    .addColumn("reason", "text")
    .addPrimaryKeyConstraint("payment_refunds_key", ["payment_id", "number"]);
  await finish(table, "by-key").execute();
}

async function createBankNotifications(schema: SchemaModule, { int64, identity, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("bank_notifications")
    .addColumn("id", int64, identity)
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("acquirer", "text", (c) => c.notNull())
    .addColumn("bank_id", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("body_hash", "text", (c) => c.notNull())
    .addColumn("proved", int64, (c) => c.notNull())
    .addColumn("received_at_ms", int64, (c) => c.notNull())
    .addColumn("payment_id", "text");
  await finish(table, "by-id").execute();
  await schema
    .createIndex("bank_notifications_once")
    .unique()
    .on("bank_notifications")
    .columns(["account_id", "app_id", "acquirer", "bank_id", "status", "body_hash"])
    .execute();
  await schema.createIndex("bank_notifications_received").on("bank_notifications").column("received_at_ms").execute();
}

async function createAcquirerAccounts(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const accounts = schema
    .createTable("acquirer_accounts")
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("merchant", "text", (c) => c.notNull())
    .addColumn("acquirer", "text", (c) => c.notNull())
    .addColumn("setting_sealed", "text", (c) => c.notNull())
    .addColumn("updated_at_ms", int64, (c) => c.notNull())
    .addPrimaryKeyConstraint("acquirer_accounts_key", ["app_id", "account_id", "merchant"]);
  await finish(accounts, "by-key").execute();
  const hooks = schema
    .createTable("acquirer_hooks")
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("acquirer", "text", (c) => c.notNull())
    .addColumn("secret_sealed", "text", (c) => c.notNull())
    .addColumn("secret_hash", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("acquirer_hooks_key", ["app_id", "account_id", "acquirer"]);
  await finish(hooks, "by-key").execute();
  await schema.createIndex("acquirer_hooks_secret").unique().on("acquirer_hooks").column("secret_hash").execute();
}

async function createKeySets(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("key_sets")
    .addColumn("address", "text", (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .addColumn("fetched_at_ms", int64, (c) => c.notNull())
    .addColumn("max_age_ms", int64, (c) => c.notNull())
    .addPrimaryKeyConstraint("key_sets_key", ["address"]);
  await finish(table, "by-key").execute();
}

async function createLeases(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("leases")
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("holder", "text", (c) => c.notNull())
    .addColumn("token", int64, (c) => c.notNull())
    .addColumn("counter", int64, (c) => c.notNull())
    .addPrimaryKeyConstraint("leases_key", ["name"]);
  await finish(table, "by-key").execute();
}
