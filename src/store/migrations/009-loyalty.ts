import { type CreateTableBuilder, type SchemaModule, sql } from "kysely";
import type { Migration, MigrationDialect } from "./types.ts";

/**
 * Makes the tables of loyalty: programmes, members, the ledger of points, orders, codes and gift cards. loyalty-tables.ts describes the
 * columns.
 */
export const loyalty: Migration = {
  version: 9,
  name: "loyalty",
  async up(tx, dialect) {
    await createProgrammes(tx.schema, dialect);
    await createMembers(tx.schema, dialect);
    await createLedger(tx.schema, dialect);
    await createEntries(tx.schema, dialect);
    await createOrders(tx.schema, dialect);
    await createQuotes(tx.schema, dialect);
    await createCodes(tx.schema, dialect);
    await createGiftCards(tx.schema, dialect);
    await createRecords(tx.schema, dialect);
  },
};

type Column = "text" | "number" | "text?" | "number?";

/** Adds columns of text or 64-bit integers. A question mark allows null. */
function withColumns<T extends string, C extends string, Names extends string>(
  table: CreateTableBuilder<T, C>,
  { int64 }: MigrationDialect,
  columns: Record<Names, Column>,
): CreateTableBuilder<T, C | Names> {
  let made: CreateTableBuilder<T, C | Names> = table;
  for (const [name, column] of Object.entries(columns) as [Names, Column][]) {
    const type = column.startsWith("text") ? "text" : int64;
    made = made.addColumn(name, type, (c) => (column.endsWith("?") ? c : c.notNull()));
  }
  return made;
}

async function createProgrammes(schema: SchemaModule, dialect: MigrationDialect): Promise<void> {
  const programmes = withColumns(schema.createTable("loyalty_programmes"), dialect, {
    app_id: "text",
    account_id: "text",
    version: "number",
    content: "text",
    set_at_ms: "number",
    set_by: "text",
  }).addPrimaryKeyConstraint("loyalty_programmes_key", ["app_id", "account_id", "version"]);
  await dialect.finish(programmes, "by-key").execute();
  const connections = withColumns(schema.createTable("loyalty_connections"), dialect, {
    app_id: "text",
    account_id: "text",
    state: "text",
    said: "text?",
    external_search: "number?",
    installation_at_ms: "number?",
    next_try_at_ms: "number",
    tries: "number",
  }).addPrimaryKeyConstraint("loyalty_connections_key", ["app_id", "account_id"]);
  await dialect.finish(connections, "by-key").execute();
  const keys = withColumns(schema.createTable("loyalty_keys"), dialect, {
    key_hash: "text",
    app_id: "text",
    account_id: "text",
    added_at_ms: "number",
    retires_at_ms: "number?",
  }).addPrimaryKeyConstraint("loyalty_keys_key", ["key_hash"]);
  await dialect.finish(keys, "by-key").execute();
  await schema.createIndex("loyalty_keys_account").on("loyalty_keys").columns(["account_id", "app_id"]).execute();
}

async function createMembers(schema: SchemaModule, dialect: MigrationDialect): Promise<void> {
  const members = withColumns(schema.createTable("loyalty_members"), dialect, {
    id: "text",
    app_id: "text",
    account_id: "text",
    status: "text",
    personal_sealed: "text?",
    birthday: "text?",
    created_at_ms: "number",
    merged_into: "text?",
  }).addPrimaryKeyConstraint("loyalty_members_key", ["id"]);
  await dialect.finish(members, "by-key").execute();
  await schema.createIndex("loyalty_members_made").on("loyalty_members").columns(["account_id", "app_id", "created_at_ms", "id"]).execute();
  const aliases = withColumns(schema.createTable("loyalty_aliases"), dialect, {
    app_id: "text",
    account_id: "text",
    kind: "text",
    value: "text",
    member_id: "text",
  }).addPrimaryKeyConstraint("loyalty_aliases_key", ["account_id", "app_id", "kind", "value"]);
  await dialect.finish(aliases, "by-key").execute();
  await schema.createIndex("loyalty_aliases_member").on("loyalty_aliases").column("member_id").execute();
  const terms = withColumns(schema.createTable("loyalty_terms"), dialect, {
    app_id: "text",
    account_id: "text",
    term: "text",
    member_id: "text",
  }).addPrimaryKeyConstraint("loyalty_terms_key", ["account_id", "app_id", "term", "member_id"]);
  await dialect.finish(terms, "by-key").execute();
  await schema.createIndex("loyalty_terms_member").on("loyalty_terms").column("member_id").execute();
}

async function createLedger(schema: SchemaModule, dialect: MigrationDialect): Promise<void> {
  const accounts = withColumns(schema.createTable("loyalty_accounts"), dialect, {
    member_id: "text",
    points: "number",
    debt_points: "number",
    entry_number: "number",
    entry_hash: "text",
    tier: "text?",
    tier_since_ms: "number?",
    tier_review_at_ms: "number?",
    visited_at_ms: "number?",
    has_bought: "number",
  }).addPrimaryKeyConstraint("loyalty_accounts_key", ["member_id"]);
  await dialect.finish(accounts, "by-key").execute();
  await schema.createIndex("loyalty_accounts_debt").on("loyalty_accounts").column("member_id").where(sql`debt_points`, ">", 0).execute();
  await schema
    .createIndex("loyalty_accounts_review")
    .on("loyalty_accounts")
    .column("tier_review_at_ms")
    .where(sql`tier_review_at_ms`, "is not", null)
    .execute();
  const lots = withColumns(schema.createTable("loyalty_lots"), dialect, {
    member_id: "text",
    number: "number",
    kind: "text",
    original: "number",
    remaining: "number",
    active_from_ms: "number",
    expires_at_ms: "number?",
  }).addPrimaryKeyConstraint("loyalty_lots_key", ["member_id", "number"]);
  await dialect.finish(lots, "by-key").execute();
  // With this index a quote reads only a member's lots with points left.
  await schema.createIndex("loyalty_lots_left").on("loyalty_lots").columns(["member_id", "number"]).where(sql`remaining`, ">", 0).execute();
  await schema
    .createIndex("loyalty_lots_expiring")
    .on("loyalty_lots")
    .columns(["expires_at_ms", "member_id"])
    .where(sql`remaining > 0 and expires_at_ms`, "is not", null)
    .execute();
}

async function createEntries(schema: SchemaModule, dialect: MigrationDialect): Promise<void> {
  const entries = withColumns(schema.createTable("loyalty_entries"), dialect, {
    member_id: "text",
    number: "number",
    kind: "text",
    points: "number",
    debt_points: "number",
    order_id: "number?",
    part: "number",
    reverses: "number?",
    at_ms: "number",
    actor: "text",
    reason: "text?",
    trace: "text?",
    hash: "text",
  }).addPrimaryKeyConstraint("loyalty_entries_key", ["member_id", "number"]);
  await dialect.finish(entries, "by-key").execute();
  // A repeated order moves points only once.
  await schema
    .createIndex("loyalty_entries_order")
    .unique()
    .on("loyalty_entries")
    .columns(["order_id", "member_id", "kind", "part"])
    .where(sql`order_id`, "is not", null)
    .execute();
  const allocations = withColumns(schema.createTable("loyalty_allocations"), dialect, {
    member_id: "text",
    entry_number: "number",
    lot_number: "number",
    points: "number",
    place: "number",
  }).addPrimaryKeyConstraint("loyalty_allocations_key", ["member_id", "entry_number", "lot_number"]);
  await dialect.finish(allocations, "by-key").execute();
  const events = withColumns(schema.createTable("loyalty_tier_events"), dialect, {
    member_id: "text",
    number: "number",
    from_tier: "text?",
    to_tier: "text?",
    qualifying_kopecks: "number",
    at_ms: "number",
  }).addPrimaryKeyConstraint("loyalty_tier_events_key", ["member_id", "number"]);
  await dialect.finish(events, "by-key").execute();
}

async function createOrders(schema: SchemaModule, dialect: MigrationDialect): Promise<void> {
  const orders = withColumns(schema.createTable("loyalty_orders").addColumn("id", dialect.int64, dialect.identity), dialect, {
    app_id: "text",
    account_id: "text",
    type: "text",
    document_key: "text",
    content_hash: "text",
    store_id: "text",
    member_id: "text?",
    moment_ms: "number",
    received_at_ms: "number",
    state: "text",
    paid_kopecks: "number",
    spent: "number",
    earned: "number",
    given_back: "number",
    clawed_back: "number",
    sale_key: "text?",
    sale_id: "number?",
    programme_version: "number",
    anomalies: "text?",
    content: "text?",
  });
  await dialect.finish(orders, "by-id").execute();
  await schema
    .createIndex("loyalty_orders_document")
    .unique()
    .on("loyalty_orders")
    .columns(["account_id", "app_id", "type", "document_key"])
    .execute();
  await schema
    .createIndex("loyalty_orders_member")
    .on("loyalty_orders")
    .columns(["member_id", "moment_ms"])
    .where(sql`member_id`, "is not", null)
    .execute();
  await schema
    .createIndex("loyalty_orders_sale")
    .on("loyalty_orders")
    .columns(["account_id", "app_id", "sale_key"])
    .where(sql`sale_key`, "is not", null)
    .execute();
  await schema.createIndex("loyalty_orders_returns").on("loyalty_orders").column("sale_id").where(sql`sale_id`, "is not", null).execute();
  await schema
    .createIndex("loyalty_orders_waiting")
    .on("loyalty_orders")
    .column("received_at_ms")
    .where(sql`state`, "=", sql.lit("waiting"))
    .execute();
  const lines = withColumns(schema.createTable("loyalty_order_lines"), dialect, {
    order_id: "number",
    number: "number",
    product_id: "text",
    quantity_millionths: "number",
    unit_kopecks: "number",
    paid_kopecks: "number",
    gross_kopecks: "number",
    points_kopecks: "number",
    earning_kopecks: "number",
  }).addPrimaryKeyConstraint("loyalty_order_lines_key", ["order_id", "number"]);
  await dialect.finish(lines, "by-key").execute();
}

async function createQuotes(schema: SchemaModule, dialect: MigrationDialect): Promise<void> {
  const quotes = withColumns(schema.createTable("loyalty_quotes"), dialect, {
    id: "text",
    app_id: "text",
    account_id: "text",
    member_id: "text",
    inputs_hash: "text",
    entry_number: "number",
    programme_version: "number",
    spent: "number",
    earned: "number",
    needs_code: "number",
    trace: "text",
    made_at_ms: "number",
  }).addPrimaryKeyConstraint("loyalty_quotes_key", ["id"]);
  await dialect.finish(quotes, "by-key").execute();
  await schema.createIndex("loyalty_quotes_member").on("loyalty_quotes").columns(["member_id", "made_at_ms"]).execute();
  await schema.createIndex("loyalty_quotes_made").on("loyalty_quotes").column("made_at_ms").execute();
}

async function createCodes(schema: SchemaModule, dialect: MigrationDialect): Promise<void> {
  const codes = withColumns(schema.createTable("loyalty_codes"), dialect, {
    id: "text",
    app_id: "text",
    account_id: "text",
    purpose: "text",
    subject: "text",
    target: "text",
    store_id: "text",
    code_sealed: "text?",
    wait_seconds: "number",
    sent_at_ms: "number",
    expires_at_ms: "number",
    ended_at_ms: "number?",
  }).addPrimaryKeyConstraint("loyalty_codes_key", ["id"]);
  await dialect.finish(codes, "by-key").execute();
  await schema.createIndex("loyalty_codes_target").on("loyalty_codes").columns(["account_id", "app_id", "target", "sent_at_ms"]).execute();
  await schema.createIndex("loyalty_codes_store").on("loyalty_codes").columns(["account_id", "app_id", "store_id", "sent_at_ms"]).execute();
  await schema.createIndex("loyalty_codes_sent").on("loyalty_codes").column("sent_at_ms").execute();
}

async function createGiftCards(schema: SchemaModule, dialect: MigrationDialect): Promise<void> {
  const cards = withColumns(schema.createTable("loyalty_gift_cards"), dialect, {
    id: "text",
    app_id: "text",
    account_id: "text",
    name: "text",
    initial_kopecks: "number",
    balance_kopecks: "number",
    entry_number: "number",
    entry_hash: "text",
    issued_at_ms: "number",
    expires_at_ms: "number?",
  }).addPrimaryKeyConstraint("loyalty_gift_cards_key", ["id"]);
  await dialect.finish(cards, "by-key").execute();
  await schema.createIndex("loyalty_gift_cards_name").unique().on("loyalty_gift_cards").columns(["account_id", "app_id", "name"]).execute();
  const entries = withColumns(schema.createTable("loyalty_gift_entries"), dialect, {
    card_id: "text",
    number: "number",
    kind: "text",
    kopecks: "number",
    order_id: "number?",
    at_ms: "number",
    hash: "text",
  }).addPrimaryKeyConstraint("loyalty_gift_entries_key", ["card_id", "number"]);
  await dialect.finish(entries, "by-key").execute();
}

async function createRecords(schema: SchemaModule, dialect: MigrationDialect): Promise<void> {
  const imports = withColumns(schema.createTable("loyalty_imports"), dialect, {
    app_id: "text",
    account_id: "text",
    row_key: "text",
    member_id: "text",
    at_ms: "number",
  }).addPrimaryKeyConstraint("loyalty_imports_key", ["account_id", "app_id", "row_key"]);
  await dialect.finish(imports, "by-key").execute();
  const merges = withColumns(schema.createTable("loyalty_merges").addColumn("id", dialect.int64, dialect.identity), dialect, {
    app_id: "text",
    account_id: "text",
    kept_id: "text",
    gone_id: "text",
    at_ms: "number",
    undone_at_ms: "number?",
    moved: "text",
  });
  await dialect.finish(merges, "by-id").execute();
  await schema.createIndex("loyalty_merges_members").on("loyalty_merges").columns(["kept_id", "gone_id"]).execute();
}
