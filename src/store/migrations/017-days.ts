import type { SchemaModule, Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import type { Migration, MigrationDialect } from "./types.ts";

/**
 * Makes the tables of answers and notifications, which are deleted after some days. PostgreSQL drops a whole day as one part
 * (day-parts.ts). SQLite drops a table page by page under its only write lock. Its tables therefore have no parts, and rows are deleted a
 * few at a time. The old tables are read until they are empty.
 */
export const days: Migration = {
  version: 17,
  name: "days",
  async up(tx, dialect) {
    await createAnswers(tx, dialect);
    await createNotifications(tx, dialect);
  },
};

/** The key must contain the column that decides the part. An entry is done at one moment only, so the key is as unique as the entry. */
async function createAnswers(tx: Transaction<Tables>, dialect: MigrationDialect): Promise<void> {
  const { int64, bytes } = dialect;
  const table = tx.schema
    .createTable("day_answers")
    .addColumn("entry_id", int64, (c) => c.notNull())
    .addColumn("done_at_ms", int64, (c) => c.notNull())
    .addColumn("body", bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint("day_answers_key", ["entry_id", "done_at_ms"]);
  await dialect.inDays(table, "done_at_ms").execute();
  await dialect.makeRest(tx, "day_answers", "done_at_ms");
  if (dialect.kind === "sqlite") await indexForDeletion(tx.schema, "day_answers", "done_at_ms");
}

async function createNotifications(tx: Transaction<Tables>, dialect: MigrationDialect): Promise<void> {
  const { int64, numberType, numbered } = dialect;
  const { schema } = tx;
  const table = schema
    .createTable("day_notifications")
    .addColumn("id", numberType, numbered)
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("request_id", "text", (c) => c.notNull())
    .addColumn("objects", int64, (c) => c.notNull())
    .addColumn("events", "text")
    .addColumn("day_ms", int64, (c) => c.notNull())
    .addColumn("received_at_ms", int64, (c) => c.notNull())
    .addColumn("done_at_ms", int64)
    .addUniqueConstraint("day_notifications_number", ["id", "day_ms"])
    .addUniqueConstraint("day_notifications_request", ["app_id", "account_id", "request_id", "day_ms"]);
  await dialect.inDays(table, "day_ms").execute();
  await dialect.makeRest(tx, "day_notifications", "day_ms");
  await schema
    .createIndex("day_notifications_waiting")
    .on("day_notifications")
    .columns(["done_at_ms", "app_id", "account_id", "objects"])
    .execute();
}

async function indexForDeletion(schema: SchemaModule, table: string, column: string): Promise<void> {
  await schema.createIndex(`${table}_age`).on(table).column(column).execute();
}
