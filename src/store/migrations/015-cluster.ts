import { sql } from "kysely";
import type { Migration } from "./types.ts";

/** Makes the tables of processes that share a database, and adds their columns to leases. */
export const cluster: Migration = {
  version: 15,
  name: "cluster",
  async up(tx, { int64, finish }) {
    const { schema } = tx;
    const processes = schema
      .createTable("cluster_processes")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("url", "text", (c) => c.notNull())
      .addColumn("version", "text", (c) => c.notNull())
      .addColumn("lease_ms", int64, (c) => c.notNull())
      .addColumn("key_check", "text", (c) => c.notNull())
      .addColumn("session_pid", int64, (c) => c.notNull())
      .addColumn("counter", int64, (c) => c.notNull())
      .addColumn("state", "text", (c) => c.notNull())
      .addColumn("draining", int64, (c) => c.notNull())
      .addColumn("since_ms", int64, (c) => c.notNull())
      .addColumn("seen_ms", int64, (c) => c.notNull());
    await finish(processes, "by-key").execute();
    const state = schema
      .createTable("cluster_state")
      .addColumn("id", int64, (c) => c.primaryKey())
      .addColumn("system_id", "text", (c) => c.notNull())
      .addColumn("timeline", int64, (c) => c.notNull())
      .addColumn("generation", int64, (c) => c.notNull())
      .addColumn("settled", int64, (c) => c.notNull());
    await finish(state, "by-id").execute();
    await schema
      .alterTable("leases")
      .addColumn("kind", "text", (c) => c.notNull().defaultTo(""))
      .execute();
    await schema.alterTable("leases").addColumn("wanted", "text").execute();
    await schema.alterTable("leases").addColumn("since_ms", int64).execute();
    await schema.alterTable("agents").addColumn("process", "text").execute();
    await schema.createIndex("leases_of_processes").on("leases").columns(["kind", "holder"]).where(sql`kind`, "<>", sql.lit("")).execute();
  },
};
