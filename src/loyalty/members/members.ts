import type { InstallationKey } from "../../accounts/installation.ts";
import { cutText } from "../../kernel/cut-text.ts";
import { Failure } from "../../kernel/failure.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import { type Db, insertAccount, type Tx } from "../ledger/ledger-queries.ts";
import { normalPhone } from "../phone.ts";
import type { LoyaltyServices } from "../services.ts";
import { cardAlias, findMember, type Identity, keptMember, phoneAlias } from "./identity.ts";
import { fingerprintOf, personalOf, sealPersonal } from "./member.ts";
import {
  type Alias,
  insertAlias,
  insertMember,
  memberById,
  memberIdOf,
  memberIdsWithTerms,
  membersWithIds,
  setTerms,
  updateMember,
} from "./member-queries.ts";
import type { Personal } from "./personal-schema.ts";
import { cardTerms, emailTerm, nameTerms, normalCard, wantedCardTerm, wantedNameTerms } from "./search-terms.ts";

/** The largest number of rows that a search returns (platform-contracts 6.2). */
const MAX_FOUND = 20;
/** Longer than any name, phone or card; the rest of a longer search is left out. */
const MAX_SEARCH_LENGTH = 100;

const RACED = "loyalty-member-raced";
/** The other process that makes the same member has finished by the second try. */
const MAX_TRIES = 3;

interface NewMember {
  identity: Identity;
  personal: Personal;
  /** True when the platform's id is one of the platform's own, not one that was made at the register. */
  isNative: boolean;
}

type Enrolled =
  | { kind: "made"; memberId: string }
  /** The person is already a member, and new data was added. `conflicts`: identifiers that belong to another member. */
  | { kind: "known"; memberId: string; conflicts: readonly Alias["kind"][] };

export interface FoundMember {
  id: string;
  /** The platform's id, where it is known. */
  platformId?: string;
  personal: Personal;
}

/** Makes, completes and finds members. Names, phones and e-mail addresses are stored sealed. */
export class Members {
  readonly #services: Pick<LoyaltyServices, "store" | "clock" | "chance" | "seal" | "observe">;

  constructor(services: Pick<LoyaltyServices, "store" | "clock" | "chance" | "seal" | "observe">) {
    this.#services = services;
  }

  /** Returns the member. Undefined: there is none. */
  find(key: InstallationKey, identity: Identity): Promise<MemberRow | undefined> {
    return this.#services.store.read((db) => findMember(db, this.#services.seal, key, identity));
  }

  /** Makes a member, or adds the stated data to an existing one. Safe to repeat. */
  async enrol(key: InstallationKey, member: NewMember): Promise<Enrolled> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#services.store.commit((tx) => this.enrolIn(tx, key, member));
      } catch (error) {
        if (!(error instanceof Failure && error.code === RACED) || tries >= MAX_TRIES) throw error;
      }
    }
  }

  /**
   * As `enrol`, within a transaction of the caller. Throws `loyalty-member-raced` when another process makes the same member at this
   * moment: the transaction must be rolled back, and may be repeated.
   */
  async enrolIn(tx: Tx, key: InstallationKey, { identity, personal, isNative }: NewMember): Promise<Enrolled> {
    const known = await findMember(tx, this.#services.seal, key, identity);
    const memberId = known?.id ?? (await this.#make(tx, key, personal));
    const conflicts = await this.#attach(tx, key, memberId, identity, isNative);
    if (known === undefined) {
      // No member had these identifiers before, so another process has added one meanwhile.
      if (conflicts.length > 0) throw new Failure(RACED, "dependency", "Another process is making this member", { retrySafe: true });
      await this.#makeFindable(tx, key, memberId, personal);
      return { kind: "made", memberId };
    }
    if (known.status === "active") await this.#complete(tx, key, known, withoutConflicts(personal, conflicts));
    for (const _ of conflicts) this.#services.observe.anomaly("identity-conflict");
    return { kind: "known", memberId, conflicts };
  }

  /**
   * Finds members by a phone, a card or its beginning, an e-mail address, or words of a name or their first three letters (surface
   * 6). At most 20, phone and card first.
   */
  async search(key: InstallationKey, typed: string): Promise<FoundMember[]> {
    const text = cutText(typed.trim(), MAX_SEARCH_LENGTH);
    if (text === "") return [];
    const { store } = this.#services;
    return store.read(async (db) => {
      const ways = this.#wanted(key, text).map((terms) => memberIdsWithTerms(db, key, terms, MAX_FOUND));
      const ids = new Set((await Promise.all([this.#exactly(db, key, text), ...ways])).flat());
      return this.#described(db, key, [...ids].slice(0, MAX_FOUND));
    });
  }

  /** Returns the personal data of a member. Undefined: there is no such member, or it was erased. */
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

  /** One list of terms for each way in which the text can be meant. The longest word comes first, because it is the rarest. */
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

  /** Adds the identifiers that no other member has. Returns the kinds of those that belong to another member. */
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
      if ((await memberIdOf(tx, key, alias)) !== memberId) conflicts.push(alias.kind);
    }
    return conflicts;
  }

  /** Adds the stated data to the stored data. */
  async #complete(tx: Tx, key: InstallationKey, row: MemberRow, said: Personal): Promise<void> {
    const { seal } = this.#services;
    const known = personalOf(row, seal);
    const personal = normal({ ...known, ...said, name: said.name === "" ? (known?.name ?? "") : said.name });
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

/** Removes a phone or card that belongs to another member. */
function withoutConflicts(personal: Personal, conflicts: readonly Alias["kind"][]): Personal {
  const { phone, card, ...rest } = personal;
  return {
    ...rest,
    ...(phone === undefined || conflicts.includes("phone") ? {} : { phone }),
    ...(card === undefined || conflicts.includes("card") ? {} : { card }),
  };
}

function normal(personal: Personal): Personal {
  const phone = personal.phone === undefined ? undefined : (normalPhone(personal.phone) ?? personal.phone);
  return phone === undefined ? personal : { ...personal, phone };
}

/** Month and day of a date that begins with YYYY-MM-DD; null when there is none. */
function birthdayOf({ birthDate }: Personal): string | null {
  return birthDate?.match(/^\d{4}-(\d{2}-\d{2})/)?.[1] ?? null;
}
