import type { Insertable, Kysely, Selectable, Transaction } from "kysely";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { LoyaltyGiftCardsTable, LoyaltyGiftEntriesTable } from "../../store/loyalty-tables.ts";
import type { Tables } from "../../store/tables.ts";

type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export type GiftCardRow = Selectable<LoyaltyGiftCardsTable>;

export function giftCardNamed(db: Db, { appId, accountId }: InstallationKey, name: string): Promise<GiftCardRow | undefined> {
  return db
    .selectFrom("loyalty_gift_cards")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("name", "=", name)
    .executeTakeFirst();
}

/** Reads a card and locks it until the end of the transaction. Undefined: the account has no such card. */
export function lockGiftCard(tx: Tx, { appId, accountId }: InstallationKey, id: string): Promise<GiftCardRow | undefined> {
  return tx
    .updateTable("loyalty_gift_cards")
    .set((row) => ({ entry_number: row.ref("entry_number") }))
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .returningAll()
    .executeTakeFirst();
}

/** Returns false when the account already has a card with this name. */
export async function insertGiftCard(tx: Tx, row: Insertable<LoyaltyGiftCardsTable>): Promise<boolean> {
  const result = await tx
    .insertInto("loyalty_gift_cards")
    .values(row)
    .onConflict((conflict) => conflict.columns(["account_id", "app_id", "name"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Stores an entry and updates the card's balance, entry number and hash. Call it after `lockGiftCard`. */
export async function addGiftEntry(tx: Tx, entry: LoyaltyGiftEntriesTable, balanceKopecks: number): Promise<void> {
  await tx.insertInto("loyalty_gift_entries").values(entry).execute();
  await tx
    .updateTable("loyalty_gift_cards")
    .set({ balance_kopecks: balanceKopecks, entry_number: entry.number, entry_hash: entry.hash })
    .where("id", "=", entry.card_id)
    .execute();
}
