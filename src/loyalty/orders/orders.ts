import { Failure } from "../../kernel/failure.ts";
import { instantOf } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import { StepByStep } from "../../kernel/work/stepped.ts";
import type { AccountRow, MemberRow } from "../../store/loyalty-tables.ts";
import { wasCodeSent } from "../codes/sent-codes.ts";
import type { GiftCards } from "../gift-cards/gift-cards.ts";
import type { KeptQuotes } from "../kept-quotes/kept-quotes.ts";
import { type QuoteRow, quoteFor, spentInQuote } from "../kept-quotes/quote-queries.ts";
import { AccountBook } from "../ledger/account-book.ts";
import { hasOrderAfter, type Tx } from "../ledger/ledger-queries.ts";
import { findMember } from "../members/identity.ts";
import { type Members, repeatingRaced } from "../members/members.ts";
import { lockedStanding } from "../members/standing.ts";
import type { ReturnedLine } from "../points/matching.ts";
import { asksForFolders } from "../programme/programme.ts";
import type { Current, Programmes, Version } from "../programme-versions/programmes.ts";
import type { LoyaltyServices } from "../services.ts";
import type { OrderCall, ReturnCall, SaleCall } from "../till-call.ts";
import { contentHashOf, documentKeyOf, quoteHashOf } from "./document.ts";
import { EarlierReturns, RETURNS_UNREAD } from "./earlier-returns.ts";
import { returnedLineOf, rowOfLine } from "./order-lines.ts";
import { insertLines, insertOrder, orderOf, saleOfReturn, updateOrder } from "./order-queries.ts";
import { QUOTE_DUE, Recounts } from "./recounts.ts";
import { bookReturn } from "./returns.ts";
import { bookSale } from "./sale-booking.ts";
import { isReturnedMore, nothing, observeTaken, type Taken, takenByReturn } from "./taken.ts";
import { oldestWaiting } from "./waiting-queries.ts";
import { WaitingReturns } from "./waiting-returns.ts";

/** How long a sale may use its quote. A later sale computes its points again. */
const QUOTE_LIFE_MS = 24 * 3_600_000;
/** The largest age of a code when the buyer's sale comes, and the largest age of a quote when its code was sent. */
const CODE_LIFE_MS = 15 * 60_000;

export type OrderResult =
  /** This or an earlier call stored the document. `note`: values for the log line. */
  | { kind: "taken"; note: Readonly<Record<string, unknown>> }
  /** The document is already stored with other content. */
  | { kind: "conflict" }
  /** More came back than was sold. The return was not stored. */
  | { kind: "returned-more" };

interface OrderServices extends Pick<LoyaltyServices, "store" | "clock" | "seal" | "log" | "zoneOf" | "foldersOf" | "observe"> {
  programmes: Programmes;
  members: Members;
  quotes: KeptQuotes;
  giftCards: GiftCards;
}

/** How often a return is tried while other returns of the same sale are booked. Then the call fails, and the till repeats the return. */
const MAX_ATTEMPTS = 10;

const FOLDERS_UNREAD = "loyalty-folders-unread";
const EARLIER_RETURNS = "loyalty-earlier-returns";

/** The folders of each product. Undefined: not read, because the programme in force did not ask for them. */
type Folders = ReadonlyMap<string, readonly string[]> | undefined;

/** Books the sales and returns that tills report. Each document is stored in one transaction. A repeated document moves no points again. */
export class Orders {
  readonly #services: OrderServices;
  readonly #returns: EarlierReturns;
  readonly #waiting: WaitingReturns;
  readonly #steps = new StepByStep();

  constructor(services: OrderServices) {
    this.#services = services;
    this.#returns = new EarlierReturns(services.store);
    this.#waiting = new WaitingReturns(services, this.#returns);
  }

  async sale(call: SaleCall): Promise<OrderResult> {
    const [zone, groups] = await Promise.all([this.#services.zoneOf(call.account.key, call.storeId), this.#groupsOf(call)]);
    // Another sale may enrol the same buyer at this moment. Then this sale is repeated.
    return repeatingRaced(async () => {
      try {
        return await this.#takeCounted(call, zone, groups);
      } catch (error) {
        // The folders were not read, because the programme in force did not need them. Another version needs them: the version of the
        // sale's quote, or a version that has come into force since.
        if (!(error instanceof Failure && error.code === FOLDERS_UNREAD)) throw error;
        return this.#takeCounted(call, zone, await this.#readGroups(call));
      }
    });
  }

  /** Repeats the transaction each time after a long quote was computed for it (recounts.ts). */
  async #takeCounted(call: SaleCall, zone: string, groups: Folders): Promise<OrderResult> {
    const recounts = new Recounts();
    for (;;) {
      try {
        return await this.#takeSale(call, zone, { groups, recounts });
      } catch (error) {
        if (!(error instanceof Failure && error.code === QUOTE_DUE)) throw error;
        await recounts.compute(this.#steps);
      }
    }
  }

  #takeSale(call: SaleCall, zone: string, counting: { groups: Folders; recounts: Recounts }): Promise<OrderResult> {
    const { key, service } = call.account;
    return this.#take(call, "sale", zone, async (tx, order) => {
      const buyer = service === "paused" ? undefined : await this.#buyerOf(tx, call, order.current);
      const standing = buyer === undefined ? undefined : await lockedStanding(tx, key, buyer);
      if (standing === undefined) {
        // A later return is checked against these lines.
        await storeLines(tx, order.id, call.lines.map(returnedLineOf));
        const isUnknown = service !== "paused" && call.buyer !== undefined;
        const taken = nothing(service === "paused" ? service : isUnknown ? "unknown-member" : "anonymous", isUnknown);
        // Returns that waited for this sale move no points either. They stop waiting and count as returned goods.
        const { current } = order;
        const sale = { documentKey: order.documentKey, lines: call.lines.length };
        taken.othersWait = await this.#waiting.bookFirst(tx, key, sale, { programme: current.programme, current, zone }, taken);
        if (service === "paused") return taken;
        // A buyer can pay with a gift card without being a member.
        taken.anomalies.push(...(await this.#spendCards(tx, call, order.id)));
        return taken;
      }
      return this.#book(tx, call, { ...order, zone, ...counting, ...standing });
    });
  }

  async takeReturn(call: ReturnCall): Promise<OrderResult> {
    const { programmes, zoneOf } = this.#services;
    await programmes.prepare(call.account.key);
    const zone = await zoneOf(call.account.key, call.storeId);
    let mayOvertake = false;
    for (let attempt = 1; ; attempt += 1) {
      await this.#readReturns(call);
      try {
        return await this.#takeReturn(call, zone, mayOvertake);
      } catch (error) {
        const code = error instanceof Failure ? error.code : undefined;
        if (code === EARLIER_RETURNS && call.saleId !== undefined) {
          await this.#waiting.bookRest(call.account.key, call.saleId);
          mayOvertake = true;
        } else if (code !== RETURNS_UNREAD || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Adds up the earlier returns of the sale before the transaction, because there may be any number of them. */
  async #readReturns({ account, saleId }: ReturnCall): Promise<void> {
    const sale = saleId === undefined ? undefined : await this.#services.store.read((db) => orderOf(db, account.key, "sale", saleId));
    if (sale !== undefined) await this.#returns.read(sale.id);
  }

  /** Throws `loyalty-earlier-returns` when earlier returns still wait although their sale is stored, unless `mayOvertake`. */
  #takeReturn(call: ReturnCall, zone: string, mayOvertake: boolean): Promise<OrderResult> {
    const { key, service } = call.account;
    return this.#take(call, "return", zone, async (tx, order) => {
      if (service === "paused" || call.saleId === undefined) return nothing(service === "paused" ? "paused" : "no-sale");
      const sale = await saleOfReturn(tx, key, call.saleId, order.documentKey);
      const lines = call.lines.map(returnedLineOf);
      if (sale === undefined) {
        await updateOrder(tx, order.id, { state: "waiting", sale_key: call.saleId, content: JSON.stringify(lines) });
        return nothing("waits-for-sale");
      }
      if (!mayOvertake && (await oldestWaiting(tx, key, call.saleId, 0)) !== undefined)
        throw new Failure(EARLIER_RETURNS, "dependency", "Earlier returns of the sale are not booked yet", { retrySafe: true });
      await updateOrder(tx, order.id, { sale_key: call.saleId });
      const { programme } = await this.#services.programmes.ofVersion(tx, key, sale.programme_version);
      const { current, nowMs, id: returnId } = order;
      return takenByReturn(
        await bookReturn({ ...{ tx, key, programme, current, zone, nowMs, returnId }, saleId: sale.id, lines, returns: this.#returns }),
      );
    });
  }

  /** Stores the document and runs `work` in the same transaction. Skips `work` when the document is already stored. */
  async #take(
    call: SaleCall | ReturnCall,
    type: "sale" | "return",
    zone: string,
    work: (tx: Tx, order: { id: number; nowMs: number; documentKey: string; current: Current }) => Promise<Taken>,
  ): Promise<OrderResult> {
    const { store, clock, programmes, observe } = this.#services;
    const { key } = call.account;
    const documentKey = documentKeyOf(call);
    const contentHash = contentHashOf(call);
    try {
      const taken = await store.commit(async (tx): Promise<Taken | "repeated" | "conflict"> => {
        const nowMs = clock.nowMs();
        const current = await programmes.current(tx, key);
        const momentMs = momentOf(call, zone, nowMs);
        const id = await insertOrder(tx, newRow(call, { type, documentKey, contentHash, nowMs, momentMs, version: current.version }));
        if (id !== undefined) return work(tx, { id, nowMs, documentKey, current });
        const known = await orderOf(tx, key, type, documentKey);
        return known?.content_hash === contentHash ? "repeated" : "conflict";
      });
      if (taken === "conflict") {
        observe.anomaly("conflict");
        return { kind: "conflict" };
      }
      // A process may have died between the sale and the returns that have waited for it.
      if (type === "sale" && (taken === "repeated" || taken.othersWait === true)) await this.#waiting.bookRest(key, documentKey);
      if (taken === "repeated") return { kind: "taken", note: { repeated: true } };
      observeTaken(observe, taken);
      return { kind: "taken", note: { ...taken.note, ...(taken.anomalies.length === 0 ? {} : { anomalies: taken.anomalies }) } };
    } catch (error) {
      if (!isReturnedMore(error)) throw error;
      return { kind: "returned-more" };
    }
  }

  async #book(
    tx: Tx,
    call: SaleCall,
    order: {
      id: number;
      nowMs: number;
      documentKey: string;
      /** The programme in force. The sale uses it when there is no current quote. */
      current: Current;
      zone: string;
      groups: Folders;
      recounts: Recounts;
      member: MemberRow;
      account?: AccountRow;
    },
  ): Promise<Taken> {
    const { programmes } = this.#services;
    const { key } = call.account;
    const { id: orderId, nowMs, zone, groups, recounts, member } = order;
    const book = await AccountBook.ofLocked(tx, member.id, nowMs, order.account);
    const quoted = await this.#quotedFor(tx, call, member.id, nowMs);
    const isCurrent = quoted !== undefined && (await isForNextPurchase(tx, quoted, book.account));
    const version = isCurrent ? await programmes.ofVersion(tx, key, quoted.programme_version) : order.current;
    const { programme } = version;
    if (groups === undefined && asksForFolders(programme))
      throw new Failure(FOLDERS_UNREAD, "dependency", "The folders of the goods were not read", { retrySafe: true });
    const wasCodeRequested = call.spent > 0 && (await this.#wasCodeSent(tx, call, member, nowMs));
    const booked = await bookSale({
      tx,
      call,
      programme,
      version: version.version,
      current: order.current,
      book,
      ...(member.birthday === null ? {} : { birthday: member.birthday }),
      orderId,
      nowMs,
      zone,
      groups: groups ?? new Map(),
      ...(quoted === undefined
        ? {}
        : { quoted: { earnPoints: quoted.earned, needVerification: quoted.needs_code === 1, madeAtMs: quoted.made_at_ms, isCurrent } }),
      wasCodeRequested,
      recounts,
    });
    const cardAnomalies = await this.#spendCards(tx, call, orderId);
    const taken: Taken = {
      note: { member: member.id, spent: booked.spentPoints, earned: booked.earnedPoints },
      anomalies: [...booked.anomalies.map(({ kind }) => kind), ...cardAnomalies],
      points: [
        { kind: "SPEND", points: booked.spentPoints },
        { kind: "EARN", points: booked.earnedPoints },
      ],
    };
    const sale = { documentKey: order.documentKey, lines: call.lines.length };
    taken.othersWait = await this.#waiting.bookFirst(tx, key, sale, { programme, current: order.current, zone }, taken);
    return taken;
  }

  #wasCodeSent(tx: Tx, { account, storeId, spent: points }: SaleCall, member: MemberRow, nowMs: number): Promise<boolean> {
    const { seal, quotes } = this.#services;
    const quotedAt = async (atMs: number) => {
      const time = { fromMs: atMs - CODE_LIFE_MS, toMs: atMs };
      return quotes.waitingSpend(member.id, time)?.spent ?? (await spentInQuote(tx, member.id, time));
    };
    return wasCodeSent(tx, seal, account.key, member, { storeId, points, sinceMs: nowMs - CODE_LIFE_MS, quotedAt });
  }

  /** Takes the payments of a sale from gift cards. Returns the kinds of anomalies. */
  async #spendCards(tx: Tx, call: SaleCall, orderId: number): Promise<string[]> {
    const missingKopecks = await this.#services.giftCards.spendIn(tx, call.account.key, call.giftCards, orderId);
    return missingKopecks > 0 ? ["gift-card-short"] : [];
  }

  async #quotedFor(tx: Tx, call: SaleCall, memberId: string, nowMs: number) {
    const inputsHash = quoteHashOf({ storeId: call.storeId, memberId, lines: call.lines, spend: call.spent });
    const waiting = this.#services.quotes.waiting(memberId, inputsHash);
    return waiting ?? (await quoteFor(tx, { memberId, inputsHash, sinceMs: nowMs - QUOTE_LIFE_MS }));
  }

  /**
   * Returns the member who bought. Enrols an unknown buyer with a platform id if the programme enrols buyers at their first sale
   * (`enrolOnSight`) and leaves the search for members to the platform.
   */
  async #buyerOf(tx: Tx, { account, buyer }: OrderCall, { programme }: Version): Promise<MemberRow | undefined> {
    if (buyer === undefined) return undefined;
    const { members, seal } = this.#services;
    const found = await findMember(tx, seal, account.key, buyer);
    if (found !== undefined || buyer.platformId === undefined) return found;
    if (!programme.enrolOnSight || programme.externalSearch) return undefined;
    // No code has confirmed the buyer. If the programme demands a code for new customers, the buyer is enrolled without phone and card,
    // because these prove nothing here.
    const { platformId, syncId } = buyer;
    const identity = programme.verification.newCustomer ? present({ platformId, syncId }) : buyer;
    await members.enrolIn(tx, account.key, { identity, personal: { name: "" }, isNative: true });
    return findMember(tx, seal, account.key, buyer);
  }

  /** Returns the folders of the goods when the programme in force asks for them. */
  async #groupsOf(call: OrderCall): Promise<Folders> {
    const { store, programmes } = this.#services;
    await programmes.prepare(call.account.key);
    const { programme } = await store.read((db) => programmes.current(db, call.account.key));
    return asksForFolders(programme) ? this.#readGroups(call) : undefined;
  }

  /** Returns the folders of the goods. Call it before the transaction: the folders may come from the platform. */
  #readGroups({ account, lines }: OrderCall): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#services.foldersOf(
      account.key,
      lines.map(({ productId }) => productId),
    );
  }
}

/**
 * Whether a sale may still earn by this quote. A quote is for the next purchase only: each sale and return of the member ends earlier
 * quotes. Otherwise one quote from a first purchase or from an hour with more points would serve any number of sales. The entry numbers are
 * compared too, because the quote may come from another process with a fast clock.
 */
async function isForNextPurchase(tx: Tx, quoted: Pick<QuoteRow, "made_at_ms" | "entry_number">, account: AccountRow): Promise<boolean> {
  if (account.visited_at_ms !== null && quoted.made_at_ms <= account.visited_at_ms) return false;
  return quoted.entry_number >= account.entry_number || !(await hasOrderAfter(tx, account.member_id, quoted.entry_number));
}

function storeLines(tx: Tx, orderId: number, lines: readonly ReturnedLine[]): Promise<void> {
  const rows = lines.map((line, index) => rowOfLine(orderId, index + 1, { ...line, pointsKopecks: 0, earningKopecks: 0 }));
  return insertLines(tx, rows);
}

interface RowContext {
  type: "sale" | "return";
  documentKey: string;
  contentHash: string;
  nowMs: number;
  momentMs: number;
  version: number;
}

function newRow(call: OrderCall, { type, documentKey, contentHash, nowMs, momentMs, version }: RowContext) {
  return {
    app_id: call.account.key.appId,
    account_id: call.account.key.accountId,
    type,
    document_key: documentKey,
    content_hash: contentHash,
    store_id: call.storeId,
    member_id: null,
    moment_ms: momentMs,
    received_at_ms: nowMs,
    state: "nothing",
    paid_kopecks: 0,
    spent: 0,
    earned: 0,
    given_back: 0,
    clawed_back: 0,
    sale_key: null,
    sale_id: null,
    programme_version: version,
    anomalies: null,
    content: null,
  };
}

/**
 * Returns the time of the document, at most the present time. A till's clock may be ahead, and a purchase in the future would not count
 * towards a tier.
 */
function momentOf({ moment }: OrderCall, zone: string, nowMs: number): number {
  return Math.min(instantOf(moment, zone), nowMs);
}
