import type { Selectable } from "kysely";
import type { SubscriptionsTable } from "../../store/tables.ts";
import type { InstallationKey } from "../installation.ts";
import type { Db } from "../installation-queries.ts";

export type SubscriptionRow = Selectable<SubscriptionsTable>;

export function selectSubscriptions(db: Db, { appId, accountId }: InstallationKey): Promise<SubscriptionRow[]> {
  return db
    .selectFrom("subscriptions")
    .selectAll()
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .orderBy("entity_type")
    .orderBy("action")
    .execute();
}

export async function upsertSubscription(db: Db, row: SubscriptionRow): Promise<void> {
  const { state, webhook_id, problem, address_hash, checked_at_ms } = row;
  await db
    .insertInto("subscriptions")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["app_id", "account_id", "entity_type", "action"])
        .doUpdateSet({ state, webhook_id, problem, address_hash, checked_at_ms }),
    )
    .execute();
}

export async function deleteSubscription(db: Db, { app_id, account_id, entity_type, action }: SubscriptionRow): Promise<void> {
  await db
    .deleteFrom("subscriptions")
    .where("app_id", "=", app_id)
    .where("account_id", "=", account_id)
    .where("entity_type", "=", entity_type)
    .where("action", "=", action)
    .execute();
}
