import { sql } from "kysely";
import type { Migration } from "./types.ts";

/** Stores the sale that a return names in a column of its own, so that an index leads from a sale to its returns. */
export const returnedSale: Migration = {
  version: 5,
  name: "returned-sale",
  async up(tx, { textWithin }) {
    await tx.schema.alterTable("entries").addColumn("original_id", "text").execute();
    await tx
      .updateTable("entries")
      .set({ original_id: textWithin("content", ["original", "id"]) })
      .where("operation", "=", "sales-return")
      .execute();
    // Most entries name no sale. The index contains only those that do.
    await tx.schema
      .createIndex("entries_original")
      .on("entries")
      .columns(["account_id", "app_id", "original_id"])
      .where(sql`original_id`, "is not", null)
      .execute();
  },
};
