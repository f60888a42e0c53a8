import type { InstallationKey } from "../../accounts/installation.ts";
import { cutText } from "../../kernel/cut-text.ts";
import { Failure } from "../../kernel/failure.ts";
import { newestInSteps } from "../../kernel/work/newest-in-steps.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import { type Db, insertAccount, type Tx } from "../ledger/ledger-queries.ts";
import { normalPhone } from "../phone.ts";
import type { LoyaltyServices } from "../services.ts";
import { cardAlias, findMember, type Identity, keptMember, phoneAlias } from "./identity.ts";
import { fingerprintOf, personalOf, sealPersonal } from "./member.ts";
import {
  type Alias,
  deleteAlias,
  insertAlias,
  insertMember,
  memberById,
  memberIdOf,
  memberIdsOfStep,
  membersWithIds,
  memberWithAlias,
  moveAliases,
  setTerms,
  type TermPlace,
  updateMember,
} from "./member-queries.ts";
import type { Personal } from "./personal-schema.ts";
import { cardTerms, emailTerm, isSameEmail, nameTerms, normalCard, wantedCardTerm, wantedNameTerms } from "./search-terms.ts";
import { lockedMember } from "./standing.ts";

/** The largest number of members that a search returns (platform-contracts 6.2). */
const MAX_FOUND = 20;
/** Longer than usual names, phones and cards. The rest of a longer search is ignored. */
const MAX_SEARCH_LENGTH = 100;

const RACED = "loyalty-member-raced";
/** How often a raced transaction is tried. The second try usually succeeds, because another process has then made the member. */
const MAX_TRIES = 3;

interface NewMember {
  identity: Identity;
  personal: Personal;
  /** True: the platform made the member's id. False: the till made it. */
  isNative: boolean;
  /** True: the stated card may belong to somebody else. `#withProvenCard` decides whether the card counts. */
  isCardDoubted?: boolean;
  /**
   * True: the stated phone replaces the member's phone, unless a member already has the stated phone. False or absent: the member keeps
   * both phones.
   */
  isPhoneReplaced?: boolean;
}

type Enrolled =
  | { kind: "made"; memberId: string }
  /**
   * The person is already a member. The stated identifiers were added, except those of another member; `conflicts` names their kinds. The
   * other stated data were added unless the member is blocked.
   */
  | { kind: "known"; memberId: string; conflicts: readonly Alias["kind"][] };

export interface FoundMember {
  id: string;
  platformId?: string;
  personal: Personal;
}

/** Makes, completes and finds members. Names, phones and e-mail addresses are stored sealed. */
export class Members {
  readonly #services: Pick<LoyaltyServices, "store" | "clock" | "chance" | "seal" | "observe">;

  constructor(services: Pick<LoyaltyServices, "store" | "clock" | "chance" | "seal" | "observe">) {
    this.#services = services;
  }

  find(key: InstallationKey, identity: Identity): Promise<MemberRow | undefined> {
    return this.#services.store.read((db) => findMember(db, this.#services.seal, key, identity));
  }

  /** Makes a member, or adds the stated data to an existing member. Safe to repeat. */
  enrol(key: InstallationKey, member: NewMember): Promise<Enrolled> {
    return repeatingRaced(() => this.#services.store.commit((tx) => this.enrolIn(tx, key, member)));
  }

  /**
   * As `enrol`, within a transaction of the caller. Locks the account of an existing member. Throws `loyalty-member-raced` when another
   * process makes or erases the same member now. The caller must roll back, and may repeat the transaction. Throws
   * `loyalty-personal-too-long`.
   */
  async enrolIn(tx: Tx, key: InstallationKey, stated: NewMember): Promise<Enrolled> {
    const { identity, personal, isNative } = stated.isCardDoubted === true ? await this.#withProvenCard(tx, key, stated) : stated;
    const found = await findMember(tx, this.#services.seal, key, identity);
    const known = found === undefined ? undefined : await lockedMember(tx, key, found);
    if (found !== undefined && known === undefined) throw raced("Another process is erasing this member");
    const memberId = known?.id ?? (await this.#make(tx, key, personal));
    if (known !== undefined && stated.isPhoneReplaced === true) await this.#releasePhone(tx, key, known, identity.phone);
    const conflicts = await this.#attach(tx, key, memberId, identity, isNative);
    if (known === undefined) {
      // No member had these identifiers before, so another process has just stored one of them.
      if (conflicts.length > 0) throw raced("Another process is making this member");
      await this.#makeFindable(tx, key, memberId, personal);
      return { kind: "made", memberId };
    }
    if (known.status === "active") await this.#complete(tx, key, known, withoutConflicts(personal, conflicts));
    for (const _ of conflicts) this.#services.observe.anomaly("identity-conflict");
    return { kind: "known", memberId, conflicts };
  }

  /**
   * Finds members by a phone, a card, an e-mail address or words of a name. The first three characters of a card or a word are enough
   * (surface 6). Returns at most 20 members, first those with the phone or the card.
   */
  async search(key: InstallationKey, typed: string): Promise<FoundMember[]> {
    const text = cutText(typed.trim(), MAX_SEARCH_LENGTH);
    if (text === "") return [];
    const { store } = this.#services;
    const ways = this.#wanted(key, text).map((terms) => this.#withTerms(key, terms));
    const ids = new Set((await Promise.all([store.read((db) => this.#exactly(db, key, text)), ...ways])).flat());
    return store.read((db) => this.#described(db, key, [...ids].slice(0, MAX_FOUND)));
  }

  #withTerms(key: InstallationKey, terms: readonly string[]): Promise<string[]> {
    const { store } = this.#services;
    return newestInSteps<TermPlace, string>(MAX_FOUND, (step) => store.read((db) => memberIdsOfStep(db, key, terms, step)));
  }

  async personal(key: InstallationKey, memberId: string): Promise<Personal | undefined> {
    const row = await this.#services.store.read((db) => memberById(db, key, memberId));
    return row === undefined ? undefined : personalOf(row, this.#services.seal);
  }

  async #exactly(db: Db, key: InstallationKey, text: string): Promise<string[]> {
    const { seal } = this.#services;
    const number = normalPhone(text);
    const aliases = [...(number === undefined ? [] : [phoneAlias(seal, key, number)]), cardAlias(seal, key, text)];
    const ids = await Promise.all(aliases.map((alias) => memberIdOf(db, key, alias)));
    return ids.flatMap((id) => id ?? []);
  }

  /** Returns one list of terms for each possible meaning of the text. The longest word comes first, because it is probably the rarest. */
  #wanted(key: InstallationKey, text: string): string[][] {
    const card = wantedCardTerm(text);
    const words = wantedNameTerms(text).sort((a, b) => b.length - a.length);
    const ways = [card === undefined ? [] : [card], text.includes("@") ? [emailTerm(text)] : [], words];
    return ways.filter((terms) => terms.length > 0).map((terms) => terms.map((term) => fingerprintOf(this.#services.seal, key, term)));
  }

  async #described(db: Db, key: InstallationKey, ids: readonly string[]): Promise<FoundMember[]> {
    const found = new Map<string, FoundMember>();
    const stored = await membersWithIds(db, key, ids);
    for (const named of ids) {
      const row = stored.get(named)?.row;
      // The search terms of a merged member lead to the kept member.
      const kept = row === undefined ? undefined : await keptMember(db, key, row);
      const personal = kept === undefined ? undefined : personalOf(kept, this.#services.seal);
      if (kept === undefined || personal === undefined) continue;
      const { id } = kept;
      const { platformId } = stored.get(id) ?? (await membersWithIds(db, key, [id])).get(id) ?? {};
      found.set(id, { id, personal, ...(platformId === undefined ? {} : { platformId }) });
    }
    return [...found.values()];
  }

  async #make(tx: Tx, { appId, accountId }: InstallationKey, personal: Personal): Promise<string> {
    const { chance, clock, seal } = this.#services;
    const id = chance.uuid();
    await insertMember(tx, {
      id,
      app_id: appId,
      account_id: accountId,
      status: "active",
      personal_sealed: sealPersonal(id, normal(personal), seal),
      birthday: birthdayOf(personal),
      created_at_ms: clock.nowMs(),
      merged_into: null,
    });
    await insertAccount(tx, id);
    return id;
  }

  /**
   * Ignores the card when the card leads to a member whom this customer's code has not reached. The code proves a phone or an e-mail
   * address, not a card: anybody may state another person's card. The card stays when the customer states no other identifier, when the
   * customer's phone or ids lead to a member, or when no code can reach the card's member.
   */
  async #withProvenCard(tx: Tx, key: InstallationKey, stated: NewMember): Promise<NewMember> {
    const { identity, personal } = stated;
    const { card, ...others } = identity;
    if (card === undefined || (await findMember(tx, this.#services.seal, key, others)) !== undefined) return stated;
    const holder = await findMember(tx, this.#services.seal, key, { card });
    const own = holder === undefined ? undefined : personalOf(holder, this.#services.seal);
    if (own === undefined || !isReachable(own)) return stated;
    if (personal.phone === undefined && personal.email !== undefined && isSameEmail(personal.email, own.email)) return stated;
    this.#services.observe.anomaly("identity-conflict");
    const { card: _, ...rest } = personal;
    if (Object.keys(others).length > 0) return { ...stated, identity: others, personal: rest };
    // The customer states only the card, so the card stays. Without the card nothing would find the member, and each repeat would make a
    // new member. The stated e-mail address is dropped: it may be another person's, and codes for spending would go to it.
    const { email: _email, ...harmless } = personal;
    return { ...stated, personal: harmless };
  }

  /**
   * Removes the old phone of a member who states a new phone. The old number may later belong to another person, who would then join as
   * this member. A phone that came with a merged member is not new, so both phones stay.
   */
  async #releasePhone(tx: Tx, key: InstallationKey, member: MemberRow, stated: string | undefined): Promise<void> {
    const { seal } = this.#services;
    const [number, own] = [stated, personalOf(member, seal)?.phone].map((phone) => (phone === undefined ? undefined : normalPhone(phone)));
    if (number === undefined || own === undefined || (await memberIdOf(tx, key, phoneAlias(seal, key, number))) !== undefined) return;
    await deleteAlias(tx, key, phoneAlias(seal, key, own), member.id);
  }

  /** Adds the identifiers that no other member has. Returns the kinds of the conflicting identifiers. */
  async #attach(
    tx: Tx,
    key: InstallationKey,
    memberId: string,
    { platformId, syncId, phone, card }: Identity,
    isNative: boolean,
  ): Promise<Alias["kind"][]> {
    const { seal } = this.#services;
    const number = phone === undefined ? undefined : normalPhone(phone);
    const aliases: Alias[] = [
      ...(platformId === undefined || platformId === memberId ? [] : [{ kind: isNative ? "native" : "sync", value: platformId } as const]),
      ...(syncId === undefined ? [] : [{ kind: "sync", value: syncId } as const]),
      ...(number === undefined ? [] : [phoneAlias(seal, key, number)]),
      ...(card === undefined || normalCard(card) === "" ? [] : [cardAlias(seal, key, card)]),
    ];
    const conflicts: Alias["kind"][] = [];
    for (const alias of aliases) {
      if (await insertAlias(tx, key, alias, memberId)) continue;
      const holder = await memberWithAlias(tx, key, alias);
      if (holder?.id === memberId || (holder !== undefined && (await this.#takeFromErased(tx, key, { alias, holder, memberId })))) continue;
      conflicts.push(alias.kind);
    }
    return conflicts;
  }

  /**
   * Moves the alias to this member when its holder was erased, or when damaged rows of its holder lead to no member. Returns whether it
   * did.
   */
  async #takeFromErased(
    tx: Tx,
    key: InstallationKey,
    { alias, holder, memberId }: { alias: Alias; holder: MemberRow; memberId: string },
  ): Promise<boolean> {
    if ((await keptMember(tx, key, holder)) !== undefined) return false;
    await moveAliases(tx, [alias], holder.id, memberId);
    return true;
  }

  /** Adds the stated data to the stored data. A stated value replaces a stored value, except an empty name and an unreadable phone. */
  async #complete(tx: Tx, key: InstallationKey, row: MemberRow, said: Personal): Promise<void> {
    const { seal } = this.#services;
    const known = personalOf(row, seal);
    const personal = normal({ ...known, ...withoutUnreadable(said, known), name: said.name === "" ? (known?.name ?? "") : said.name });
    if (JSON.stringify(personal) === JSON.stringify(known)) return;
    await updateMember(tx, row.id, { personal_sealed: sealPersonal(row.id, personal, seal), birthday: birthdayOf(personal) });
    await this.#makeFindable(tx, key, row.id, personal);
  }

  async #makeFindable(tx: Tx, key: InstallationKey, memberId: string, { name, card, email }: Personal): Promise<void> {
    const terms = [
      ...nameTerms(name),
      ...(card === undefined ? [] : cardTerms(card)),
      ...(email === undefined || email === "" ? [] : [emailTerm(email)]),
    ];
    const hashes = terms.map((term) => fingerprintOf(this.#services.seal, key, term));
    await setTerms(tx, key, memberId, [...new Set(hashes)]);
  }
}

/**
 * Runs a transaction that makes a member. Repeats it, up to `MAX_TRIES` in all, when another process makes or erases the same member: see
 * `enrolIn`.
 */
export async function repeatingRaced<T>(commit: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await commit();
    } catch (error) {
      if (!(error instanceof Failure && error.code === RACED) || tries >= MAX_TRIES) throw error;
    }
  }
}

function raced(what: string): Failure {
  return new Failure(RACED, "dependency", what, { retrySafe: true });
}

function withoutConflicts(personal: Personal, conflicts: readonly Alias["kind"][]): Personal {
  const { phone, card, ...rest } = personal;
  return {
    ...rest,
    ...(phone === undefined || conflicts.includes("phone") ? {} : { phone }),
    ...(card === undefined || conflicts.includes("card") ? {} : { card }),
  };
}

function isReachable({ phone, email }: Personal): boolean {
  return email !== undefined || (phone !== undefined && normalPhone(phone) !== undefined);
}

/** Removes an unreadable phone when the member already has a phone. */
function withoutUnreadable(said: Personal, known: Personal | undefined): Personal {
  const { phone, ...rest } = said;
  return phone !== undefined && normalPhone(phone) === undefined && known?.phone !== undefined ? rest : said;
}

function normal(personal: Personal): Personal {
  const phone = personal.phone === undefined ? undefined : (normalPhone(personal.phone) ?? personal.phone);
  return phone === undefined ? personal : { ...personal, phone };
}

/** Returns MM-DD of a date that begins with YYYY-MM-DD; otherwise null. */
function birthdayOf({ birthDate }: Personal): string | null {
  return birthDate?.match(/^\d{4}-(\d{2}-\d{2})/)?.[1] ?? null;
}
