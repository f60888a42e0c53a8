import type { InstallationKey } from "../../accounts/installation.ts";
import { present } from "../../kernel/present.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import { fingerprintOf, personalOf } from "../members/member.ts";
import type { LoyaltyServices } from "../services.ts";
import { type SentCode, spendingCodes } from "./code-queries.ts";

/** What a sale spends, and where. */
interface Spend {
  storeId: string;
  points: number;
  sinceMs: number;
  /** The points of the newest quote of the member that spends points and was made up to this time. Undefined: there is none. */
  quotedAt: (atMs: number) => Promise<number | undefined>;
}

/**
 * Whether a code for spending was sent to this member after `sinceMs`, from the same point of sale and for as many points (loyalty-model
 * 11). A till asks for a code without naming the points, so they are those of the quote before the code. A till may name any phone for the
 * code (platform-contracts 6.3). A code that was sent to another phone than the member's does not prove that the buyer is the member. So it
 * does not count, unless the member has neither a phone nor an e-mail address.
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

/** Returns the hash under which codes to an address are stored. `address`: a phone in E.164, or an e-mail address. */
export function targetOf(seal: LoyaltyServices["seal"], key: InstallationKey, address: string): string {
  return fingerprintOf(seal, key, `code:${address}`);
}
