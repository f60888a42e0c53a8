import type { InstallationKey } from "../../accounts/installation.ts";
import { present } from "../../kernel/present.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import { lotOf } from "../ledger/entry.ts";
import { accountOf, type Db, lotsLeft } from "../ledger/ledger-queries.ts";
import { findMember, type Identity } from "../members/identity.ts";
import { memberOf } from "../members/member.ts";
import type { QuoteMember } from "../quote/quote.ts";
import type { LoyaltyServices } from "../services.ts";

export interface MemberState {
  row: MemberRow;
  member: QuoteMember;
  entryNumber: number;
  /** Null: no review is planned. */
  tierReviewAtMs: number | null;
}

/** Reads the member that a till names, with lots, debt and tier. Undefined: no such member, or the member's account is lost. */
export async function memberState(
  db: Db,
  seal: LoyaltyServices["seal"],
  key: InstallationKey,
  identity: Identity,
): Promise<MemberState | undefined> {
  const row = await findMember(db, seal, key, identity);
  return row === undefined ? undefined : stateOf(db, row);
}

async function stateOf(db: Db, row: MemberRow): Promise<MemberState | undefined> {
  const account = await accountOf(db, row.id);
  if (account === undefined) return undefined;
  const { status, birthday } = memberOf(row);
  const lots = (await lotsLeft(db, row.id)).map(lotOf);
  return {
    row,
    entryNumber: account.entry_number,
    tierReviewAtMs: account.tier_review_at_ms,
    member: {
      status: status === "active" ? "active" : "blocked",
      lots,
      debtPoints: account.debt_points,
      tier: account.tier,
      hasBought: account.has_bought === 1,
      ...present({ birthday, lastVisitMs: account.visited_at_ms ?? undefined }),
    },
  };
}
