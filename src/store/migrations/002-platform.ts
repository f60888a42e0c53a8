import { type SchemaModule, sql } from "kysely";
import type { Migration, MigrationDialect } from "./types.ts";

/** Makes the tables for the platform's data of an installation: its shop, and the webhooks about changes. */
export const platform: Migration = {
  version: 2,
  name: "platform",
  async up(tx, dialect) {
    await createPlatformLinks(tx.schema, dialect);
    await createShopObjects(tx.schema, dialect);
    await createSubscriptions(tx.schema, dialect);
    await createNotifications(tx.schema, dialect);
  },
};

async function createPlatformLinks(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("platform_links")
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("webhook_secret_sealed", "text", (c) => c.notNull())
    .addColumn("webhook_secret_hash", "text", (c) => c.notNull())
    .addColumn("money_scale", int64, (c) => c.check(sql`money_scale in (1, 100)`))
    .addColumn("read_to_ms", int64)
    .addColumn("whole_read_at_ms", int64)
    .addColumn("read_at_ms", int64)
    .addColumn("read_problem", "text")
    .addPrimaryKeyConstraint("platform_links_key", ["app_id", "account_id"]);
  await finish(table, "by-key").execute();
  await schema.createIndex("platform_links_secret").unique().on("platform_links").column("webhook_secret_hash").execute();
}

async function createShopObjects(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("shop_objects")
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("object_id", "text", (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .addColumn("stale", int64, (c) => c.notNull().check(sql`stale in (0, 1)`))
    .addColumn("read_at_ms", int64, (c) => c.notNull())
    .addPrimaryKeyConstraint("shop_objects_key", ["app_id", "account_id", "type", "object_id"]);
  await finish(table, "by-key").execute();
}

async function createSubscriptions(schema: SchemaModule, { int64, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("subscriptions")
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("entity_type", "text", (c) => c.notNull())
    .addColumn("action", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull().check(sql`state in ('ours', 'taken', 'refused')`))
    .addColumn("webhook_id", "text")
    .addColumn("problem", "text")
    .addColumn("address_hash", "text", (c) => c.notNull())
    .addColumn("checked_at_ms", int64, (c) => c.notNull())
    .addPrimaryKeyConstraint("subscriptions_key", ["app_id", "account_id", "entity_type", "action"]);
  await finish(table, "by-key").execute();
}

async function createNotifications(schema: SchemaModule, { int64, identity, finish }: MigrationDialect): Promise<void> {
  const table = schema
    .createTable("notifications")
    .addColumn("id", int64, identity)
    .addColumn("app_id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("request_id", "text", (c) => c.notNull())
    .addColumn("objects", int64, (c) => c.notNull())
    .addColumn("events", "text")
    .addColumn("received_at_ms", int64, (c) => c.notNull())
    .addColumn("done_at_ms", int64);
  await finish(table, "by-id").execute();
  await schema.createIndex("notifications_request").unique().on("notifications").columns(["app_id", "account_id", "request_id"]).execute();
  // Each notification counts the waiting objects. This index makes the count fast.
  await schema
    .createIndex("notifications_waiting")
    .on("notifications")
    .columns(["done_at_ms", "app_id", "account_id", "objects"])
    .execute();
}
