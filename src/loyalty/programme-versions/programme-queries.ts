import type { InstallationKey } from "../../accounts/installation.ts";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";

interface StoredProgramme {
  version: number;
  content: string;
}

/** Returns the programme in force. Undefined: never set. */
export async function newestProgramme(db: Db, { appId, accountId }: InstallationKey): Promise<StoredProgramme | undefined> {
  const { rows } = await newestSelect(db, { appId, accountId });
  return rows[0];
}

const newestSelect = statement((db, { appId, accountId }: Placeholders<InstallationKey>) =>
  db
    .selectFrom("loyalty_programmes")
    .select(["version", "content"])
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .orderBy("version", "desc")
    .limit(1),
);

/** Returns the number of the programme in force, without its content. Undefined: never set. */
export async function newestVersion(db: Db, { appId, accountId }: InstallationKey): Promise<number | undefined> {
  const { rows } = await newestNumber(db, { appId, accountId });
  return rows[0]?.version;
}

const newestNumber = statement((db, { appId, accountId }: Placeholders<InstallationKey>) =>
  db
    .selectFrom("loyalty_programmes")
    .select("version")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .orderBy("version", "desc")
    .limit(1),
);

/** Returns a version with its time. Undefined: no such version. */
export async function programmeWithTime(
  db: Db,
  { appId, accountId }: InstallationKey,
  version: number,
): Promise<{ content: string; set_at_ms: number } | undefined> {
  return db
    .selectFrom("loyalty_programmes")
    .select(["content", "set_at_ms"])
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("version", "=", version)
    .executeTakeFirst();
}

export async function programmeOfVersion(db: Db, { appId, accountId }: InstallationKey, version: number): Promise<string | undefined> {
  const row = await db
    .selectFrom("loyalty_programmes")
    .select("content")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("version", "=", version)
    .executeTakeFirst();
  return row?.content;
}

/** Adds the next version and returns its number. */
export async function addProgramme(
  tx: Tx,
  { appId, accountId }: InstallationKey,
  { content, setAtMs, setBy }: { content: string; setAtMs: number; setBy: string },
): Promise<number> {
  const newest = await newestProgramme(tx, { appId, accountId });
  const version = (newest?.version ?? 0) + 1;
  await tx
    .insertInto("loyalty_programmes")
    .values({ app_id: appId, account_id: accountId, version, content, set_at_ms: setAtMs, set_by: setBy })
    .execute();
  return version;
}

/** Adds the version after `seen`. False: another transaction has added it, and nothing was written. */
export async function addProgrammeAfter(
  tx: Tx,
  { appId, accountId }: InstallationKey,
  seen: number,
  { content, setAtMs, setBy }: { content: string; setAtMs: number; setBy: string },
): Promise<boolean> {
  const added = await tx
    .insertInto("loyalty_programmes")
    .values({ app_id: appId, account_id: accountId, version: seen + 1, content, set_at_ms: setAtMs, set_by: setBy })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(added.numInsertedOrUpdatedRows ?? 0n) > 0;
}
