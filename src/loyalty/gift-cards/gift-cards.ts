import { type Actor, OPERATOR, writeAudit } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { formatKopecks } from "../../kernel/money.ts";
import type { LoyaltyServices } from "../services.ts";
import type { Tx } from "./gift-card-queries.ts";
import { addGiftEntry, type GiftCardRow, giftCardNamed, insertGiftCard, lockGiftCard } from "./gift-card-queries.ts";
import { hashOfGiftEntry } from "./gift-entry.ts";

/** The status of a gift card, as tills get it (platform-contracts 6.4). */
type GiftCardStatus = "CAN_BE_USED" | "PARTIALLY_REDEEMED" | "EXPIRED" | "REDEEMED";

export interface GiftCard {
  id: string;
  name: string;
  status: GiftCardStatus;
  initialKopecks: number;
  balanceKopecks: number;
  expiresAtMs?: number;
}

export interface GiftPayment {
  cardId: string;
  /** The name on the card. The card is looked up by this name if no card has the id. */
  name: string;
  kopecks: number;
}

/** Gift cards. Their ledger is separate from the points ledger. */
export class GiftCards {
  readonly #services: Pick<LoyaltyServices, "store" | "clock" | "chance">;

  constructor(services: Pick<LoyaltyServices, "store" | "clock" | "chance">) {
    this.#services = services;
  }

  async find(key: InstallationKey, name: string): Promise<GiftCard | undefined> {
    const { store, clock } = this.#services;
    const row = await store.read((db) => giftCardNamed(db, key, name));
    return row === undefined ? undefined : cardOf(row, clock.nowMs());
  }

  /** Issues a card. False: the account already has a card with this name. */
  issue(key: InstallationKey, name: string, kopecks: number, actor: Actor = OPERATOR): Promise<boolean> {
    const { store, clock, chance } = this.#services;
    const id = chance.uuid();
    const nowMs = clock.nowMs();
    return store.commit(async (tx) => {
      const made = await insertGiftCard(tx, {
        id,
        app_id: key.appId,
        account_id: key.accountId,
        name,
        initial_kopecks: kopecks,
        balance_kopecks: 0,
        entry_number: 0,
        entry_hash: "",
        issued_at_ms: nowMs,
        expires_at_ms: null,
      });
      const row = made ? await lockGiftCard(tx, key, id) : undefined;
      if (row !== undefined) {
        await move(tx, row, { kind: "issue", kopecks, nowMs });
        // The name of a card is enough to pay with it, so the audit shows the card's id instead.
        await writeAudit(tx, { atMs: nowMs, key, actor }, { act: "gift-card", subject: id, after: formatKopecks(kopecks) });
      }
      return made;
    });
  }

  /**
   * Takes the payments of a sale from the cards, in the transaction that books the sale. Finds a card by its id. If no card has the id, the
   * card with the stated name pays, because the till has shown the buyer this card as a payment. Returns the missing kopecks. For a card
   * that is not found or has expired, the whole payment is missing. A shortage does not refuse the sale, because the goods are already
   * sold.
   */
  async spendIn(tx: Tx, key: InstallationKey, payments: readonly GiftPayment[], orderId: number): Promise<number> {
    const nowMs = this.#services.clock.nowMs();
    let missing = 0;
    // Sorted, so that two sales lock the same cards in the same order. Sorted by name, because ids may be misspelt.
    for (const { cardId, name, kopecks } of [...payments].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const card = (await lockGiftCard(tx, key, cardId)) ?? (await lockNamed(tx, key, name));
      const taken = card === undefined || isExpired(card, nowMs) ? 0 : Math.min(kopecks, card.balance_kopecks);
      missing += kopecks - taken;
      if (card !== undefined && taken > 0) await move(tx, card, { kind: "spend", kopecks: -taken, orderId, nowMs });
    }
    return missing;
  }
}

async function lockNamed(tx: Tx, key: InstallationKey, name: string): Promise<GiftCardRow | undefined> {
  const row = await giftCardNamed(tx, key, name);
  return row === undefined ? undefined : lockGiftCard(tx, key, row.id);
}

interface GiftMove {
  kind: "issue" | "spend";
  kopecks: number;
  orderId?: number;
  nowMs: number;
}

async function move(tx: Tx, card: GiftCardRow, { kind, kopecks, orderId, nowMs }: GiftMove): Promise<void> {
  const row = { card_id: card.id, number: card.entry_number + 1, kind, kopecks, order_id: orderId ?? null, at_ms: nowMs };
  await addGiftEntry(tx, { ...row, hash: hashOfGiftEntry(card.entry_hash, row) }, card.balance_kopecks + kopecks);
}

function cardOf(row: GiftCardRow, nowMs: number): GiftCard {
  const { id, name, initial_kopecks: initialKopecks, balance_kopecks: balanceKopecks, expires_at_ms: expiresAtMs } = row;
  return { id, name, initialKopecks, balanceKopecks, status: statusOf(row, nowMs), ...(expiresAtMs === null ? {} : { expiresAtMs }) };
}

function statusOf(row: GiftCardRow, nowMs: number): GiftCardStatus {
  if (row.balance_kopecks === 0) return "REDEEMED";
  if (isExpired(row, nowMs)) return "EXPIRED";
  return row.balance_kopecks < row.initial_kopecks ? "PARTIALLY_REDEEMED" : "CAN_BE_USED";
}

function isExpired({ expires_at_ms: expiresAtMs }: GiftCardRow, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}
