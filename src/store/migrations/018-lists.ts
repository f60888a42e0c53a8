import { sql } from "kysely";
import type { Migration } from "./types.ts";

/**
 * Makes indexes for the list of payments, the newest first, and for the records of used tokens by catalogue entry and age. Without them
 * SQLite would read and sort all payments for each page, and all records of a catalogue entry for each call. Leaves payments without a sale
 * out of the index of the sales.
 */
export const lists: Migration = {
  version: 18,
  name: "lists",
  async up({ schema }) {
    await schema.createIndex("payments_created").on("payments").columns(["created_at_ms desc", "id"]).execute();
    // The next two indexes keep their names. A program of an earlier version may run meanwhile, and refuses a database without its indexes.
    await schema.dropIndex("seen_tokens_expiry").execute();
    await schema.createIndex("seen_tokens_expiry").on("seen_tokens").columns(["app_id", "expires_at_ms"]).execute();
    // Most payments without a sale were never paid. If this index contained them, SQLite would use it to search all of them for the few
    // paid payments.
    await schema.dropIndex("payments_sale").execute();
    await schema
      .createIndex("payments_sale")
      .unique()
      .on("payments")
      .column("sale_entry_id")
      .where(sql`sale_entry_id`, "is not", null)
      .execute();
  },
};
