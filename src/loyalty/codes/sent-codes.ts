import type { InstallationKey } from "../../accounts/installation.ts";
import { present } from "../../kernel/present.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import { fingerprintOf, personalOf } from "../members/member.ts";
import type { LoyaltyServices } from "../services.ts";
import { spendingTargets } from "./code-queries.ts";

/**
 * Whether a code for spending was sent to this member after `sinceMs`. A till may name any phone for the code (platform-contracts 6.3). A
 * code that was sent to another phone than the member's does not prove that the buyer is the member. So it does not count, unless the
 * member has neither a phone nor an e-mail address.
 */
export async function wasCodeSent(
  db: Db,
  seal: LoyaltyServices["seal"],
  key: InstallationKey,
  member: MemberRow,
  sinceMs: number,
): Promise<boolean> {
  const targets = await spendingTargets(db, key, member.id, sinceMs);
  if (targets.length === 0) return false;
  const personal = personalOf(member, seal);
  const own = Object.values(present({ phone: personal?.phone, email: personal?.email })).map((address) => targetOf(seal, key, address));
  return own.length === 0 || own.some((target) => targets.includes(target));
}

/** Returns the hash under which codes to an address are stored. `address`: a phone in E.164, or an e-mail address. */
export function targetOf(seal: LoyaltyServices["seal"], key: InstallationKey, address: string): string {
  return fingerprintOf(seal, key, `code:${address}`);
}
