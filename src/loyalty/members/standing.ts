import type { InstallationKey } from "../../accounts/installation.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import { type Db, lockAccount, type Tx } from "../ledger/ledger-queries.ts";
import { keptMember } from "./identity.ts";
import { memberById } from "./member-queries.ts";
import { goneIdsOf } from "./merge-queries.ts";

/** The largest number of merges that are followed one after the other. */
export const MAX_MERGES = 20;

/**
 * Locks the account of the member that was kept after merges, and returns its row as it is after locking, because another process may have
 * merged or erased it meanwhile. Undefined: it was erased.
 */
export async function lockedMember(tx: Tx, key: InstallationKey, row: MemberRow): Promise<MemberRow | undefined> {
  let member: MemberRow | undefined = row;
  for (let tries = 0; tries <= MAX_MERGES && member !== undefined; tries++) {
    await lockAccount(tx, member.id);
    const fresh = await memberById(tx, key, member.id);
    if (fresh === undefined || fresh.status === "erased") return undefined;
    if (fresh.merged_into === null) return fresh;
    member = await keptMember(tx, key, fresh);
  }
  return undefined;
}

/** Returns the ids of a member and of all members that were merged into it, directly or through others. */
export async function idsOfPerson(db: Db, memberId: string): Promise<string[]> {
  const ids = new Set([memberId]);
  let newest = [memberId];
  for (let merges = 0; merges < MAX_MERGES && newest.length > 0; merges++) {
    newest = (await goneIdsOf(db, newest)).filter((id) => !ids.has(id));
    for (const id of newest) ids.add(id);
  }
  return [...ids];
}
