import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import { referenceIn, type Stored, type Values } from "../../values/stored.ts";

/** A party of a document, the field of its bank account, and the code for another owner's bank account (json-api 10.3). */
const PARTIES = [
  { party: "organization", field: "organizationAccount", code: 17000 },
  { party: "agent", field: "agentAccount", code: 17001 },
] as const;

/**
 * Throws if a bank account in a document does not belong to the party in the same document. If the bank account and the party are both
 * unchanged, they are not checked.
 */
export function refuseForeignAccounts(settled: Values, before: Stored | undefined, account: Account): void {
  for (const { party, field, code } of PARTIES) {
    const [held, owner] = [referenceIn(settled[field])?.id, referenceIn(settled[party])?.id];
    if (held === undefined) continue;
    const stays = held === referenceIn(before?.values[field])?.id && owner === referenceIn(before?.values[party])?.id;
    if (!stays && account.innerObjects.ownerOf(held)?.id !== owner) throw refused(code, field);
  }
}
