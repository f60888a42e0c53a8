import { isDeepStrictEqual } from "node:util";
import { Failure } from "../../../src/kernel/failure.ts";
import {
  type OrderLine,
  type QuotedLine,
  type RecalcCall,
  type ReturnCall,
  type SaleCall,
  type TillQuote,
  undiscounted,
} from "../../../src/loyalty/till-call.ts";
import { type SlowLine, sumOf } from "../../support/slow-shares.ts";
import type { Life } from "../life.ts";
import type { Operation } from "./operation.ts";
import { discountedUnit, PERCENTS } from "./programme.ts";
import { broken, type PartBack, type Receipt, type Recount } from "./recount.ts";
import { ACCOUNT, type LoyaltyServer, STORE } from "./server.ts";
import type { Landed } from "./watched-store.ts";

/** How long a quote certainly counts: less than a day by the clocks of both processes. */
const QUOTE_LIFE_MS = 20 * 3_600_000;

type OrderAnswer = Awaited<ReturnType<LoyaltyServer["orders"]["sale"]>>;

/** A quote, and the process that has made it. */
export interface QuotedBy {
  quote: TillQuote;
  kept: Kept;
}

/** The member, the time and the process of a kept quote. */
interface Kept {
  memberId: string;
  atMs: number;
  revision: number;
  life: Life;
}

/** Recalc of goods for a member. */
export function quoteOf(recount: Recount, name: string, goods: RecalcCall["lines"], wanted: number): Operation<QuotedBy> {
  const call: RecalcCall = {
    account: ACCOUNT,
    storeId: STORE,
    buyer: { platformId: name },
    lines: goods,
    transactionType: wanted === 0 ? "EARNING" : "SPENDING",
    ...(wanted === 0 ? {} : { wantedPoints: wanted }),
  };
  const net = goods.map((line) => ({ ...line, priceKopecks: discountedUnit(line.productId, line.priceKopecks), discountedKopecks: 0 }));
  return {
    mayDouble: true,
    landed: () => {},
    refused: () => {},
    async act(server) {
      const asked = { revision: recount.revision, nowMs: server.clock.nowMs() };
      const known = server.undiscounted.length;
      const quote = await server.loyalty.quote(call);
      const reasons = server.undiscounted.slice(known);
      if (reasons.length > 0 && isDeepStrictEqual(quote, undiscounted(call))) mayBeUndiscounted(server, reasons.join("; "));
      mustAddUp(quote, net);
      if (asked.revision === recount.revision && asked.nowMs === server.clock.nowMs()) {
        const expected = recount.model.quote(recount.memberOf(name), asked.nowMs, net, wanted, recount.percent);
        if (quote.spendPoints !== expected.spend || quote.earnPoints !== expected.earn)
          throw broken("quote-is-right", `${quote.spendPoints} and ${quote.earnPoints} points, not ${expected.spend} and ${expected.earn}`);
      }
      return { quote, kept: { memberId: recount.memberOf(name), atMs: asked.nowMs, revision: asked.revision, life: server.life } };
    },
    answered: () => {},
  };
}

/**
 * A sale is quoted undiscounted only while the database is slow or down. The simulation never does this to a read. A database outside of it
 * may be slow by itself, and the till asks again.
 */
function mayBeUndiscounted({ isDatabaseOutside }: LoyaltyServer, reasons: string): void {
  if (!isDatabaseOutside) throw broken("quote-is-right", reasons);
  throw new Failure("database-failed", "dependency", reasons);
}

/** The printed lines and the points that pay must together cost what the goods cost with discounts. */
function mustAddUp({ lines, spendPoints }: TillQuote, net: readonly SlowLine[]): void {
  const full = net.reduce((sum, line) => sum + sumOf(line.priceKopecks, line.quantityMillionths), 0n);
  const printed = lines.reduce((sum, line) => sum + sumOf(line.discountedPriceKopecks, line.quantityMillionths), 0n);
  if (printed + BigInt(spendPoints) * 100n !== full) throw broken("sums-are-exact", `${printed} and ${spendPoints} points for ${full}`);
}

/** The lines as the model counts them. */
export function slowLines(lines: readonly QuotedLine[]): SlowLine[] {
  return lines.map(({ productId, quantityMillionths, priceKopecks, discountedPriceKopecks }) => {
    return {
      productId,
      quantityMillionths,
      priceKopecks: discountedUnit(productId, priceKopecks),
      discountedKopecks: discountedPriceKopecks,
      fullKopecks: priceKopecks,
    };
  });
}

export interface SaleOrder {
  receipt: Receipt;
  lines: readonly OrderLine[];
  moment: string;
  cards: SaleCall["giftCards"];
  /** The quote by which the sale was certainly made. Undefined: there may be another quote. */
  kept: Kept | undefined;
}

/** A sale as the till states it. */
export function saleOf(recount: Recount, { receipt, lines, moment, cards, kept }: SaleOrder): Operation<OrderAnswer> {
  const { id, memberName, spent, earned } = receipt;
  const call: SaleCall = {
    ...{ account: ACCOUNT, storeId: STORE, documentId: id, name: id, moment, lines },
    ...{ buyer: { platformId: memberName }, spent, earned, giftCards: cards },
  };
  let hasLanded = false;
  return {
    mayDouble: true,
    act: (server) => server.orders.sale(call),
    landed({ value, nowMs, life }) {
      if (hasLanded !== (value === "repeated")) throw broken("booked-once", `sale ${id} was answered ${JSON.stringify(value)}`);
      if (hasLanded) return;
      hasLanded = true;
      const booked = notedIn(value);
      if (booked.spent !== spent) throw broken("sale-is-booked", `${id} has spent ${booked.spent}, not ${spent}`);
      mustEarn(recount, receipt, booked.earned ?? Number.NaN, { isByQuote: counts(recount, memberName, kept, { life, nowMs }), nowMs });
      recount.sale(receipt, booked.earned ?? 0, nowMs);
    },
    refused: (code) => {
      throw broken("sale-is-booked", `${id} was refused: ${code}`);
    },
    answered({ kind }) {
      if (kind !== "taken" || !hasLanded) throw broken("answer-is-true", `sale ${id} was told ${kind}`);
    },
  };
}

/** Whether the process that books the sale must know the quote. A quote is kept for a day, for the next purchase of the member. */
function counts(recount: Recount, name: string, kept: Kept | undefined, { life, nowMs }: Pick<Landed, "life" | "nowMs">): boolean {
  if (kept?.life !== life || nowMs - kept.atMs >= QUOTE_LIFE_MS || recount.memberOf(name) !== kept.memberId) return false;
  return !recount.hasVisitedSince(kept.memberId, kept);
}

/**
 * A sale whose quote is known earns the points that the receipt states. Another sale earns no more than these points, and no less than the
 * lowest percent gives for the money, minus a point for each of two roundings.
 */
function mustEarn(
  recount: Recount,
  { id, memberName, lines, earned }: Receipt,
  booked: number,
  { isByQuote, nowMs }: { isByQuote: boolean; nowMs: number },
): void {
  const money = lines.reduce((sum, line) => sum + sumOf(line.discountedKopecks, line.quantityMillionths), 0n);
  const memberId = recount.memberOf(memberName);
  const given = Math.min(...PERCENTS.map((percentHundredths) => recount.model.earned(memberId, money, { percentHundredths, nowMs })));
  const least = isByQuote ? earned : Math.max(0, Math.min(earned, given - 2));
  if (!(booked >= least && booked <= earned)) throw broken("sale-is-booked", `${id} has earned ${booked}, not ${least} to ${earned}`);
}

/** A document that was accepted before, with other content. */
export function otherContentOf(receipt: Receipt, lines: readonly OrderLine[], moment: string): Operation<OrderAnswer> {
  const { id, memberName, spent, earned } = receipt;
  const call: SaleCall = {
    ...{ account: ACCOUNT, storeId: STORE, documentId: id, name: id, moment, lines },
    ...{ buyer: { platformId: memberName }, spent, earned: earned + 1, giftCards: [] },
  };
  return {
    mayDouble: true,
    act: (server) => server.orders.sale(call),
    landed({ value }) {
      if (value !== "conflict") throw broken("content-is-compared", `${id} with other content was ${JSON.stringify(value)}`);
    },
    refused: () => {},
    answered({ kind }) {
      if (kind !== "conflict") throw broken("content-is-compared", `${id} with other content was told ${kind}`);
    },
  };
}

/** A return of a part of a sale. */
export function returnOf(recount: Recount, back: PartBack, moment: string): Operation<OrderAnswer> {
  const { id, saleId } = back;
  const call: ReturnCall = {
    account: ACCOUNT,
    storeId: STORE,
    documentId: id,
    name: id,
    moment,
    saleId,
    lines: back.lines.map(orderLineOf),
  };
  let landed: "taken" | "refused" | undefined;
  return {
    mayDouble: true,
    act: (server) => server.orders.takeReturn(call),
    landed({ value, nowMs }) {
      if ((landed === "taken") !== (value === "repeated"))
        throw broken("booked-once", `return ${id} was answered ${JSON.stringify(value)}`);
      if (landed === "taken") return;
      landed = "taken";
      if (!recount.giveBack(back, nowMs)) throw broken("no-more-than-sold", `return ${id} of ${saleId} brings back more than was sold`);
    },
    refused(code, nowMs) {
      if (code !== "loyalty-returned-more") throw broken("return-is-booked", `${id} was refused: ${code}`);
      if (landed === "taken" || recount.giveBack(back, nowMs)) throw broken("return-is-booked", `return ${id} of ${saleId} was refused`);
      landed = "refused";
    },
    answered({ kind }) {
      if (kind !== (landed === "taken" ? "taken" : "returned-more")) throw broken("answer-is-true", `return ${id} was told ${kind}`);
    },
  };
}

/** A line as a till states it. */
function orderLineOf({ productId, quantityMillionths, priceKopecks, discountedKopecks, fullKopecks }: SlowLine): OrderLine {
  return { productId, quantityMillionths, priceKopecks: fullKopecks ?? priceKopecks, discountedKopecks };
}

/** The numbers that the log line of an order states. */
function notedIn(value: Landed["value"]): { spent?: number; earned?: number } {
  if (typeof value !== "object" || value === null || !("note" in value)) return {};
  const { note } = value;
  return typeof note === "object" && note !== null ? note : {};
}
