import type { InstallationKey } from "../../accounts/installation.ts";
import type { Seal } from "../../security/seal.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import { normalPhone } from "../phone.ts";
import { fingerprintOf } from "./member.ts";
import { type Alias, memberById, memberIdOf } from "./member-queries.ts";
import { normalCard } from "./search-terms.ts";

/** What a till says of who the buyer is. */
export interface Identity {
  /** meta.id: the platform's id, the id made at the register, or our own. */
  platformId?: string;
  syncId?: string;
  /** In any spelling. */
  phone?: string;
  card?: string;
}

/** A chain of merges is at most this long; each merge makes it one longer. */
const MAX_MERGES = 20;

/**
 * Finds the member: by the platform's id, the register's id, our own id, the phone, the card, in this order (loyalty-model 12). A
 * merged member leads to the one that has taken it over. Undefined: nobody, or somebody who was erased.
 */
export async function findMember(
  db: Db,
  seal: Pick<Seal, "fingerprint">,
  key: InstallationKey,
  identity: Identity,
): Promise<MemberRow | undefined> {
  for (const alias of aliasesIn(seal, key, identity)) {
    const id = await memberIdOf(db, key, alias);
    const row = id === undefined ? undefined : await memberById(db, key, id);
    if (row !== undefined) return keptMember(db, key, row);
    if (alias.kind === "sync" && identity.platformId === alias.value) {
      const own = await memberById(db, key, alias.value);
      if (own !== undefined) return keptMember(db, key, own);
    }
  }
  return undefined;
}

/**
 * The member into which the given member was merged, at last; the given member itself when it was never merged. Undefined: that
 * member was erased.
 */
export async function keptMember(db: Db, key: InstallationKey, row: MemberRow): Promise<MemberRow | undefined> {
  let kept: MemberRow | undefined = row;
  for (let merges = 0; merges < MAX_MERGES && kept !== undefined && kept.merged_into !== null; merges++)
    kept = await memberById(db, key, kept.merged_into);
  return kept === undefined || kept.status === "erased" ? undefined : kept;
}

/** The aliases by which an identity is looked for, in the order in which they count. */
function aliasesIn(seal: Pick<Seal, "fingerprint">, key: InstallationKey, identity: Identity): Alias[] {
  const { platformId, syncId, phone, card } = identity;
  const aliases: Alias[] = [];
  if (platformId !== undefined) aliases.push({ kind: "native", value: platformId }, { kind: "sync", value: platformId });
  if (syncId !== undefined && syncId !== platformId) aliases.push({ kind: "sync", value: syncId });
  const number = phone === undefined ? undefined : normalPhone(phone);
  if (number !== undefined) aliases.push(phoneAlias(seal, key, number));
  if (card !== undefined && normalCard(card) !== "") aliases.push(cardAlias(seal, key, card));
  return aliases;
}

/** `number`: E.164. */
export function phoneAlias(seal: Pick<Seal, "fingerprint">, key: InstallationKey, number: string): Alias {
  return { kind: "phone", value: fingerprintOf(seal, key, `phone:${number}`) };
}

export function cardAlias(seal: Pick<Seal, "fingerprint">, key: InstallationKey, card: string): Alias {
  return { kind: "card", value: fingerprintOf(seal, key, `card:${normalCard(card)}`) };
}
