import type { InstallationKey } from "../../accounts/installation.ts";
import { findMember, keptMember } from "../../loyalty/members/identity.ts";
import type { MemberRow } from "../../loyalty/members/member-queries.ts";
import { memberById, memberOfAny } from "../../loyalty/members/member-queries.ts";
import type { LoyaltyDesk } from "./services.ts";

export type FoundMember =
  | { kind: "found"; row: MemberRow }
  /** Found by this server's id. The personal data were erased, the ledger stays. */
  | { kind: "erased"; row: MemberRow }
  | { kind: "none" };

/**
 * Finds a member by this server's id, the platform's id, a phone in any spelling, or a card, in this order. For a merged member it
 * returns the remaining member.
 */
export function memberNamed({ services }: Pick<LoyaltyDesk, "services">, key: InstallationKey, text: string): Promise<FoundMember> {
  return services.store.read(async (db): Promise<FoundMember> => {
    const own = await memberById(db, key, text);
    if (own !== undefined) {
      const kept = await keptMember(db, key, own);
      return kept === undefined ? { kind: "erased", row: own } : { kind: "found", row: kept };
    }
    const row = await findMember(db, services.seal, key, { platformId: text, phone: text, card: text });
    return row === undefined ? { kind: "none" } : { kind: "found", row };
  });
}

/** Finds a member by this server's id, in any account. Treats merged and erased members like `memberNamed`. */
export async function memberAnywhere(
  desk: Pick<LoyaltyDesk, "services">,
  id: string,
): Promise<{ key: InstallationKey; row: MemberRow } | undefined> {
  const own = await desk.services.store.read((db) => memberOfAny(db, id));
  if (own === undefined) return undefined;
  const key = { appId: own.app_id, accountId: own.account_id };
  const found = await memberNamed(desk, key, id);
  return found.kind === "none" ? undefined : { key, row: found.row };
}
