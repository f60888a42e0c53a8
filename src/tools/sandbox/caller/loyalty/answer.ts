import type { Exchange } from "../call.ts";
import { readErrors } from "../fiscal-answer.ts";

/** A position in `recalc`'s answer. Each number is whole, in the unit that its name states. */
export interface QuotedLine {
  readonly assortmentId: string;
  readonly quantityThousandths: number;
  readonly priceKopecks: number;
  readonly percentHundredths: number;
  readonly discountedKopecks: number;
  /** Undefined: the position has no serial number list. */
  readonly serials: readonly string[] | undefined;
}

export interface Quote {
  readonly lines: readonly QuotedLine[];
  readonly transactionType: string;
  readonly balance: number;
  readonly spend: number;
  readonly earn: number;
  readonly balanceAfter: number;
  readonly paidKopecks: number;
  readonly needVerification: boolean;
}

/** The value or a problem. `answered`: whether there was an answer of status 200. */
type Reading<Value> = { kind: "read"; value: Value } | { kind: "failed"; answered: boolean; problem: string };

type Members = Readonly<Record<string, unknown>>;

/** Ends `read` at the first wrong member. */
class WrongMember extends Error {}

/** Reads `recalc`'s answer. */
export function readQuote(exchange: Exchange): Reading<Quote> {
  return read(exchange, (body) => {
    const bonus = membersOf(body.bonusProgram, "bonusProgram");
    const lines = listOf(body.positions, "positions").map((line, index) => quotedLine(line, `positions[${index}]`));
    const points = (name: string) => stepsOf(bonus[name], 0, `bonusProgram.${name}`);
    if (typeof body.needVerification !== "boolean") throw new WrongMember("needVerification is not true or false");
    return {
      lines,
      transactionType: String(bonus.transactionType),
      balance: points("agentBonusBalance"),
      spend: points("bonusValueToSpend"),
      earn: points("bonusValueToEarn"),
      balanceAfter: points("agentBonusBalanceAfter"),
      paidKopecks: stepsOf(bonus.paidByBonusPoints, 2, "bonusProgram.paidByBonusPoints"),
      needVerification: body.needVerification,
    };
  });
}

/** Reads the balance from `detail`'s answer. */
export function readBalance(exchange: Exchange): Reading<number> {
  return read(exchange, (body) =>
    stepsOf(membersOf(body.bonusProgram, "bonusProgram").agentBonusBalance, 0, "bonusProgram.agentBonusBalance"),
  );
}

/** Reads the code from the answer of a `verify` call. */
export function readCode(exchange: Exchange): Reading<string> {
  return read(exchange, ({ verificationCode }) => {
    if (typeof verificationCode === "string" && verificationCode !== "") return verificationCode;
    throw new WrongMember("verificationCode is no text");
  });
}

/** Returns status, code and text of the first error, like `412/28001 Нужен код`, or the reason for no answer. */
export function wordsOfRefusal(exchange: Exchange): string {
  if (exchange.kind === "no-answer") return `no answer: ${exchange.reason}`;
  const [first] = readErrors(exchange.body);
  return first === undefined ? `${exchange.status} without errors` : `${exchange.status}/${first.code} ${first.message}`;
}

/** Whether the call succeeded: 200, 201 or 204 (platform-contracts 6.2). */
export function isDone(exchange: Exchange): boolean {
  return exchange.kind === "answer" && [200, 201, 204].includes(exchange.status);
}

function read<Value>(exchange: Exchange, take: (body: Members) => Value): Reading<Value> {
  if (exchange.kind === "no-answer" || exchange.status !== 200)
    return { kind: "failed", answered: false, problem: wordsOfRefusal(exchange) };
  try {
    return { kind: "read", value: take(membersOf(JSON.parse(exchange.body.toString("utf8")), "the answer")) };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "failed", answered: true, problem: "the answer is no JSON" };
    if (error instanceof WrongMember) return { kind: "failed", answered: true, problem: error.message };
    throw error;
  }
}

function quotedLine(value: unknown, place: string): QuotedLine {
  const line = membersOf(value, place);
  const meta = membersOf(membersOf(line.assortment, `${place}.assortment`).meta, `${place}.assortment.meta`);
  if (typeof meta.id !== "string") throw new WrongMember(`${place}.assortment.meta.id is no text`);
  const serials = line.sn === undefined || line.sn === null ? undefined : listOf(line.sn, `${place}.sn`);
  return {
    assortmentId: meta.id,
    quantityThousandths: stepsOf(line.quantity, 3, `${place}.quantity`),
    priceKopecks: stepsOf(line.price, 2, `${place}.price`),
    percentHundredths: stepsOf(line.discountPercent, 2, `${place}.discountPercent`),
    discountedKopecks: stepsOf(line.discountedPrice, 2, `${place}.discountedPrice`),
    serials: serials?.map((serial) => String(membersOf(serial, `${place}.sn`).name)),
  };
}

function membersOf(value: unknown, place: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new WrongMember(`${place} is no object`);
}

function listOf(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new WrongMember(`${place} is no list`);
}

/** The relative error of a binary number is smaller than this. A larger difference means that the number has too many decimals. */
const NOISE = 1e-6;

/**
 * Returns a number in units of its last allowed decimal. Throws `WrongMember` if the value is no number, has more than `decimals` decimals,
 * or is too large for an exact number.
 */
function stepsOf(value: unknown, decimals: number, place: string): number {
  if (typeof value !== "number") throw new WrongMember(`${place} is no number`);
  const scaled = value * 10 ** decimals;
  const steps = Math.round(scaled);
  if (!Number.isSafeInteger(steps) || Math.abs(scaled - steps) > NOISE * Math.max(1, Math.abs(scaled)))
    throw new WrongMember(`${place} has more than ${decimals} decimals`);
  return steps;
}
