import type { InstallationKey } from "../accounts/installation.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { present } from "../kernel/present.ts";
import { StepByStep } from "../kernel/work/stepped.ts";
import type { CodeResult, Codes } from "./codes/codes.ts";
import type { TillAccount } from "./connection/keys.ts";
import type { GiftCard, GiftCards } from "./gift-cards/gift-cards.ts";
import type { KeptQuotes } from "./kept-quotes/kept-quotes.ts";
import { type MemberState, memberState } from "./kept-quotes/member-state.ts";
import type { Identity } from "./members/identity.ts";
import { personalOf } from "./members/member.ts";
import type { MemberRow } from "./members/member-queries.ts";
import type { FoundMember, Members } from "./members/members.ts";
import { isSameEmail } from "./members/search-terms.ts";
import { quoteHashOf } from "./orders/document.ts";
import type { OrderResult, Orders } from "./orders/orders.ts";
import { tierNow } from "./orders/tier.ts";
import { normalPhone } from "./phone.ts";
import { lotsOverPeriods } from "./points/lot-dates.ts";
import { balanceAt } from "./points/lots.ts";
import { asksForFolders } from "./programme/programme.ts";
import type { Current, Programmes, Version } from "./programme-versions/programmes.ts";
import type { QuotePosition } from "./quote/line.ts";
import { isLongQuote, type Quote, quote, quoteInSteps } from "./quote/quote.ts";
import { earnedWords, spentWords } from "./quote/trace-words.ts";
import type { LoyaltyServices } from "./services.ts";
import {
  type EnrolCall,
  type QuotedLine,
  type RecalcCall,
  type ReturnCall,
  type SaleCall,
  type TillLine,
  type TillQuote,
  undiscounted,
} from "./till-call.ts";

export type { OrderResult };

/**
 * The time limit of a quote. When the database is slow or down, the sale must continue undiscounted within a second (surface 6). Reading
 * the access key uses a part of that second (keys.ts).
 */
const QUOTE_LIMIT_MS = 600;

interface LoyaltyParts {
  members: Members;
  programmes: Programmes;
  orders: Orders;
  codes: Codes;
  giftCards: GiftCards;
  quotes: KeptQuotes;
}

/** Answers the nine calls of the contract by the account's programme. */
export class Loyalty {
  readonly #services: LoyaltyServices;
  readonly #parts: LoyaltyParts;
  readonly #steps = new StepByStep();

  constructor(services: LoyaltyServices, parts: LoyaltyParts) {
    this.#services = services;
    this.#parts = parts;
  }

  /** Makes a customer a member, or adds the stated data to an existing member. `needs-code`: a code must confirm the customer first. */
  async enrol({
    account,
    identity,
    personal,
    isNative,
    check,
  }: EnrolCall): Promise<{ kind: "needs-code" } | { kind: "enrolled"; memberId: string }> {
    const { members } = this.#parts;
    const { programme } = await this.#programmeOf(account.key);
    // A phone or a card alone does not prove that the customer is the member. A customer who states another person's phone would get that
    // person's points, if no code were needed.
    const { platformId, syncId, phone } = identity;
    // A phone that no member has would become this member's phone. The phone's real owner would later join as this member and earn points
    // for this member.
    const isNewPhone = async () =>
      phone !== undefined && normalPhone(phone) !== undefined && (await members.find(account.key, { phone })) === undefined;
    // A new e-mail address needs a code, because codes for spending also go to a member's e-mail address.
    const isNewEmail = (known: MemberRow) =>
      personal.email !== undefined && !isSameEmail(personal.email, personalOf(known, this.#services.seal)?.email);
    const isVerified = programme.verification.newCustomer;
    if (check === "unchecked" && isVerified) {
      const known = await members.find(account.key, present({ platformId, syncId }));
      if (known === undefined || (await isNewPhone()) || isNewEmail(known)) return { kind: "needs-code" };
    }
    const { memberId } = await members.enrol(account.key, {
      identity,
      personal,
      isNative,
      isCardDoubted: isVerified,
      isPhoneReplaced: true,
    });
    return { kind: "enrolled", memberId };
  }

  /** Finds members. `off`: the platform searches by itself, or the service is paused. */
  async search({ key, service }: TillAccount, text: string): Promise<{ kind: "off" } | { kind: "found"; members: FoundMember[] }> {
    if (service === "paused") return { kind: "off" };
    // The programme and the members are read at the same time. A wasted search is rare: tills search here only when the programme wants it.
    const [{ programme }, members] = await Promise.all([this.#programmeOf(key), this.#parts.members.search(key, text)]);
    return programme.externalSearch ? { kind: "found", members } : { kind: "off" };
  }

  /**
   * Returns the points that a member can spend now; 0 while the service is paused. `unknown-member`: no such member, a blocked member, or a
   * member whose account is lost.
   */
  async balance(
    { key, service }: TillAccount,
    identity: Identity,
  ): Promise<{ kind: "balance"; points: number } | { kind: "unknown-member" }> {
    const state = await this.#services.store.read((db) => memberState(db, this.#services.seal, key, identity));
    if (service === "paused") return { kind: "balance", points: 0 };
    if (state === undefined || state.member.status !== "active") return { kind: "unknown-member" };
    return { kind: "balance", points: await this.#pointsOf(key, state) };
  }

  /**
   * Quotes a sale and stores the quote. Moves no points. Without a member, and while the service is paused, the sale is undiscounted. When
   * the quote fails, for example because the database is slow or down, the sale continues undiscounted too. If the programme sets
   * `neverBlockSales` to false, the failure is thrown.
   */
  async quote(call: RecalcCall): Promise<TillQuote> {
    const { key, service } = call.account;
    if (service === "paused" || call.buyer === undefined) return undiscounted(call);
    try {
      const { clock } = this.#services;
      const quoted = await waitUntil(clock, deadlineIn(clock, QUOTE_LIMIT_MS), this.#quote(call, call.buyer));
      if (quoted.kind === "finished") return quoted.value;
      if (!this.#neverBlocksSales(key)) throw new Error(`no quote within ${QUOTE_LIMIT_MS} ms`);
      this.#services.log.error({ accountId: key.accountId }, "a sale was quoted undiscounted: the database is too slow");
    } catch (error) {
      if (!this.#neverBlocksSales(key)) throw error;
      this.#services.log.error({ accountId: key.accountId, error: messageOf(error) }, "a sale was quoted undiscounted");
    }
    this.#services.observe.anomaly("undiscounted");
    return undiscounted(call);
  }

  /** Sends a code to a person who is about to become a member. */
  customerCode(asked: {
    account: TillAccount;
    storeId: string;
    identity: Identity;
    address: { phone: string | undefined; email: string | undefined };
  }): Promise<CodeResult> {
    const { account, storeId, address } = asked;
    return this.#sendCode(account.key, { purpose: "customer", storeId, address });
  }

  /**
   * Sends a code to a member who spends points: to the stated phone, otherwise to the member's own phone. An e-mail channel uses the
   * member's e-mail address.
   */
  async saleCode(asked: {
    account: TillAccount;
    storeId: string;
    identity: Identity;
    address: { phone: string | undefined };
  }): Promise<CodeResult | { kind: "unknown-member" }> {
    const { account, storeId, identity, address } = asked;
    const row = await this.#parts.members.find(account.key, identity);
    const personal = row === undefined ? undefined : personalOf(row, this.#services.seal);
    if (row === undefined || personal === undefined) return { kind: "unknown-member" };
    const to = { phone: address.phone ?? personal.phone, email: personal.email };
    return this.#sendCode(account.key, { purpose: "spending", storeId, address: to, memberId: row.id });
  }

  sale(call: SaleCall): Promise<OrderResult> {
    return this.#parts.orders.sale(call);
  }

  takeReturn(call: ReturnCall): Promise<OrderResult> {
    return this.#parts.orders.takeReturn(call);
  }

  /**
   * Returns the card with this name. Undefined: no such card, or the service is paused. During the pause sales take nothing from cards. If
   * tills still found a card, it could pay any number of sales.
   */
  async giftCard({ key, service }: TillAccount, name: string): Promise<GiftCard | undefined> {
    return service === "paused" ? undefined : this.#parts.giftCards.find(key, name);
  }

  async #quote(call: RecalcCall, buyer: Identity): Promise<TillQuote> {
    const { store, seal, clock, zoneOf, foldersOf } = this.#services;
    const { key } = call.account;
    await this.#parts.programmes.prepare(key);
    const { version, state } = await store.read(async (db) => {
      return { version: await this.#parts.programmes.current(db, key), state: await memberState(db, seal, key, buyer) };
    });
    if (state === undefined) return undiscounted(call);
    const zone = await zoneOf(key, call.storeId);
    const productIds = call.lines.map(({ productId }) => productId);
    const groups = asksForFolders(version.programme) ? await foldersOf(key, productIds) : new Map<string, readonly string[]>();
    const nowMs = clock.nowMs();
    const standing = { tier: state.member.tier, reviewAtMs: state.tierReviewAtMs };
    const tier = await store.read((db) => tierNow(db, state.row.id, standing, { programme: version.programme, nowMs, zone }));
    const positions = call.lines.map((line, source) => ({ ...line, source, groupIds: groups.get(line.productId) ?? [] }));
    const asked = {
      programme: version.programme,
      member: { ...state.member, tier, periods: version.periods },
      storeId: call.storeId,
      zone,
      nowMs,
      positions,
      transactionType: call.transactionType,
      ...present({ preferredPoints: call.wantedPoints }),
    };
    const quoted = isLongQuote(asked) ? await this.#steps.do(quoteInSteps(asked)) : quote(asked);
    this.#keep(call, state, version, { ...quoted, nowMs });
    return tillQuoteOf(call, quoted);
  }

  #keep(
    call: RecalcCall,
    state: MemberState,
    version: Version,
    quoted: { spendPoints: number; earnPoints: number; needVerification: boolean; trace: readonly object[]; nowMs: number },
  ): void {
    const { key } = call.account;
    const memberId = state.row.id;
    this.#parts.quotes.keep({
      id: this.#services.chance.uuid(),
      app_id: key.appId,
      account_id: key.accountId,
      member_id: memberId,
      inputs_hash: quoteHashOf({ storeId: call.storeId, memberId, lines: call.lines, spend: quoted.spendPoints }),
      entry_number: state.entryNumber,
      programme_version: version.version,
      spent: quoted.spendPoints,
      earned: quoted.earnPoints,
      needs_code: quoted.needVerification ? 1 : 0,
      trace: JSON.stringify(quoted.trace),
      made_at_ms: quoted.nowMs,
    });
  }

  async #pointsOf(key: InstallationKey, { member }: MemberState): Promise<number> {
    const { periods } = await this.#programmeOf(key);
    const nowMs = this.#services.clock.nowMs();
    const zone = await this.#services.zoneOf(key, "");
    return balanceAt(lotsOverPeriods(member.lots, periods, member.lastVisitMs, zone), member.debtPoints, nowMs).availablePoints;
  }

  async #sendCode(
    key: InstallationKey,
    {
      purpose,
      storeId,
      address,
      memberId,
    }: {
      purpose: "customer" | "spending";
      storeId: string;
      address: { phone: string | undefined; email: string | undefined };
      memberId?: string;
    },
  ): Promise<CodeResult> {
    const { programme } = await this.#programmeOf(key);
    const phone = address.phone === undefined ? undefined : normalPhone(address.phone);
    const from = programme.name === "" ? "Бонусная программа" : programme.name;
    return this.#parts.codes.request(key, { purpose, storeId, from, ...present({ phone, email: address.email, memberId }) });
  }

  async #programmeOf(key: InstallationKey): Promise<Current> {
    await this.#parts.programmes.prepare(key);
    return this.#services.store.read((db) => this.#parts.programmes.current(db, key));
  }

  /** A programme that is not remembered counts as the default programme, which never blocks sales. */
  #neverBlocksSales(key: InstallationKey): boolean {
    return this.#parts.programmes.remembered(key)?.neverBlockSales ?? true;
  }
}

/** Returns the answer to a till for a quote. `source` of each position: the index of its original position in the call. */
export function tillQuoteOf(
  call: Pick<RecalcCall, "transactionType">,
  quoted: Quote<QuotePosition & TillLine & { source: number }>,
): TillQuote {
  return {
    transactionType: call.transactionType,
    balancePoints: quoted.balancePoints,
    spendPoints: quoted.spendPoints,
    earnPoints: quoted.earnPoints,
    afterPoints: quoted.balanceAfterPoints,
    paidByPointsKopecks: quoted.paidByPointsKopecks,
    needsCode: quoted.needVerification,
    receiptText: receiptText(quoted),
    lines: quoted.positions.map(({ groupIds: _, ...line }): QuotedLine => line),
  };
}

function receiptText({ spendPoints, earnPoints, messages }: Pick<Quote<QuotePosition>, "spendPoints" | "earnPoints" | "messages">): string {
  const lines = [spentWords(spendPoints, "ru"), earnedWords(earnPoints, "ru"), ...messages];
  return lines.filter((line) => line !== undefined).join("\n");
}
