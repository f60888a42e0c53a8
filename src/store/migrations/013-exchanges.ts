import { sql } from "kysely";
import type { Migration } from "./types.ts";

/** Makes the table of exchanges with devices, and indexes for the newest QR sales and for a till's document number. */
export const exchanges: Migration = {
  version: 13,
  name: "exchanges",
  async up(tx, { int64, finish }) {
    const { schema } = tx;
    const table = schema
      .createTable("device_exchanges")
      .addColumn("entry_id", int64, (c) => c.notNull())
      .addColumn("attempt", int64, (c) => c.notNull())
      .addColumn("at_ms", int64, (c) => c.notNull())
      .addColumn("steps", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("device_exchanges_key", ["entry_id", "attempt"]);
    await finish(table, "by-key").execute();
    await schema.createIndex("device_exchanges_age").on("device_exchanges").column("at_ms").execute();
    await schema
      .createIndex("entries_qr_newest")
      .on("entries")
      .columns(["accepted_at_ms", "id"])
      .where(sql`qr_kopecks`, "is not", null)
      .execute();
    // Tills reuse document numbers every few days. The time in the index leads directly to the newest document.
    await schema.dropIndex("entries_name").execute();
    await schema
      .createIndex("entries_name")
      .on("entries")
      .columns(["name", "accepted_at_ms", "id"])
      .where(sql`name`, "is not", null)
      .execute();
  },
};
