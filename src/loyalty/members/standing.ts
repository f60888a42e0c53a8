import type { InstallationKey } from "../../accounts/installation.ts";
import { present } from "../../kernel/present.ts";
import type { AccountRow, MemberRow } from "../../store/loyalty-tables.ts";
import { type Db, lockAccount, type Tx } from "../ledger/ledger-queries.ts";
import { keptMember } from "./identity.ts";
import { memberById } from "./member-queries.ts";
import { goneIdsOf } from "./merge-queries.ts";

/** How often other processes may merge the member during one call. Persons make merges by hand. */
const MAX_MERGES_MEANWHILE = 20;

/** A member that is neither merged nor erased, and its locked account. `account` is absent when the account's row is lost. */
interface Standing {
  member: MemberRow;
  account?: AccountRow;
}

/**
 * Locks the account of the member that remains after merges, and returns the member's row as read after the lock. Before the lock another
 * process may merge or erase the member. Undefined: no member remains, for example after an erasure.
 */
export async function lockedMember(tx: Tx, key: InstallationKey, row: MemberRow): Promise<MemberRow | undefined> {
  return (await lockedStanding(tx, key, row))?.member;
}

/** As `lockedMember`, with the account. */
export async function lockedStanding(tx: Tx, key: InstallationKey, row: MemberRow): Promise<Standing | undefined> {
  let member: MemberRow | undefined = row;
  for (let tries = 0; tries <= MAX_MERGES_MEANWHILE && member !== undefined; tries++) {
    const account = await lockAccount(tx, member.id);
    const fresh = await memberById(tx, key, member.id);
    if (fresh === undefined || fresh.status === "erased") return undefined;
    if (fresh.merged_into === null) return { member: fresh, ...present({ account }) };
    member = await keptMember(tx, key, fresh);
  }
  return undefined;
}

/** Returns the ids of a member and of all members merged into it, directly or over any number of merges. */
export async function idsOfPerson(db: Db, memberId: string): Promise<string[]> {
  const ids = new Set([memberId]);
  let newest = [memberId];
  while (newest.length > 0) {
    newest = (await goneIdsOf(db, newest)).filter((id) => !ids.has(id));
    for (const id of newest) ids.add(id);
  }
  return [...ids];
}
