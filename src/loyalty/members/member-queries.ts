import type { Insertable } from "kysely";
import type { InstallationKey } from "../../accounts/installation.ts";
import { present } from "../../kernel/present.ts";
import { mostBefore, type Step, type StepEnd } from "../../kernel/work/newest-in-steps.ts";
import type { LoyaltyAliasesTable, LoyaltyMembersTable, MemberRow } from "../../store/loyalty-tables.ts";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";

export type { MemberRow };

type AliasKind = "native" | "sync" | "phone" | "card";

/** A value that identifies a member. Phones and cards are keyed hashes. */
export interface Alias {
  kind: AliasKind;
  value: string;
}

export async function memberById(db: Db, { appId, accountId }: InstallationKey, id: string): Promise<MemberRow | undefined> {
  const { rows } = await memberSelect(db, { appId, accountId, id });
  return rows[0];
}

const memberSelect = statement((db, { appId, accountId, id }: Placeholders<InstallationKey & { id: string }>) =>
  db.selectFrom("loyalty_members").selectAll().where("id", "=", id).where("account_id", "=", accountId).where("app_id", "=", appId),
);

/** Returns a member of any account. */
export function memberOfAny(db: Db, id: string): Promise<MemberRow | undefined> {
  return db.selectFrom("loyalty_members").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Returns the member that has this alias. */
export async function memberWithAlias(
  db: Db,
  { appId, accountId }: InstallationKey,
  { kind, value }: Alias,
): Promise<MemberRow | undefined> {
  const { rows } = await aliasMemberSelect(db, { appId, accountId, kind, value });
  return rows[0];
}

const aliasMemberSelect = statement(
  (db, { appId, accountId, kind, value }: Placeholders<InstallationKey & { kind: string; value: string }>) =>
    db
      .selectFrom("loyalty_aliases as a")
      .innerJoin("loyalty_members as m", "m.id", "a.member_id")
      .selectAll("m")
      .where("a.account_id", "=", accountId)
      .where("a.app_id", "=", appId)
      .where("a.kind", "=", kind)
      .where("a.value", "=", value),
);

/** Returns the id of the member that has this alias. */
export async function memberIdOf(db: Db, { appId, accountId }: InstallationKey, { kind, value }: Alias): Promise<string | undefined> {
  const { rows } = await aliasSelect(db, { appId, accountId, kind, value });
  return rows[0]?.member_id;
}

const aliasSelect = statement((db, { appId, accountId, kind, value }: Placeholders<InstallationKey & { kind: string; value: string }>) =>
  db
    .selectFrom("loyalty_aliases")
    .select("member_id")
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("kind", "=", kind)
    .where("value", "=", value),
);

export async function insertMember(tx: Tx, row: Insertable<LoyaltyMembersTable>): Promise<void> {
  await tx.insertInto("loyalty_members").values(row).execute();
}

export async function updateMember(tx: Tx, id: string, change: Partial<Omit<LoyaltyMembersTable, "id">>): Promise<void> {
  await tx.updateTable("loyalty_members").set(change).where("id", "=", id).execute();
}

/** Stores an alias. False: a member already has this alias, possibly the given member. */
export async function insertAlias(
  tx: Tx,
  { appId, accountId }: InstallationKey,
  { kind, value }: Alias,
  memberId: string,
): Promise<boolean> {
  const result = await tx
    .insertInto("loyalty_aliases")
    .values({ app_id: appId, account_id: accountId, kind, value, member_id: memberId })
    .onConflict((conflict) => conflict.columns(["account_id", "app_id", "kind", "value"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export function aliasesOf(db: Db, memberId: string): Promise<LoyaltyAliasesTable[]> {
  return db.selectFrom("loyalty_aliases").selectAll().where("member_id", "=", memberId).orderBy("kind").orderBy("value").execute();
}

/** Moves aliases to another member. */
export async function moveAliases(tx: Tx, aliases: readonly Alias[], fromId: string, toId: string): Promise<void> {
  for (const { kind, value } of aliases) {
    await tx
      .updateTable("loyalty_aliases")
      .set({ member_id: toId })
      .where("member_id", "=", fromId)
      .where("kind", "=", kind)
      .where("value", "=", value)
      .execute();
  }
}

/** Deletes an alias of this member. Does nothing when another member has it. */
export async function deleteAlias(tx: Tx, { appId, accountId }: InstallationKey, { kind, value }: Alias, memberId: string): Promise<void> {
  await tx
    .deleteFrom("loyalty_aliases")
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("kind", "=", kind)
    .where("value", "=", value)
    .where("member_id", "=", memberId)
    .execute();
}

export async function deleteAliases(tx: Tx, memberId: string, kinds: readonly AliasKind[]): Promise<void> {
  await tx.deleteFrom("loyalty_aliases").where("member_id", "=", memberId).where("kind", "in", kinds).execute();
}

/** Replaces the search terms of a member. */
export async function setTerms(tx: Tx, { appId, accountId }: InstallationKey, memberId: string, terms: readonly string[]): Promise<void> {
  await tx.deleteFrom("loyalty_terms").where("member_id", "=", memberId).execute();
  if (terms.length === 0) return;
  const rows = terms.map((term) => ({ app_id: appId, account_id: accountId, term, member_id: memberId }));
  await tx
    .insertInto("loyalty_terms")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A place among the members with a term. */
export interface TermPlace {
  memberId: string;
}

/**
 * Looks for members that have all these terms, at most nine terms, in the order of their ids. The members with the first term are looked
 * at, so pass the rarest term first: an account may have very many members of one name.
 */
export async function memberIdsOfStep(
  db: Db,
  { appId, accountId }: InstallationKey,
  [first, ...others]: readonly string[],
  { before: after = { memberId: "" }, rows, limit }: Step<TermPlace>,
): Promise<StepEnd<TermPlace, string>> {
  if (first === undefined) return { found: [] };
  const named = Object.fromEntries(others.map((term, index): [string, string] => [FURTHER[index] ?? "", term]));
  const place = { appId, accountId, first, after: after.memberId };
  // The last member of the step is read first: a member who gains or loses a term meanwhile must not move the beginning of the next step
  // past another member.
  const [last] = (await lastSelect(db, { ...place, skipped: rows - 1 })).rows;
  const upTo = last === undefined ? {} : { upTo: last.member_id };
  const found = (await termsSelect(db, { ...place, ...upTo, rows: mostBefore(rows), limit, ...named })).rows.map((row) => row.member_id);
  return { found, ...present({ last: last && { memberId: last.member_id } }) };
}

const FURTHER = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"] as const;

type Looked = InstallationKey & { first: string; after: string };
type Wanted = Looked & { upTo?: string; rows: number; limit: number } & { [Name in (typeof FURTHER)[number]]?: string };

function withTerm(db: Db, { appId, accountId, first, after }: Placeholders<Looked>) {
  return db
    .selectFrom("loyalty_terms")
    .select("member_id")
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("term", "=", first)
    .where("member_id", ">", after)
    .orderBy("member_id");
}

const lastSelect = statement((db, { skipped, ...looked }: Placeholders<Looked & { skipped: number }>) =>
  withTerm(db, looked).limit(1).offset(skipped),
);

const termsSelect = statement((db, { upTo, rows, limit, ...wanted }: Placeholders<Wanted>) => {
  const { appId, accountId } = wanted;
  const left = withTerm(db, wanted);
  const looked = upTo === undefined ? left : left.where("member_id", "<=", upTo);
  let query = db.selectFrom(looked.limit(rows).as("t")).select("t.member_id").orderBy("t.member_id").limit(limit);
  for (const other of FURTHER.flatMap((name) => wanted[name] ?? [])) {
    query = query.where((row) =>
      row.exists(
        row
          .selectFrom("loyalty_terms as o")
          .select("o.member_id")
          .where("o.account_id", "=", accountId)
          .where("o.app_id", "=", appId)
          .where("o.term", "=", other)
          .whereRef("o.member_id", "=", "t.member_id"),
      ),
    );
  }
  return query;
});

interface NamedMember {
  row: MemberRow;
  platformId?: string;
}

/** Returns the members with these ids, in one query. */
export async function membersWithIds(
  db: Db,
  { appId, accountId }: InstallationKey,
  ids: readonly string[],
): Promise<Map<string, NamedMember>> {
  const found = new Map<string, NamedMember>();
  if (ids.length === 0) return found;
  const named: Record<`id${number}`, string> = Object.fromEntries(ids.map((id, index) => [`id${index}`, id]));
  const { rows } = await namedSelect(db, named);
  for (const { native, ...row } of rows) {
    if (row.account_id !== accountId || row.app_id !== appId) continue;
    const known = found.get(row.id)?.platformId;
    // A member that absorbed another member has both platform ids. The smaller id is used.
    const platformId = native === null || (known !== undefined && known < native) ? known : native;
    found.set(row.id, platformId === undefined ? { row } : { row, platformId });
  }
  return found;
}

// The query filters by id only. With the account, SQLite would use another index and read all members of the account.
const namedSelect = statement((db, ids: Placeholders<Record<`id${number}`, string>>) =>
  db
    .selectFrom("loyalty_members as m")
    .leftJoin("loyalty_aliases as a", (join) => join.onRef("a.member_id", "=", "m.id").on("a.kind", "=", "native"))
    .selectAll("m")
    .select("a.value as native")
    .where("m.id", "in", Object.values(ids)),
);

/** Returns the members of an installation after the given member, in the order of creation. */
export function listMembers(
  db: Db,
  { appId, accountId }: InstallationKey,
  { after, limit }: { after?: { createdAtMs: number; id: string }; limit: number },
): Promise<MemberRow[]> {
  let query = db
    .selectFrom("loyalty_members")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .orderBy("created_at_ms")
    .orderBy("id")
    .limit(limit);
  if (after !== undefined) {
    query = query.where((row) =>
      row.or([
        row("created_at_ms", ">", after.createdAtMs),
        row.and([row("created_at_ms", "=", after.createdAtMs), row("id", ">", after.id)]),
      ]),
    );
  }
  return query.execute();
}
