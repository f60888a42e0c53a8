import type { Insertable } from "kysely";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { LoyaltyConnectionsTable, LoyaltyKeysTable } from "../../store/loyalty-tables.ts";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";

/**
 * An installation that is active or waits for settings, and whose setting `loyalty` is on. `told`: the result of the last message to the
 * platform. Absent: no message was sent.
 */
export interface WantedConnection extends InstallationKey {
  installationAtMs: number;
  told?: { state: string; externalSearch: boolean | null; installationAtMs: number | null; nextTryAtMs: number; tries: number };
}

/** `wholeAccount`: the store id of settings that apply to a whole account. */
export async function wantedConnections(db: Db, wholeAccount: string): Promise<WantedConnection[]> {
  const rows = await db
    .selectFrom("settings as s")
    .innerJoin("installations as i", (join) => join.onRef("i.app_id", "=", "s.app_id").onRef("i.account_id", "=", "s.account_id"))
    .leftJoin("loyalty_connections as c", (join) => join.onRef("c.app_id", "=", "s.app_id").onRef("c.account_id", "=", "s.account_id"))
    .select([
      "s.app_id",
      "s.account_id",
      "i.updated_at_ms",
      "c.state",
      "c.external_search",
      "c.installation_at_ms",
      "c.next_try_at_ms",
      "c.tries",
    ])
    .where("s.store_id", "=", wholeAccount)
    .where("s.name", "=", "loyalty")
    .where("s.value", "=", "on")
    .where("i.state", "in", ["active", "settings_required"])
    .execute();
  return rows.map((row) => ({
    appId: row.app_id,
    accountId: row.account_id,
    installationAtMs: row.updated_at_ms,
    ...(row.state === null || row.next_try_at_ms === null || row.tries === null
      ? {}
      : {
          told: {
            state: row.state,
            externalSearch: row.external_search === null ? null : row.external_search === 1,
            installationAtMs: row.installation_at_ms,
            nextTryAtMs: row.next_try_at_ms,
            tries: row.tries,
          },
        }),
  }));
}

export async function upsertConnection(tx: Tx, row: Insertable<LoyaltyConnectionsTable>): Promise<void> {
  const { app_id, account_id, ...change } = row;
  await tx
    .insertInto("loyalty_connections")
    .values(row)
    .onConflict((conflict) => conflict.columns(["app_id", "account_id"]).doUpdateSet(change))
    .execute();
}

/** Returns the result of the last message to the platform, with words for people. Undefined: no message was sent. */
export function connectionOf(db: Db, { appId, accountId }: InstallationKey): Promise<{ state: string; said: string | null } | undefined> {
  return db
    .selectFrom("loyalty_connections")
    .select(["state", "said"])
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
}

export async function insertKey(tx: Tx, row: LoyaltyKeysTable): Promise<void> {
  await tx.insertInto("loyalty_keys").values(row).execute();
}

/** Limits the validity of the account's other keys to the given moment. */
export async function retireOtherKeys(tx: Tx, { appId, accountId }: InstallationKey, keyHash: string, atMs: number): Promise<void> {
  await tx
    .updateTable("loyalty_keys")
    .set({ retires_at_ms: atMs })
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("key_hash", "<>", keyHash)
    .where((key) => key.or([key("retires_at_ms", "is", null), key("retires_at_ms", ">", atMs)]))
    .execute();
}

export async function deleteKey(tx: Tx, keyHash: string): Promise<void> {
  await tx.deleteFrom("loyalty_keys").where("key_hash", "=", keyHash).execute();
}

export async function deleteRetiredKeys(tx: Tx, nowMs: number): Promise<void> {
  await tx.deleteFrom("loyalty_keys").where("retires_at_ms", "<=", nowMs).execute();
}

interface KeyHolder extends InstallationKey {
  installationState: string;
  setting: string | null;
}

/** Returns the installation whose key has this hash. Undefined: no valid key has this hash. */
export async function holderOfKey(db: Db, keyHash: string, nowMs: number): Promise<KeyHolder | undefined> {
  const { rows } = await holderSelect(db, { keyHash, nowMs });
  const row = rows[0];
  return row === undefined
    ? undefined
    : { appId: row.app_id, accountId: row.account_id, installationState: row.state, setting: row.setting };
}

const holderSelect = statement((db, { keyHash, nowMs }: Placeholders<{ keyHash: string; nowMs: number }>) =>
  db
    .selectFrom("loyalty_keys as k")
    .innerJoin("installations as i", (join) => join.onRef("i.app_id", "=", "k.app_id").onRef("i.account_id", "=", "k.account_id"))
    .leftJoin("settings as s", (join) =>
      join
        .onRef("s.app_id", "=", "k.app_id")
        .onRef("s.account_id", "=", "k.account_id")
        .on("s.store_id", "=", "*")
        .on("s.name", "=", "loyalty"),
    )
    .select(["k.app_id", "k.account_id", "i.state", "s.value as setting"])
    .where("k.key_hash", "=", keyHash)
    .where((key) => key.or([key("k.retires_at_ms", "is", null), key("k.retires_at_ms", ">", nowMs)])),
);
