import type { Kysely, Selectable, Transaction } from "kysely";
import { type Placeholders, statement } from "../store/statement.ts";
import type { FiscalKeysTable, InstallationsTable, Tables } from "../store/tables.ts";
import type { InstallationKey, InstallationState } from "./installation.ts";

/** The database, or one transaction of it. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
export type InstallationRow = Selectable<InstallationsTable>;
export type FiscalKeyRow = Selectable<FiscalKeysTable>;

export type InstallationChange = Partial<Omit<InstallationRow, "app_id" | "account_id" | "installed_at_ms">> & { updated_at_ms: number };

export function selectInstallation(db: Db, { appId, accountId }: InstallationKey): Promise<InstallationRow | undefined> {
  return db.selectFrom("installations").selectAll().where("app_id", "=", appId).where("account_id", "=", accountId).executeTakeFirst();
}

export function selectInstallations(db: Db, filter: { accountId?: string; state?: InstallationState }): Promise<InstallationRow[]> {
  let query = db.selectFrom("installations").selectAll().orderBy("installed_at_ms").orderBy("app_id").orderBy("account_id");
  if (filter.accountId !== undefined) query = query.where("account_id", "=", filter.accountId);
  if (filter.state !== undefined) query = query.where("state", "=", filter.state);
  return query.execute();
}

/** Returns the keys in the order of `selectInstallations`. Reads no column that could be unreadable. */
export function selectKeys(
  db: Db,
  { accountId, states }: { accountId?: string; states: readonly InstallationState[] },
): Promise<Pick<InstallationRow, "app_id" | "account_id">[]> {
  const all = db.selectFrom("installations").select(["app_id", "account_id"]).where("state", "in", states);
  const chosen = accountId === undefined ? all : all.where("account_id", "=", accountId);
  return chosen.orderBy("installed_at_ms").orderBy("app_id").orderBy("account_id").execute();
}

/** Inserts the installation, or changes the given columns. The row stays locked until the commit. */
export async function upsertInstallation(db: Db, key: InstallationKey, change: InstallationChange & { state: string }): Promise<void> {
  const fresh = {
    account_name: "",
    access_token_sealed: null,
    subscription: null,
    permissions: null,
    installed_at_ms: change.updated_at_ms,
  };
  await db
    .insertInto("installations")
    .values({ ...fresh, ...change, app_id: key.appId, account_id: key.accountId })
    .onConflict((conflict) => conflict.columns(["app_id", "account_id"]).doUpdateSet(change))
    .execute();
}

/** Changes the installation if it is in one of the states `inStates`. Otherwise returns false. */
export async function updateInstallation(
  db: Db,
  { appId, accountId }: InstallationKey,
  change: InstallationChange,
  inStates: readonly InstallationState[],
): Promise<boolean> {
  const result = await db
    .updateTable("installations")
    .set(change)
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("state", "in", inStates)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Returns all keys with a registration id, oldest first, each with its installation's state. */
export async function selectHolders(db: Db, registrationId: string) {
  const { rows } = await holdersSelect(db, { registrationId });
  return rows;
}

const holdersSelect = statement((db, { registrationId }: Placeholders<{ registrationId: string }>) =>
  db
    .selectFrom("fiscal_keys as key")
    .innerJoin("installations as installation", (join) =>
      join.onRef("installation.app_id", "=", "key.app_id").onRef("installation.account_id", "=", "key.account_id"),
    )
    .select(["key.app_id", "key.account_id", "key.spki", "installation.state"])
    .where("key.registration_id", "=", registrationId)
    .orderBy("key.id"),
);

/** Returns the keys of an installation that are valid at this time, newest first. */
export async function selectKeysInForce(db: Db, { appId, accountId }: InstallationKey, nowMs: number): Promise<FiscalKeyRow[]> {
  const { rows } = await keysSelect(db, { appId, accountId, nowMs });
  return rows;
}

const keysSelect = statement((db, { appId, accountId, nowMs }: Placeholders<InstallationKey & { nowMs: number }>) =>
  db
    .selectFrom("fiscal_keys")
    .selectAll()
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where((where) => where.or([where("retires_at_ms", "is", null), where("retires_at_ms", ">", nowMs)]))
    .orderBy("id", "desc"),
);

/** Inserts the new key. The key that was in force until then retires at `supersededUntilMs`. */
export async function replaceKey(db: Db, row: Omit<FiscalKeyRow, "id" | "retires_at_ms">, supersededUntilMs: number): Promise<void> {
  await db
    .updateTable("fiscal_keys")
    .set({ retires_at_ms: supersededUntilMs })
    .where("app_id", "=", row.app_id)
    .where("account_id", "=", row.account_id)
    .where("retires_at_ms", "is", null)
    .execute();
  await db
    .insertInto("fiscal_keys")
    .values({ ...row, retires_at_ms: null })
    .execute();
}
