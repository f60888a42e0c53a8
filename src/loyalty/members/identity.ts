import type { InstallationKey } from "../../accounts/installation.ts";
import type { Seal } from "../../security/seal.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import { normalPhone } from "../phone.ts";
import { fingerprintOf } from "./member.ts";
import { type Alias, memberById, memberWithAlias } from "./member-queries.ts";
import { normalCard } from "./search-terms.ts";

export interface Identity {
  /** The id in `meta.id`, which the platform, the till or this server has made. */
  platformId?: string;
  syncId?: string;
  phone?: string;
  card?: string;
}

/**
 * Finds the member by `platformId`, `syncId`, phone and card, in this order (loyalty-model 12). `platformId` may be the platform's id, the
 * till's id or this server's id of the member. Follows merges to the kept member. An identifier of an erased member counts as unknown, so
 * that the next identifier is looked at. Undefined: no member matches.
 */
export async function findMember(
  db: Db,
  seal: Pick<Seal, "fingerprint">,
  key: InstallationKey,
  identity: Identity,
): Promise<MemberRow | undefined> {
  for (const alias of aliasesIn(seal, key, identity)) {
    const isOwnId = alias.kind === "sync" && identity.platformId === alias.value;
    const row = (await memberWithAlias(db, key, alias)) ?? (isOwnId ? await memberById(db, key, alias.value) : undefined);
    const kept = row === undefined ? undefined : await keptMember(db, key, row);
    if (kept !== undefined) return kept;
  }
  return undefined;
}

/**
 * Returns the member that remains after all merges of the given member, or the member itself. Undefined: the remaining member was erased or
 * is missing.
 */
export async function keptMember(db: Db, key: InstallationKey, row: MemberRow): Promise<MemberRow | undefined> {
  let kept: MemberRow | undefined = row;
  // A chain has any number of merges, and each leads to a further member. Only damaged rows lead back to an earlier member.
  const seen = new Set<string>();
  while (kept !== undefined && kept.merged_into !== null) {
    seen.add(kept.id);
    kept = seen.has(kept.merged_into) ? undefined : await memberById(db, key, kept.merged_into);
  }
  return kept === undefined || kept.status === "erased" ? undefined : kept;
}

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

/** `card`: in any spelling. */
export function cardAlias(seal: Pick<Seal, "fingerprint">, key: InstallationKey, card: string): Alias {
  return { kind: "card", value: fingerprintOf(seal, key, `card:${normalCard(card)}`) };
}
