import { sql, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import type { Migration, MigrationDialect } from "./types.ts";

/**
 * Gives moves a number for their order. A move to done also gets its document's number in the drive. The long rows of entries stay
 * unchanged. One index finds a shift by its drive, whatever the register's address. Another index has only the unfinished entries.
 */
export const newest: Migration = {
  version: 3,
  name: "newest",
  async up(tx, dialect) {
    await extendMoves(tx, dialect);
    await numberDocuments(tx, dialect);
    await indexMoves(tx);
    await findShiftsByDrive(tx);
    await indexUnfinished(tx);
  },
};

async function extendMoves({ schema }: Transaction<Tables>, { int64 }: MigrationDialect): Promise<void> {
  // The order of earlier moves is unknown. All of them get the number 0, so the ids of their entries give the order.
  await schema
    .alterTable("moves")
    .addColumn("number", int64, (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.alterTable("moves").addColumn("drive_number", "text").execute();
  await schema.alterTable("moves").addColumn("document_number", int64).execute();
}

/** A move that a person has taken back gets no document number. */
async function numberDocuments(tx: Transaction<Tables>, { documentNumberIn }: MigrationDialect): Promise<void> {
  await sql`
    update moves set drive_number = entries.drive_number, document_number = ${documentNumberIn(sql.ref("entries.facts"))}
    from entries
    where moves.to_state = 'done' and entries.id = moves.entry_id and entries.attempt = moves.attempt and entries.state = 'done'`.execute(
    tx,
  );
}

async function indexMoves({ schema }: Transaction<Tables>): Promise<void> {
  await schema.createIndex("moves_number").on("moves").columns(["number", "entry_id"]).execute();
  await schema
    .createIndex("moves_documents")
    .on("moves")
    .columns(["drive_number", "document_number"])
    .where(sql`document_number`, "is not", null)
    .execute();
}

async function findShiftsByDrive({ schema }: Transaction<Tables>): Promise<void> {
  await schema.dropIndex("entries_openings").execute();
  await schema
    .createIndex("entries_openings")
    .on("entries")
    .columns(["drive_number", "shift_number"])
    .where(sql`operation`, "in", sql`('open-shift', 'auto-open-shift')`)
    .execute();
  await schema.createIndex("shift_links_drive").on("shift_links").columns(["drive_number", "shift_number"]).execute();
}

/**
 * Every turn of a lane searches the unfinished entries. With an index on the register alone SQLite would read all entries of the
 * register.
 */
async function indexUnfinished({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createIndex("entries_unfinished")
    .on("entries")
    .columns(["register", "state"])
    .where(sql`state`, "in", sql`('queued', 'sending', 'in-doubt')`)
    .execute();
  await schema.dropIndex("entries_register").execute();
  await schema.dropIndex("entries_state").execute();
}
