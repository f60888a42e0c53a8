import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { InstallationKey } from "../../../accounts/installation.ts";
import type {
  AccountRow,
  EntryRow,
  LotRow,
  LoyaltyAllocationsTable,
  LoyaltyGiftCardsTable,
  LoyaltyGiftEntriesTable,
  LoyaltyTierEventsTable,
} from "../../../store/loyalty-tables.ts";
import type { Db, Tx } from "../ledger-queries.ts";

/**
 * The rows to read. With `only`: the rows of this id. Otherwise the rows with ids after `after` and up to `upTo`, in the database's text
 * order. With `key`: only rows of this installation.
 */
export interface Scope {
  after?: string;
  upTo?: string;
  only?: string;
  key?: InstallationKey;
}

/** A position in the order of members, then of entry numbers. */
export interface Position {
  id: string;
  number: number;
}

/** Returns accounts, ordered by the ids of their members. */
export function accountsIn(db: Db, scope: Scope, limit: number): Promise<AccountRow[]> {
  return db.selectFrom("loyalty_accounts").selectAll().where(ofMembers(scope)).orderBy("member_id").limit(limit).execute();
}

/** Returns ids from the table of members, in any order. */
export async function memberIdsIn(db: Db, { key, ...range }: Scope): Promise<string[]> {
  let query = db.selectFrom("loyalty_members").select("id").where(inRange("id", range));
  if (key !== undefined) query = query.where("account_id", "=", key.accountId).where("app_id", "=", key.appId);
  return (await query.execute()).map(({ id }) => id);
}

export function lotsIn(db: Db, scope: Scope): Promise<LotRow[]> {
  return db.selectFrom("loyalty_lots").selectAll().where(ofMembers(scope)).orderBy("member_id").orderBy("number").execute();
}

export function tierEventsIn(db: Db, scope: Scope): Promise<LoyaltyTierEventsTable[]> {
  return db.selectFrom("loyalty_tier_events").selectAll().where(ofMembers(scope)).orderBy("member_id").orderBy("number").execute();
}

/** Returns the entries after a position, in order. */
export function entriesIn(db: Db, scope: Scope, after: Position | undefined, limit: number): Promise<EntryRow[]> {
  let query = db.selectFrom("loyalty_entries").selectAll().where(ofMembers(scope));
  if (after !== undefined) query = query.where(sql<SqlBool>`(member_id, number) > (${after.id}, ${after.number})`);
  return query.orderBy("member_id").orderBy("number").limit(limit).execute();
}

/** Returns the allocations of the entries after `after` up to `upTo`, in any order. */
export function allocationsIn(db: Db, scope: Scope, after?: Position, upTo?: Position): Promise<LoyaltyAllocationsTable[]> {
  let query = db.selectFrom("loyalty_allocations").selectAll().where(ofMembers(scope));
  if (after !== undefined) query = query.where(sql<SqlBool>`(member_id, entry_number) > (${after.id}, ${after.number})`);
  if (upTo !== undefined) query = query.where(sql<SqlBool>`(member_id, entry_number) <= (${upTo.id}, ${upTo.number})`);
  return query.execute();
}

/** Computed from the member's booked orders. */
export interface Visits {
  memberId: string;
  /** The time when the newest sale or return was received. */
  newestMs: number | null;
  hasBought: boolean;
}

/** Returns the visits of the members of a scope. Imported orders count as purchases, not as visits. */
export async function visitsIn(db: Db, scope: Scope): Promise<Visits[]> {
  const rows = await db
    .selectFrom("loyalty_orders")
    .select((row) => [
      "member_id",
      row.fn.max(sql<number | string | null>`case when type = 'import' then null else received_at_ms end`).as("newest"),
      row.fn.max(sql<number | string>`case when type = 'return' then 0 else 1 end`).as("bought"),
    ])
    .where("member_id", "is not", null)
    .where("state", "=", "booked")
    .where(ofMembers(scope))
    .groupBy("member_id")
    .execute();
  return rows.map(({ member_id, newest, bought }) => ({
    memberId: member_id ?? "",
    newestMs: newest === null ? null : Number(newest),
    hasBought: Number(bought) === 1,
  }));
}

/** Returns pairs of merged members, including undone merges. */
export async function mergesIn(db: Db, { key, ...range }: Scope): Promise<{ keptId: string; goneId: string }[]> {
  let query = db.selectFrom("loyalty_merges").select(["kept_id", "gone_id"]).where(inRange("kept_id", range));
  if (key !== undefined) query = query.where("account_id", "=", key.accountId).where("app_id", "=", key.appId);
  return (await query.execute()).map(({ kept_id: keptId, gone_id: goneId }) => ({ keptId, goneId }));
}

export type GiftCardRow = Selectable<LoyaltyGiftCardsTable>;

/** Returns gift cards, ordered by id. */
export function cardsIn(db: Db, { key, ...range }: Scope, limit: number): Promise<GiftCardRow[]> {
  let query = db.selectFrom("loyalty_gift_cards").selectAll().where(inRange("id", range));
  if (key !== undefined) query = query.where("account_id", "=", key.accountId).where("app_id", "=", key.appId);
  return query.orderBy("id").limit(limit).execute();
}

/** Locks a card until the end of the transaction. */
export async function lockCard(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable("loyalty_gift_cards")
    .set((row) => ({ entry_number: row.ref("entry_number") }))
    .where("id", "=", id)
    .execute();
}

export function cardEntriesIn(db: Db, { key, ...range }: Scope): Promise<LoyaltyGiftEntriesTable[]> {
  let query = db.selectFrom("loyalty_gift_entries").selectAll().where(inRange("card_id", range));
  if (key !== undefined)
    query = query.where("card_id", "in", (row) =>
      row.selectFrom("loyalty_gift_cards").select("id").where("account_id", "=", key.accountId).where("app_id", "=", key.appId),
    );
  return query.orderBy("card_id").orderBy("number").execute();
}

function ofMembers({ key, ...range }: Scope): RawBuilder<SqlBool> {
  const within = inRange("member_id", range);
  if (key === undefined) return within;
  const ids = sql`select id from loyalty_members where account_id = ${key.accountId} and app_id = ${key.appId}`;
  return sql<SqlBool>`${within} and member_id in (${ids})`;
}

function inRange(column: string, { after, upTo, only }: Omit<Scope, "key">): RawBuilder<SqlBool> {
  const ref = sql.ref(column);
  const conditions = [
    ...(after === undefined ? [] : [sql<SqlBool>`${ref} > ${after}`]),
    ...(upTo === undefined ? [] : [sql<SqlBool>`${ref} <= ${upTo}`]),
    ...(only === undefined ? [] : [sql<SqlBool>`${ref} = ${only}`]),
  ];
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}
