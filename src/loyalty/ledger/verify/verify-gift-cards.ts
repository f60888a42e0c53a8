import type { LoyaltyGiftEntriesTable } from "../../../store/loyalty-tables.ts";
import { hashOfGiftEntry } from "../../gift-cards/gift-entry.ts";
import { compared, type Finding, namedOfGap } from "./finding.ts";
import type { GiftCardRow } from "./verify-queries.ts";

/** Recomputes gift cards from their entries. Pass the entries ordered by card and number. */
export function checkCards(cards: readonly GiftCardRow[], entries: readonly LoyaltyGiftEntriesTable[]): Finding[] {
  const own = new Map<string, LoyaltyGiftEntriesTable[]>(cards.map(({ id }) => [id, []]));
  const findings: Finding[] = [];
  for (const entry of entries) {
    const known = own.get(entry.card_id);
    if (known === undefined) findings.push({ ...placeOf(entry), fault: { code: "surplus" } });
    else known.push(entry);
  }
  return [...findings, ...cards.flatMap((card) => checkCard(card, own.get(card.id) ?? []))];
}

function checkCard(card: GiftCardRow, entries: readonly LoyaltyGiftEntriesTable[]): Finding[] {
  const findings: Finding[] = [];
  let hash = "";
  let balance = 0;
  let number = 0;
  for (const entry of entries) {
    const hasGap = entry.number !== number + 1;
    for (const missing of namedOfGap(number + 1, entry.number - 1))
      findings.push({ table: "loyalty_gift_entries", row: `${card.id}/${missing}`, fault: { code: "missing" } });
    if (!hasGap && hashOfGiftEntry(hash, entry) !== entry.hash) findings.push({ ...placeOf(entry), fault: { code: "altered" } });
    balance += entry.kopecks;
    hash = entry.hash;
    number = entry.number;
  }
  const place = { table: "loyalty_gift_cards", row: card.id } as const;
  const [issue] = entries;
  return [
    ...findings,
    ...compared(place, "entry_number", card.entry_number, number),
    ...compared(place, "entry_hash", card.entry_hash, hash),
    ...compared(place, "balance_kopecks", card.balance_kopecks, balance),
    ...compared(place, "balance_kopecks", card.balance_kopecks, Math.max(0, card.balance_kopecks)),
    ...compared(place, "initial_kopecks", card.initial_kopecks, issue?.kopecks ?? 0),
  ];
}

function placeOf({ card_id: cardId, number }: LoyaltyGiftEntriesTable) {
  return { table: "loyalty_gift_entries", row: `${cardId}/${number}` } as const;
}
