import { Numeral } from "../../http/json-body.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import { wallTimeAt } from "../../kernel/moment.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { present } from "../../kernel/present.ts";
import { formatQuantity } from "../../kernel/quantity.ts";
import type { TillAccount } from "../../loyalty/connection/keys.ts";
import type { GiftCard } from "../../loyalty/gift-cards/gift-cards.ts";
import type { Identity } from "../../loyalty/members/identity.ts";
import type { FoundMember } from "../../loyalty/members/members.ts";
import type { Personal } from "../../loyalty/members/personal-schema.ts";
import type { EnrolCall, OrderCall, OrderLine, QuotedLine, RecalcCall, ReturnCall, SaleCall, TillQuote } from "../../loyalty/till-call.ts";
import { ownId, referredId } from "./document-id.ts";
import type { AgentBody, CustomerBody, CustomerCodeBody, DetailBody, RecalcBody, ReturnBody, SaleBody } from "./schema.ts";

const HUNDRED = 100;

export function enrolCallOf(account: TillAccount, body: CustomerBody): EnrolCall {
  return {
    account,
    storeId: body.retailStore.meta.id,
    identity: identityOf(body),
    isNative: isNative(body.meta),
    personal: personalOf(body, body.name),
    check: body.statusCheck === "UNCHECKED" ? "unchecked" : "done",
  };
}

/** The identifiers of the buyer in a customer's body. */
export function identityOf(body: CustomerBody | DetailBody | CustomerCodeBody): Identity {
  return present({ platformId: body.meta?.id, syncId: body.syncId ?? undefined, phone: body.phone, card: body.discountCardNumber });
}

export function personalOf(body: CustomerBody | CustomerCodeBody, name: string): Personal {
  const { phone, email, discountCardNumber: card, legalFirstName, legalMiddleName, legalLastName, birthDate } = body;
  const sex = body.sex ?? undefined;
  return { name, ...present({ phone, email, card, legalFirstName, legalMiddleName, legalLastName, birthDate, sex }) };
}

/** Returns undefined for an agent without any identifier, such as the empty object in the platform's samples. */
function buyerOf(agent: AgentBody): Identity | undefined {
  const platformId = agent?.meta?.id ?? agent?.id;
  const identity: Identity = present({ platformId, syncId: agent?.syncId, phone: agent?.phone, card: agent?.discountCardNumber });
  return Object.keys(identity).length === 0 ? undefined : identity;
}

export function recalcCallOf(account: TillAccount, body: RecalcBody): RecalcCall {
  return {
    account,
    storeId: body.retailStore.meta.id,
    ...present({ buyer: buyerOf(body.agent), wantedPoints: body.preferredBonusToSpend ?? undefined }),
    transactionType: body.bonusProgram?.transactionType ?? "EARNING",
    lines: body.positions.map(({ assortment, quantity, price, sn }) => ({
      productId: assortment.meta.id,
      quantityMillionths: quantity,
      priceKopecks: price,
      ...(sn == null ? {} : { serials: sn }),
    })),
  };
}

export function saleCallOf(account: TillAccount, body: SaleBody): SaleCall {
  return {
    ...orderCallOf(account, body, body.positions ?? []),
    sumsKopecks: [body.cashSum ?? 0, body.noCashSum ?? 0],
    spent: body.bonusProgram?.bonusValueToSpend ?? 0,
    earned: body.bonusProgram?.bonusValueToEarn ?? 0,
    giftCards: (body.giftCards ?? []).map(({ id, name, paymentSum }) => ({ cardId: id, name, kopecks: paymentSum })),
  };
}

export function returnCallOf(account: TillAccount, body: ReturnBody): ReturnCall {
  const { meta, id, href } = body.demand ?? {};
  const saleId = referredId({ id: meta?.id || id, href: meta?.href }) ?? referredId({ href });
  return { ...orderCallOf(account, body, body.positions), ...present({ saleId }) };
}

type SoldPosition = ReturnBody["positions"][number];

function orderCallOf(account: TillAccount, body: SaleBody | ReturnBody, positions: readonly SoldPosition[]): OrderCall {
  return {
    account,
    storeId: body.retailStore.meta.id,
    name: body.name,
    moment: body.moment,
    ...present({ documentId: ownId(body.meta ?? {}), buyer: buyerOf(body.agent) }),
    lines: positions.map(orderLineOf),
  };
}

function orderLineOf({ assortment, quantity, price, discountPercent, discountedPrice }: SoldPosition): OrderLine {
  const computed = Math.round((price * (HUNDRED * HUNDRED - (discountPercent ?? 0))) / (HUNDRED * HUNDRED));
  return {
    productId: assortment.meta.id,
    quantityMillionths: quantity,
    priceKopecks: price,
    discountedKopecks: discountedPrice ?? computed,
  };
}

function isNative(meta: CustomerBody["meta"]): boolean {
  return meta?.idType !== "sync" && !(meta?.href?.includes("/syncid/") ?? false);
}

/**
 * The answer of `recalc`. `sent`: the parsed body of the request. Its agent, assortments and packs are returned unchanged. Numbers with
 * decimals are `Numeral`s, which `exactJson` writes without rounding.
 */
export function quoteAnswer(sent: unknown, quote: TillQuote): object {
  const positions = listAt(sent, "positions");
  return {
    ...present({ agent: memberAt(sent, "agent") ?? undefined }),
    positions: quote.lines.map((line) => positionAnswer(positions[line.source], line)),
    bonusProgram: {
      transactionType: quote.transactionType,
      agentBonusBalance: quote.balancePoints,
      bonusValueToSpend: quote.spendPoints,
      bonusValueToEarn: quote.earnPoints,
      agentBonusBalanceAfter: quote.afterPoints,
      paidByBonusPoints: new Numeral(formatKopecks(quote.paidByPointsKopecks)),
      receiptExtraInfo: quote.receiptText,
    },
    needVerification: quote.needsCode,
  };
}

function positionAnswer(sent: unknown, line: QuotedLine): object {
  return {
    assortment: memberAt(sent, "assortment"),
    quantity: new Numeral(formatQuantity(line.quantityMillionths)),
    price: new Numeral(formatKopecks(line.priceKopecks)),
    discountPercent: new Numeral(formatDecimal({ units: BigInt(line.discountPercentHundredths), decimals: 2 })),
    discountedPrice: new Numeral(formatKopecks(line.discountedPriceKopecks)),
    ...(line.serials === undefined ? {} : { sn: line.serials }),
    ...present({ pack: memberAt(sent, "pack") ?? undefined }),
  };
}

/** The answer of the gift card call. Its sums are in minor units (platform-contracts 6.4). */
export function giftCardAnswer({ id, name, status, balanceKopecks, initialKopecks, expiresAtMs }: GiftCard): object {
  const expireDate = expiresAtMs === undefined ? undefined : wallTimeAt(expiresAtMs, "UTC");
  return { id, name, status, currentBalance: balanceKopecks, initialBalance: initialKopecks, ...present({ expireDate }) };
}

/** A row of a search. `msId` is left out when the member's platform id is no UUID, because the platform cannot read it. */
export function rowAnswer({ id, platformId, personal }: FoundMember): object {
  const { name, phone, email, card, legalFirstName, legalMiddleName, legalLastName, birthDate, sex } = personal;
  return {
    id,
    ...present({ msId: platformId !== undefined && UUID.test(platformId) ? platformId : undefined }),
    name,
    ...present({ phone, email, discountCardNumber: card, legalFirstName, legalMiddleName, legalLastName, birthDate, sex }),
  };
}

/** Returns JSON in which a `Numeral` keeps its text. */
export function exactJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value, (_name, member) => (member instanceof Numeral ? rawJson(member.text) : member)));
}

/** Node 24 has `JSON.rawJSON`, but the types of TypeScript 6 lack it. */
const { rawJSON: rawJson } = JSON as JSON & { rawJSON(text: string): unknown };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function memberAt(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = memberAt(value, name);
  return Array.isArray(list) ? list : [];
}
