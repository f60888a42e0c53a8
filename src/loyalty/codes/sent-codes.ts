import type { InstallationKey } from "../../accounts/installation.ts";
import { present } from "../../kernel/present.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import { fingerprintOf, personalOf } from "../members/member.ts";
import type { LoyaltyServices } from "../services.ts";
import { type SentCode, spendingCodes } from "./code-queries.ts";

interface Spend {
  storeId: string;
  points: number;
  sinceMs: number;
  /** Returns the points of the member's newest spending quote that was made shortly before this time. Undefined: there is none. */
  quotedAt: (atMs: number) => Promise<number | undefined>;
}

/**
 * Whether a code for spending was sent for this member after `sinceMs`, from this point of sale and for at least these points
 * (loyalty-model 11).
 *
 * A till asks for a code without naming points. So a code covers the points of the newest spending quote shortly before the code was sent
 * (`quotedAt`). Without such a quote the code covers any number of points.
 *
 * A till may name any phone for the code (platform-contracts 6.3). A code to a phone that is not the member's usually proves nothing. Such
 * a code counts only when the member has neither a phone nor an e-mail address.
 */
export async function wasCodeSent(
  db: Db,
  seal: LoyaltyServices["seal"],
  key: InstallationKey,
  member: MemberRow,
  { storeId, points, sinceMs, quotedAt }: Spend,
): Promise<boolean> {
  const sent: SentCode[] = [];
  for (const code of await spendingCodes(db, key, { memberId: member.id, storeId, sinceMs }))
    if (points <= ((await quotedAt(code.sent_at_ms)) ?? points)) sent.push(code);
  if (sent.length === 0) return false;
  const personal = personalOf(member, seal);
  const own = Object.values(present({ phone: personal?.phone, email: personal?.email })).map((address) => targetOf(seal, key, address));
  return own.length === 0 || sent.some(({ target }) => own.includes(target));
}

/** Returns the hash that replaces an address in the table of codes. `address`: a phone in E.164, or an e-mail address. */
export function targetOf(seal: LoyaltyServices["seal"], key: InstallationKey, address: string): string {
  return fingerprintOf(seal, key, `code:${address}`);
}
