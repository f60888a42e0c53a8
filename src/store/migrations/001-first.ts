import { type SchemaModule, sql } from "kysely";
import type { Migration, MigrationDialect } from "./types.ts";

/** Makes the tables of the journal and of installations. tables.ts describes the columns. */
export const first: Migration = {
  version: 1,
  name: "first",
  async up(tx, dialect) {
    await createEntries(tx.schema, dialect);
    await createMoves(tx.schema, dialect);
    await createAnswers(tx.schema, dialect);
    await createShiftLinks(tx.schema, dialect);
    await createInstallations(tx.schema, dialect);
    await createFiscalKeys(tx.schema, dialect);
    await createSeenTokens(tx.schema, dialect);
    await createSettings(tx.schema, dialect);
  },
};

/** Short columns come first: a scan then skips the overflow pages of long columns. */
async function createEntries(schema: SchemaModule, { int64, identity, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("entries")
    .addColumn("id", int64, identity)
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("operation", "text", (c) => c.notNull())
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("id_type", "text", (c) => c.notNull())
    .addColumn("store_id", "text", (c) => c.notNull())
    .addColumn("register", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull().check(sql`state in ('queued', 'sending', 'done', 'refused', 'in-doubt')`))
    .addColumn("attempt", int64, (c) => c.notNull())
    .addColumn("content_hash", "text", (c) => c.notNull())
    .addColumn("twin", "text", (c) => c.notNull())
    .addColumn("paper", "text", (c) => c.notNull())
    .addColumn("accepted_at_ms", int64, (c) => c.notNull())
    .addColumn("moved_at_ms", int64, (c) => c.notNull())
    .addColumn("drive_number", "text")
    .addColumn("shift_number", int64)
    .addColumn("content", "text", (c) => c.notNull())
    .addColumn("document", "text", (c) => c.notNull())
    .addColumn("checkpoint", "text")
    .addColumn("facts", "text")
    .addColumn("refusal", "text")
    .addColumn("doubt", "text")
    .addCheckConstraint("entries_done_has_facts", sql`state <> 'done' or facts is not null`)
    .addCheckConstraint("entries_sent_has_checkpoint", sql`state not in ('sending', 'done', 'in-doubt') or checkpoint is not null`);
  await finish(table, "by-id").execute();
  await schema.createIndex("entries_key").unique().on("entries").columns(["account_id", "app_id", "operation", "document_id"]).execute();
  await schema.createIndex("entries_state").on("entries").column("state").execute();
  await schema.createIndex("entries_register").on("entries").columns(["register", "id"]).execute();
  await schema.createIndex("entries_twin").on("entries").column("twin").execute();
  await schema
    .createIndex("entries_openings")
    .on("entries")
    .columns(["register", "drive_number", "shift_number"])
    .where(sql`operation`, "in", sql`('open-shift', 'auto-open-shift')`)
    .execute();
}

async function createMoves(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("moves")
    .addColumn("entry_id", int64, (c) => c.notNull().references("entries.id"))
    .addColumn("attempt", int64, (c) => c.notNull())
    .addColumn("to_state", "text", (c) => c.notNull())
    .addColumn("from_state", "text")
    .addColumn("at_ms", int64, (c) => c.notNull())
    .addColumn("by", "text", (c) => c.notNull())
    .addColumn("note", "text")
    // The primary key prevents sending an attempt twice, even after a fault of the program.
    .addPrimaryKeyConstraint("moves_key", ["entry_id", "attempt", "to_state"]);
  await finish(table, "by-key").execute();
}

async function createAnswers(schema: SchemaModule, { int64, bytes, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("answers")
    .addColumn("entry_id", int64, (c) => c.primaryKey().references("entries.id"))
    .addColumn("stored_at_ms", int64, (c) => c.notNull())
    .addColumn("body", bytes, (c) => c.notNull());
  await finish(table, "by-id").execute();
  await schema.createIndex("answers_stored").on("answers").column("stored_at_ms").execute();
}

async function createShiftLinks(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("shift_links")
    .addColumn("register", "text", (c) => c.notNull())
    .addColumn("drive_number", "text", (c) => c.notNull())
    .addColumn("shift_number", int64, (c) => c.notNull())
    .addColumn("id_type", "text", (c) => c.notNull())
    .addColumn("shift_id", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("shift_links_key", ["register", "drive_number", "shift_number", "id_type"]);
  await finish(table, "by-key").execute();
}

async function createInstallations(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("installations")
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("account_name", "text", (c) => c.notNull())
    .addColumn("access_token_sealed", "text")
    .addColumn("subscription", "text")
    .addColumn("permissions", "text")
    .addColumn("installed_at_ms", int64, (c) => c.notNull())
    .addColumn("updated_at_ms", int64, (c) => c.notNull())
    .addPrimaryKeyConstraint("installations_key", ["app_id", "account_id"]);
  await finish(table, "by-key").execute();
}

async function createFiscalKeys(schema: SchemaModule, { int64, identity, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("fiscal_keys")
    .addColumn("id", int64, identity)
    .addColumn("registration_id", "text", (c) => c.notNull())
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("spki", "text")
    .addColumn("problem", "text")
    .addColumn("added_at_ms", int64, (c) => c.notNull())
    .addColumn("retires_at_ms", int64)
    .addForeignKeyConstraint("fiscal_keys_installation", ["app_id", "account_id"], "installations", ["app_id", "account_id"]);
  await finish(table, "by-id").execute();
  await schema.createIndex("fiscal_keys_registration").on("fiscal_keys").column("registration_id").execute();
  await schema.createIndex("fiscal_keys_account").on("fiscal_keys").columns(["app_id", "account_id"]).execute();
}

async function createSeenTokens(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("seen_tokens")
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("jti", "text", (c) => c.notNull())
    .addColumn("request_id", "text")
    .addColumn("method", "text", (c) => c.notNull())
    .addColumn("path", "text", (c) => c.notNull())
    .addColumn("body_hash", "text", (c) => c.notNull())
    .addColumn("status", int64)
    .addColumn("answer", "text")
    .addColumn("expires_at_ms", int64, (c) => c.notNull())
    .addPrimaryKeyConstraint("seen_tokens_key", ["app_id", "jti"]);
  await finish(table, "by-key").execute();
  await schema.createIndex("seen_tokens_expiry").on("seen_tokens").column("expires_at_ms").execute();
}

async function createSettings(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("settings")
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("store_id", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("sealed", int64, (c) => c.notNull().check(sql`sealed in (0, 1)`))
    .addColumn("updated_at_ms", int64, (c) => c.notNull())
    .addPrimaryKeyConstraint("settings_key", ["app_id", "account_id", "store_id", "name"]);
  await finish(table, "by-key").execute();
}
