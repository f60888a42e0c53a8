import type { Migration } from "./types.ts";

/** Makes the tables of shop agents. agent-tables.ts describes the columns. */
export const agents: Migration = {
  version: 14,
  name: "agents",
  async up(tx, { int64, finish }) {
    const { schema } = tx;
    const server = schema
      .createTable("agent_server")
      .addColumn("id", int64, (c) => c.primaryKey())
      .addColumn("server_id", "text", (c) => c.notNull())
      .addColumn("start_number", int64, (c) => c.notNull());
    await finish(server, "by-id").execute();

    const agentTable = schema
      .createTable("agents")
      .addColumn("name", "text", (c) => c.primaryKey())
      .addColumn("agent_id", "text", (c) => c.notNull())
      .addColumn("app_id", "text", (c) => c.notNull())
      .addColumn("account_id", "text", (c) => c.notNull())
      .addColumn("public_key", "text", (c) => c.notNull())
      .addColumn("host", "text", (c) => c.notNull())
      .addColumn("version", "text", (c) => c.notNull())
      .addColumn("protocol", int64)
      .addColumn("enrolled_at_ms", int64, (c) => c.notNull())
      .addColumn("revoked_at_ms", int64)
      .addColumn("folder", "text")
      .addColumn("epoch", int64, (c) => c.notNull())
      .addColumn("offered_epoch", int64)
      .addColumn("top_epoch", int64, (c) => c.notNull())
      .addColumn("forked_epoch", int64)
      .addColumn("forked_folder", "text")
      .addColumn("forked_at_ms", int64)
      .addColumn("connected", int64, (c) => c.notNull())
      .addColumn("since_ms", int64);
    await finish(agentTable, "by-key").execute();
    await schema.createIndex("agents_id").on("agents").column("agent_id").unique().execute();

    const codes = schema
      .createTable("agent_codes")
      .addColumn("code_hash", "text", (c) => c.primaryKey())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("app_id", "text", (c) => c.notNull())
      .addColumn("account_id", "text", (c) => c.notNull())
      .addColumn("expires_at_ms", int64, (c) => c.notNull());
    await finish(codes, "by-key").execute();
    await schema.createIndex("agent_codes_name").on("agent_codes").column("name").unique().execute();

    const registers = schema
      .createTable("agent_registers")
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("register", "text", (c) => c.notNull())
      .addColumn("scheme", "text")
      .addColumn("serial_number", "text")
      .addColumn("drive_number", "text")
      .addColumn("other_serial_number", "text")
      .addColumn("other_drive_number", "text")
      .addPrimaryKeyConstraint("agent_registers_key", ["name", "register"]);
    await finish(registers, "by-key").execute();

    const requests = schema
      .createTable("agent_requests")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("asked_at_ms", int64, (c) => c.notNull())
      .addColumn("request", "text", (c) => c.notNull())
      .addColumn("answer", "text");
    await finish(requests, "by-key").execute();
  },
};
