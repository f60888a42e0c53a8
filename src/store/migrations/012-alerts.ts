import { sql } from "kysely";
import type { Migration } from "./types.ts";

/** Makes the table of messages to people, sent or owed. alert-tables.ts describes the columns. */
export const alerts: Migration = {
  version: 12,
  name: "alerts",
  async up(tx, { int64, finish }) {
    const { schema } = tx;
    const table = schema
      .createTable("alerts")
      .addColumn("audience", "text", (c) => c.notNull())
      .addColumn("kind", "text", (c) => c.notNull())
      .addColumn("subject", "text", (c) => c.notNull())
      .addColumn("app_id", "text")
      .addColumn("account_id", "text")
      .addColumn("store_id", "text")
      .addColumn("register", "text")
      .addColumn("begins_text", "text", (c) => c.notNull())
      .addColumn("ends_text", "text", (c) => c.notNull())
      .addColumn("stands", int64, (c) => c.notNull())
      .addColumn("seen_at_ms", int64, (c) => c.notNull())
      .addColumn("changed_at_ms", int64, (c) => c.notNull())
      .addColumn("told", "text")
      .addColumn("begins_told_at_ms", int64)
      .addColumn("ends_told_at_ms", int64)
      .addColumn("owed", "text")
      .addColumn("owed_since_ms", int64)
      .addColumn("attempts", int64, (c) => c.notNull())
      .addColumn("next_try_at_ms", int64)
      .addColumn("problem", "text")
      .addColumn("version", int64, (c) => c.notNull())
      .addPrimaryKeyConstraint("alerts_key", ["audience", "kind", "subject"]);
    await finish(table, "by-key").execute();
    // Each check for alerts reads these few payments among millions, so they have an index.
    await schema
      .createIndex("payments_late")
      .on("payments")
      .columns(["created_at_ms", "id"])
      .where(sql<boolean>`late_kopecks > refunded_kopecks`)
      .execute();
    await schema
      .createIndex("payments_unknown")
      .on("payments")
      .columns(["created_at_ms", "id"])
      .where(sql<boolean>`state = 'unknown'`)
      .execute();
  },
};
