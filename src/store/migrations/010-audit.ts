import type { Migration } from "./types.ts";

/** Makes the table of who has changed what, and why. Rows never change. */
export const audit: Migration = {
  version: 10,
  name: "audit",
  async up(tx, { int64, identity, finish }) {
    const table = tx.schema
      .createTable("audit")
      .addColumn("id", int64, identity)
      .addColumn("at_ms", int64, (c) => c.notNull())
      .addColumn("app_id", "text", (c) => c.notNull())
      .addColumn("account_id", "text", (c) => c.notNull())
      .addColumn("store_id", "text")
      .addColumn("actor", "text", (c) => c.notNull())
      .addColumn("place", "text", (c) => c.notNull())
      .addColumn("act", "text", (c) => c.notNull())
      .addColumn("subject", "text", (c) => c.notNull())
      .addColumn("before", "text")
      .addColumn("after", "text")
      .addColumn("reason", "text");
    await finish(table, "by-id").execute();
    await tx.schema.createIndex("audit_of_account").on("audit").columns(["account_id", "app_id", "id"]).execute();
  },
};
