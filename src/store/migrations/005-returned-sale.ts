import { sql } from "kysely";
import type { Migration } from "./types.ts";

/** Adds a column and an index for finding the returns of a sale. */
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
    // Most entries name no sale and stay outside the index.
    await tx.schema
      .createIndex("entries_original")
      .on("entries")
      .columns(["account_id", "app_id", "original_id"])
      .where(sql`original_id`, "is not", null)
      .execute();
  },
};
