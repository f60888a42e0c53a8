import type { InstallationKey } from "../../accounts/installation.ts";
import type { LoyaltyDesk } from "./services.ts";

type IssuedCard = { kind: "issued"; id: string } | { kind: "name-taken" };

/** Issues a gift card. A cashier types or scans its name, which is unique in the account. */
export async function issueGiftCard(
  { giftCards }: Pick<LoyaltyDesk, "giftCards">,
  key: InstallationKey,
  { name, kopecks }: { name: string; kopecks: number },
): Promise<IssuedCard> {
  const made = await giftCards.issue(key, name, kopecks);
  const card = made ? await giftCards.find(key, name) : undefined;
  return card === undefined ? { kind: "name-taken" } : { kind: "issued", id: card.id };
}
