import { MAX_KOPECKS } from "../../kernel/money.ts";
import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import type { CodeResult } from "../../loyalty/codes/codes.ts";
import type { TillAccount } from "../../loyalty/connection/keys.ts";
import type { Loyalty, OrderResult } from "../../loyalty/loyalty.ts";
import type { LoyaltyCallId } from "./endpoints.ts";
import {
  CONFLICT,
  fieldIsWrong,
  type LoyaltyError,
  NEEDS_CODE,
  NO_SEARCH,
  NO_WAY_TO_SEND,
  NOT_DELIVERED,
  RETURNED_MORE,
  TOO_MANY_CODES,
  tooSoon,
  UNKNOWN_CARD,
  UNKNOWN_MEMBER,
} from "./failures.ts";
import {
  customerCodeSchema,
  customerSchema,
  detailSchema,
  giftCardSchema,
  readAs,
  recalcSchema,
  returnSchema,
  saleCodeSchema,
  saleSchema,
  searchSchema,
} from "./schema.ts";
import {
  enrolCallOf,
  exactJson,
  giftCardAnswer,
  identityOf,
  personalOf,
  quoteAnswer,
  recalcCallOf,
  returnCallOf,
  rowAnswer,
  saleCallOf,
} from "./translate.ts";

export type Answer =
  | { kind: "json"; body: Buffer | object }
  /** Answered with 201 and no body. `note`: values for the log line. */
  | { kind: "made"; note: Readonly<Record<string, unknown>> }
  | { kind: "refused"; error: LoyaltyError };

/** Reads the body or query of a call, asks the programme, and makes the answer. */
type CallHandler = (account: TillAccount, sent: unknown) => Promise<Answer>;

export type CallHandlers = Readonly<Record<LoyaltyCallId, CallHandler>>;

export function answering(loyalty: Loyalty): CallHandlers {
  return {
    enrol: reading(customerSchema, async (body, account) => {
      const result = await loyalty.enrol(enrolCallOf(account, body));
      return result.kind === "needs-code" ? refused(NEEDS_CODE) : { kind: "made", note: { member: result.memberId } };
    }),
    search: reading(searchSchema, async ({ search }, account) => {
      const result = await loyalty.search(account, search);
      return result.kind === "off" ? refused(NO_SEARCH) : { kind: "json", body: { rows: result.members.map(rowAnswer) } };
    }),
    detail: reading(detailSchema, async (body, account) => {
      const result = await loyalty.balance(account, identityOf(body));
      if (result.kind === "unknown-member") return refused(UNKNOWN_MEMBER);
      return { kind: "json", body: { bonusProgram: { agentBonusBalance: result.points } } };
    }),
    customerCode: reading(customerCodeSchema, async (body, account) => {
      const { phone, email } = personalOf(body, body.name ?? "");
      const storeId = body.retailStore.meta.id;
      return codeAnswer(await loyalty.customerCode({ account, storeId, identity: identityOf(body), address: { phone, email } }));
    }),
    recalc: reading(recalcSchema, async (body, account, sent) => {
      const call = recalcCallOf(account, body);
      if (isBeyondAnyReceipt(call.lines)) return refused(fieldIsWrong("positions"));
      const quote = await loyalty.quote(call);
      return { kind: "json", body: exactJson(quoteAnswer(sent, quote)) };
    }),
    saleCode: reading(saleCodeSchema, async ({ retailStore, counterpartyId, phone }, account) => {
      const identity = { platformId: counterpartyId };
      return codeAnswer(await loyalty.saleCode({ account, storeId: retailStore.meta.id, identity, address: { phone } }));
    }),
    sale: reading(saleSchema, async (body, account) => {
      const call = saleCallOf(account, body);
      return isBeyondAnyReceipt(call.lines) ? refused(fieldIsWrong("positions")) : orderAnswer(await loyalty.sale(call));
    }),
    return: reading(returnSchema, async (body, account) => {
      const call = returnCallOf(account, body);
      return isBeyondAnyReceipt(call.lines) ? refused(fieldIsWrong("positions")) : orderAnswer(await loyalty.takeReturn(call));
    }),
    giftCard: reading(giftCardSchema, async ({ name }, account) => {
      const card = await loyalty.giftCard(account, name);
      return card === undefined ? refused(UNKNOWN_CARD) : { kind: "json", body: giftCardAnswer(card) };
    }),
  };
}

function reading<Body>(
  schema: Parameters<typeof readAs<Body>>[0],
  work: (body: Body, account: TillAccount, sent: unknown) => Promise<Answer>,
): CallHandler {
  return async (account, sent) => {
    const read = readAs(schema, sent);
    return read.kind === "wrong" ? refused(fieldIsWrong(read.parameter)) : work(read.value, account, sent);
  };
}

/**
 * Checks whether the lines together cost more than `MAX_KOPECKS`, with or without their discounts. Each number alone is within its bounds,
 * but their sum may be too large to be exact.
 */
function isBeyondAnyReceipt(lines: readonly { quantityMillionths: number; priceKopecks: number; discountedKopecks?: number }[]): boolean {
  const millionths = (priceOf: (line: (typeof lines)[number]) => number) =>
    lines.reduce((sum, line) => sum + BigInt(priceOf(line)) * BigInt(line.quantityMillionths), 0n);
  const most = BigInt(MAX_KOPECKS) * BigInt(ONE_MILLIONTHS);
  return millionths(({ priceKopecks }) => priceKopecks) > most || millionths(({ discountedKopecks = 0 }) => discountedKopecks) > most;
}

function orderAnswer(result: OrderResult): Answer {
  switch (result.kind) {
    case "taken":
      return { kind: "made", note: result.note };
    case "conflict":
      return refused(CONFLICT);
    case "returned-more":
      return refused(RETURNED_MORE);
  }
}

function codeAnswer(result: CodeResult | { kind: "unknown-member" }): Answer {
  switch (result.kind) {
    case "unknown-member":
      return refused(UNKNOWN_MEMBER);
    case "too-soon":
      return refused(tooSoon(result.waitSeconds));
    case "too-many":
      return refused(TOO_MANY_CODES);
    case "no-way":
      return refused(NO_WAY_TO_SEND);
    case "not-delivered":
      return refused(NOT_DELIVERED);
    case "sent": {
      const where = result.to === "phone" ? `на телефон ${result.masked}` : `на почту ${result.masked}`;
      const messageForCashier = `Код отправлен ${where}. Спросите его у покупателя.`;
      return { kind: "json", body: { verificationCode: result.code, timeForRepeat: result.repeatAfterSeconds, messageForCashier } };
    }
  }
}

function refused(error: LoyaltyError): Answer {
  return { kind: "refused", error };
}
