import type { SchemaModule } from "kysely";
import type { Migration, MigrationDialect } from "./types.ts";

/** Makes the table that distinguishes a database from a copy of itself (PostgreSQL only), and the tables for readings of drives. */
export const changes: Migration = {
  version: 4,
  name: "changes",
  async up(tx, dialect) {
    // In SQLite the file's header counts the commits, and can be read without SQLite.
    if (dialect.kind === "postgres") await createCommitMarks(tx.schema, dialect);
    await createDriveReadings(tx.schema, dialect);
    await createLostDocuments(tx.schema, dialect);
  },
};

async function createCommitMarks(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("commit_marks")
    .addColumn("slot", int64, (c) => c.primaryKey())
    .addColumn("token", int64, (c) => c.notNull())
    .addColumn("count", int64, (c) => c.notNull());
  await finish(table, "by-id").execute();
}

async function createDriveReadings(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("drive_readings")
    .addColumn("drive_number", "text", (c) => c.primaryKey())
    .addColumn("read_to", int64, (c) => c.notNull())
    .addColumn("entry_id", int64, (c) => c.notNull());
  await finish(table, "by-key").execute();
}

async function createLostDocuments(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("lost_documents")
    .addColumn("drive_number", "text", (c) => c.notNull())
    .addColumn("document_number", int64, (c) => c.notNull())
    .addColumn("reference", "text")
    .addPrimaryKeyConstraint("lost_documents_key", ["drive_number", "document_number"]);
  await finish(table, "by-key").execute();
}
