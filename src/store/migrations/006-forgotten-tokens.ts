import type { Migration } from "./types.ts";

/**
 * Makes the table of the expiry times up to which used tokens may have been deleted. Such tokens must stay refused even if the clock is set
 * back.
 */
export const forgottenTokens: Migration = {
  version: 6,
  name: "forgotten-tokens",
  async up(tx, { int64, finish }) {
    const table = tx.schema
      .createTable("forgotten_tokens")
      .addColumn("app_id", "text", (c) => c.notNull())
      .addColumn("expired_to_ms", int64, (c) => c.notNull())
      .addPrimaryKeyConstraint("forgotten_tokens_key", ["app_id"]);
    await finish(table, "by-key").execute();
  },
};
