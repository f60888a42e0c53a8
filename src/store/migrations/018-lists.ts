import type { Migration } from "./types.ts";

/**
 * Makes indexes for the list of payments, the newest first, and for the records of used tokens by catalogue entry and age. Without them
 * SQLite read and sorted all payments for each page, and all records of an entry for each call.
 */
export const lists: Migration = {
  version: 18,
  name: "lists",
  async up({ schema }) {
    await schema.createIndex("payments_created").on("payments").columns(["created_at_ms desc", "id"]).execute();
    // The index keeps its name, because a program of an earlier version may run meanwhile. It refuses a database without its indexes.
    await schema.dropIndex("seen_tokens_expiry").execute();
    await schema.createIndex("seen_tokens_expiry").on("seen_tokens").columns(["app_id", "expires_at_ms"]).execute();
  },
};
