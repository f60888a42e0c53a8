import { type Quote, readBalance, readQuote } from "../../../sandbox/caller/loyalty/answer.ts";
import {
  agentOf,
  createBody,
  detailBody,
  type LoyaltyCustomer,
  type LoyaltyLine,
  recalcBody,
  returnBody,
  type SoldLoyaltyLine,
  saleBody,
} from "../../../sandbox/caller/loyalty/bodies.ts";
import { discountedKopecks } from "../../../sandbox/caller/loyalty/checks.ts";
import { CannotRun, type CheckResult, held, notApplicable } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { wordsOfAnswer } from "../../exchanges/report-text.ts";
import { errorOf, type Sent, statusOf } from "../../exchanges/sent.ts";
import type { LoyaltyChange, LoyaltyTill } from "../../play/loyalty-till.ts";
import type { Scene } from "../../play/scene.ts";

/** The moment of all documents; any moment would do. */
const MOMENT = "2026-03-02 12:00:00";

/** Expects the status, the code of the first error and, if given, the error's field. */
export function expectRefused(sent: Sent, status: number, code: number, field?: string): CheckResult {
  if (statusOf(sent) !== status) return broken(sent, `the status is not ${status}`);
  const error = errorOf(sent);
  if (error?.code !== code) return broken(sent, `the first error's code is not ${code}`);
  if (field === undefined || (error.parameter ?? "").split(/[.[\]]+/).includes(field)) return held;
  return broken(sent, `parameter does not name ${field}`);
}

export function expectStatus(sent: Sent, status: number): CheckResult {
  return statusOf(sent) === status ? held : broken(sent, `the status is not ${status}`);
}

/** Returns the first result that is not `held`. Otherwise returns `held`. */
export function allOf(...results: readonly CheckResult[]): CheckResult {
  return results.find(({ kind }) => kind !== "held") ?? held;
}

/** A question for `recalc`. Without `wanted`: spend as many points as possible. */
interface Asked {
  customer?: LoyaltyCustomer | undefined;
  agent?: object;
  lines: readonly LoyaltyLine[];
  type?: "EARNING" | "SPENDING";
  wanted?: number;
}

export function askQuote(till: LoyaltyTill, { customer, agent, lines, type, wanted }: Asked, change: LoyaltyChange = {}): Promise<Sent> {
  const buyer = agent ?? (customer === undefined ? undefined : agentOf(till.place, customer));
  const asked = {
    lines,
    ...(buyer === undefined ? {} : { agent: buyer }),
    ...(type === undefined ? {} : { transactionType: type }),
    ...(wanted === undefined ? {} : { wantedPoints: wanted }),
  };
  return till.send("recalc", recalcBody(till.place, asked), { label: labelOf(type, wanted), ...change });
}

function labelOf(type: string | undefined, wanted: number | undefined): string {
  return [type, wanted === undefined ? undefined : `preferredBonusToSpend ${wanted}`].filter((word) => word !== undefined).join(", ");
}

/** Returns the answer of `recalc`. Throws CannotRun for an unreadable answer. */
export function quoteIn(sent: Sent): Quote {
  const read = readQuote(sent.exchange);
  if (read.kind === "read") return read.value;
  throw new CannotRun(`recalc was answered ${wordsOfAnswer(sent)}; mend loyalty/recalc/answer first`);
}

export async function quoteOf(till: LoyaltyTill, asked: Asked): Promise<Quote> {
  return quoteIn(await askQuote(till, asked));
}

/** Enrols a buyer and returns the buyer. Throws CannotRun when the server refuses. */
export async function enrolled(till: LoyaltyTill, customer: LoyaltyCustomer = till.newCustomer()): Promise<LoyaltyCustomer> {
  const sent = await till.send("create", createBody(till.place, customer, "CHECKED"));
  if (statusOf(sent) === 201) return customer;
  throw new CannotRun(`create was answered ${wordsOfAnswer(sent)}; mend loyalty/customer/created first`);
}

/** Returns the member's points. Throws CannotRun without them. */
export async function balanceOf(till: LoyaltyTill, customer: LoyaltyCustomer): Promise<number> {
  const sent = await till.send("detail", detailBody(till.place, customer));
  const read = readBalance(sent.exchange);
  if (read.kind === "read") return read.value;
  throw new CannotRun(`detail was answered ${wordsOfAnswer(sent)}; mend loyalty/customer/balance first`);
}

/** A sale at the till, made from the answer of `recalc`. */
export interface MadeSale {
  id: string;
  customer: LoyaltyCustomer | undefined;
  lines: readonly SoldLoyaltyLine[];
  spend: number;
  earn: number;
}

export function saleOf(till: LoyaltyTill, customer: LoyaltyCustomer | undefined, quote: Quote): MadeSale {
  const lines = quote.lines.map(({ serials: _serials, ...line }) => line);
  return { id: till.newId(), customer, lines, spend: quote.spend, earn: quote.earn };
}

/** Returns the body of a sale. Members of `over` replace members of this body. */
export function bodyOfSale(till: LoyaltyTill, sale: MadeSale, over: Readonly<Record<string, unknown>> = {}): object {
  const { id, customer, lines, spend, earn } = sale;
  const agent = customer === undefined ? {} : { agent: agentOf(till.place, customer) };
  const money = { cashKopecks: discountedKopecks(lines), noCashKopecks: 0 };
  return { ...saleBody(till.place, { id, name: "00001", moment: MOMENT, ...agent, lines, ...money, bonus: { spend, earn } }), ...over };
}

export function bodyOfReturn(
  till: LoyaltyTill,
  { demandId, lines, id = till.newId() }: { demandId?: string; lines: readonly SoldLoyaltyLine[]; id?: string },
  over: Readonly<Record<string, unknown>> = {},
): object {
  const demand = demandId === undefined ? {} : { demandId };
  const order = { id, name: "00001", moment: MOMENT, agent: {}, lines, cashKopecks: discountedKopecks(lines), noCashKopecks: 0 };
  return { ...returnBody(till.place, { ...order, ...demand }), ...over };
}

/** Makes a sale as `recalc` answered it. Throws CannotRun when the server refuses. */
export async function sold(till: LoyaltyTill, customer: LoyaltyCustomer, asked: Omit<Asked, "customer">): Promise<MadeSale> {
  const sale = saleOf(till, customer, await quoteOf(till, { ...asked, customer }));
  const sent = await till.send("sale", bodyOfSale(till, sale));
  if (statusOf(sent) === 201) return sale;
  throw new CannotRun(`a sale was answered ${wordsOfAnswer(sent)}; mend loyalty/sale/booked first`);
}

/** A price at which a receipt earns points in any usual programme. */
const LARGE_KOPECKS = 10_000_00;

/** Makes the check of a rule that needs a member with points. The rule does not apply when a large receipt gives no points immediately. */
export function withPoints(
  check: (till: LoyaltyTill, member: LoyaltyCustomer, balance: number) => Promise<CheckResult>,
): (scene: Scene) => Promise<CheckResult> {
  return async (scene) => {
    const till = await scene.loyaltyTill();
    const member = await enrolled(till);
    await sold(till, member, { lines: [till.line(LARGE_KOPECKS, 1000)] });
    const balance = await balanceOf(till, member);
    return balance > 0 ? check(till, member, balance) : notApplicable("the programme gives no points at once for a receipt of 10,000.00");
  };
}

/** Expects the member to have this many points. */
export async function expectBalance(till: LoyaltyTill, member: LoyaltyCustomer, expected: number, words: string): Promise<CheckResult> {
  const sent = await till.send("detail", detailBody(till.place, member));
  const read = readBalance(sent.exchange);
  if (read.kind === "failed") return broken(sent, read.problem);
  return read.value === expected ? held : broken(sent, `the balance is not ${expected}, ${words}`);
}
