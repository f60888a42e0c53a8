import type { Selectable, Updateable } from "kysely";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { PlatformLinksTable } from "../../store/tables.ts";
import type { InstallationKey } from "../installation.ts";
import type { Db } from "../installation-queries.ts";

export type LinkRow = Selectable<PlatformLinksTable>;

export async function selectLink(db: Db, key: InstallationKey): Promise<LinkRow | undefined> {
  const { rows } = await linkSelect(db, key);
  return rows[0];
}

/** Built once, because every sale and return reads the link: another process may have proved the link's `MoneyScale`. */
const linkSelect = statement((db, { appId, accountId }: Placeholders<InstallationKey>) =>
  db.selectFrom("platform_links").selectAll().where("app_id", "=", appId).where("account_id", "=", accountId),
);

export function selectLinkBySecret(db: Db, hash: string): Promise<LinkRow | undefined> {
  return db.selectFrom("platform_links").selectAll().where("webhook_secret_hash", "=", hash).executeTakeFirst();
}

/** Inserts the row. If two requests make the link at the same time, the first row stays. */
export async function insertLink(db: Db, row: LinkRow): Promise<void> {
  await db
    .insertInto("platform_links")
    .values(row)
    .onConflict((conflict) => conflict.columns(["app_id", "account_id"]).doNothing())
    .execute();
}

export async function updateLink(db: Db, { appId, accountId }: InstallationKey, change: Updateable<PlatformLinksTable>): Promise<void> {
  await db.updateTable("platform_links").set(change).where("app_id", "=", appId).where("account_id", "=", accountId).execute();
}
