import { sql } from "kysely";
import type { Migration } from "./types.ts";

/**
 * Makes columns and indexes for people's searches: the till's document number, sum, id and day. A search then stays fast in a large
 * journal.
 */
export const search: Migration = {
  version: 11,
  name: "search",
  async up(tx, { int64, textWithin }) {
    const { schema } = tx;
    await schema.alterTable("entries").addColumn("name", "text").execute();
    await schema.alterTable("entries").addColumn("sum_kopecks", int64).execute();
    const total = sql`coalesce(${textWithin("document", ["totalKopecks"])}, ${textWithin("document", ["sumKopecks"])})`;
    await tx
      .updateTable("entries")
      .set({ name: textWithin("content", ["name"]), sum_kopecks: sql<number | null>`cast(${total} as ${sql.raw(int64)})` })
      .execute();
    await schema.createIndex("entries_name").on("entries").columns(["name", "id"]).where(sql`name`, "is not", null).execute();
    await schema.createIndex("entries_sum").on("entries").columns(["sum_kopecks", "id"]).where(sql`sum_kopecks`, "is not", null).execute();
    await schema.createIndex("entries_document").on("entries").columns(["document_id", "id"]).execute();
    await schema.createIndex("entries_accepted").on("entries").columns(["accepted_at_ms", "id"]).execute();
  },
};
