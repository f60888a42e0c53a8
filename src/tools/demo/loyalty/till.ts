import { goodsId } from "../../sandbox/caller/bodies.ts";
import { type Call, send } from "../../sandbox/caller/call.ts";
import { isDone, type Quote, readBalance, readQuote, wordsOfRefusal } from "../../sandbox/caller/loyalty/answer.ts";
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
} from "../../sandbox/caller/loyalty/bodies.ts";
import { LOYALTY_CALLS, type LoyaltyCallName, loyaltyCall } from "../../sandbox/caller/loyalty/call.ts";
import { discountedKopecks, quoteProblem } from "../../sandbox/caller/loyalty/checks.ts";
import { wrong } from "../cashier.ts";
import type { Cast, LoyaltyParts } from "../cast.ts";
import type { Kill } from "../kill-plan.ts";
import type { LoyaltyReceipt, LoyaltyStep, QuotedReceipt } from "../loyalty-step.ts";
import { setForAll } from "../settings-command.ts";
import type { Answer } from "../stage.ts";
import { LOYALTY_LINES } from "./steps.ts";

/** The usual path of the loyalty contract (interface 4). */
const BASE = "/loyalty";

interface LoyaltyStepResult {
  elapsedMs: number;
  note: string;
}

/** The till of the demo, with one member. Every call may be repeated, because the server recognises documents by their ids. */
export class LoyaltyTill {
  readonly #cast: Cast;
  readonly #parts: LoyaltyParts;
  readonly #member: LoyaltyCustomer;

  constructor(cast: Cast, parts: LoyaltyParts) {
    this.#cast = cast;
    this.#parts = parts;
    const { chance } = cast;
    // The phone is random, because a folder may be used again and two members must not share a phone.
    const digits = String(chance.bytes(4).readUInt32LE() % 1_000_000_000).padStart(9, "0");
    this.#member = { id: chance.uuid(), syncId: chance.uuid(), name: "Петрова Анна", phone: `+79${digits}` };
  }

  play(step: LoyaltyStep, kills: readonly Kill[]): Promise<LoyaltyStepResult> {
    switch (step.does) {
      case "connect":
        return this.#connect(kills);
      case "join":
        return this.#join(kills);
      case "quote":
        return this.#quote(step.receipt, kills);
      case "tell":
        return this.#tell(step.receipt, kills);
      case "give-back":
        return this.#giveBack(step.receipt, kills);
    }
  }

  /** Switches the programme on. A successful quote without a buyer then proves that the access key is valid. */
  async #connect(kills: readonly Kill[]): Promise<LoyaltyStepResult> {
    const { installation, clock, signal, till } = this.#cast;
    const startedMs = clock.monotonicMs();
    await setForAll(this.#parts.server, installation.accountId, "loyalty=on");
    await this.#parts.connection.told(clock, signal);
    const answer = await this.#ask("recalc", recalcBody(till, { lines: linesOfGoods(), transactionType: "EARNING" }), kills);
    quoteIn(answer, false);
    return { elapsedMs: clock.monotonicMs() - startedMs, note: "the platform was told where the programme is" };
  }

  async #join(kills: readonly Kill[]): Promise<LoyaltyStepResult> {
    const answer = await this.#done("create", createBody(this.#cast.till, this.#member, "CHECKED"), kills);
    return { elapsedMs: answer.elapsedMs, note: `${await this.#balance()} points` };
  }

  async #quote(receipt: LoyaltyReceipt, kills: readonly Kill[]): Promise<LoyaltyStepResult> {
    const { till } = this.#cast;
    const asked = {
      agent: agentOf(till, this.#member),
      lines: linesOfGoods(),
      transactionType: receipt.spends ? "SPENDING" : "EARNING",
    } as const;
    const answer = await this.#ask("recalc", recalcBody(till, asked), kills);
    const quoted = quotedOf(quoteIn(answer, true));
    receipt.quoted = quoted;
    if (receipt.spends && quoted.spend === 0) throw wrong("the member has points, and may spend none");
    return { elapsedMs: answer.elapsedMs, note: `spends ${quoted.spend}, earns ${quoted.earn}, needs no code` };
  }

  async #tell(receipt: LoyaltyReceipt, kills: readonly Kill[]): Promise<LoyaltyStepResult> {
    const { till } = this.#cast;
    const { spend, earn, balanceAfter } = quoteOf(receipt);
    const body = saleBody(till, { ...this.#order(receipt, receipt.saleId), agent: agentOf(till, this.#member), bonus: { spend, earn } });
    return this.#booked("sale", body, balanceAfter, kills);
  }

  async #giveBack(receipt: LoyaltyReceipt, kills: readonly Kill[]): Promise<LoyaltyStepResult> {
    const body = returnBody(this.#cast.till, { ...this.#order(receipt, receipt.returnId), agent: {}, demandId: receipt.saleId });
    return this.#booked("return", body, quoteOf(receipt).balanceBefore, kills);
  }

  async #booked(name: "sale" | "return", body: object, expected: number, kills: readonly Kill[]): Promise<LoyaltyStepResult> {
    const answer = await this.#done(name, body, kills);
    const balance = await this.#balance();
    if (balance !== expected) throw wrong(`the member has ${balance} points, where ${expected} are due`);
    return { elapsedMs: answer.elapsedMs, note: `${balance} points` };
  }

  #order(receipt: LoyaltyReceipt, id: string) {
    const { lines, sumKopecks } = quoteOf(receipt);
    const sold = lines.map(({ goodsIndex, ...line }): SoldLoyaltyLine => ({ ...line, assortmentId: goodsIdOf(goodsIndex) }));
    return { id, name: receipt.name, moment: receipt.moment, lines: sold, cashKopecks: 0, noCashKopecks: sumKopecks };
  }

  async #balance(): Promise<number> {
    const read = readBalance(await this.#ask("detail", detailBody(this.#cast.till, this.#member), []));
    if (read.kind === "failed") throw wrong(`detail: ${read.problem}`);
    return read.value;
  }

  async #done(name: LoyaltyCallName, body: object, kills: readonly Kill[]): Promise<Answer> {
    const answer = await this.#ask(name, body, kills);
    if (!isDone(answer)) throw wrong(`${name}: answered ${wordsOfRefusal(answer)}`);
    return answer;
  }

  #ask(name: LoyaltyCallName, body: object, kills: readonly Kill[]): Promise<Answer> {
    const { stage, solution } = this.#cast;
    const call = (): Call => {
      const made = loyaltyCall(name, body, { header: solution.names.loyaltyHeader, token: this.#parts.connection.token });
      return { ...made, path: BASE + made.path };
    };
    // Each attempt makes a new call, because a restarted server may have sent a new key.
    const sendNow: Parameters<typeof stage.ask>[1] = (base, _, clock) => send(base, call(), clock, LOYALTY_CALLS[name].timeoutMs);
    return stage.ask(call(), sendNow, kills, (answer) => isDone(answer));
  }
}

function linesOfGoods(): LoyaltyLine[] {
  return LOYALTY_LINES.map(({ goods, quantityThousandths }, index) => {
    return { assortmentId: goodsIdOf(index), quantityThousandths, priceKopecks: goods.priceKopecks };
  });
}

function goodsIdOf(index: number): string {
  return goodsId(LOYALTY_LINES[index]?.goods.name ?? "");
}

function quoteIn(answer: Answer, hasMember: boolean): Quote {
  const read = readQuote(answer);
  if (read.kind === "failed") throw wrong(`recalc: ${read.problem}`);
  const problem = quoteProblem(linesOfGoods(), read.value, hasMember);
  if (problem !== undefined) throw wrong(`the register refuses the quote, ${problem.code}: ${problem.words}`);
  return read.value;
}

function quotedOf({ lines, spend, earn, balance, balanceAfter }: Quote): QuotedReceipt {
  return {
    lines: lines.map(({ assortmentId, quantityThousandths, priceKopecks, discountedKopecks: discounted, percentHundredths }) => {
      const goodsIndex = LOYALTY_LINES.findIndex(({ goods }) => goodsId(goods.name) === assortmentId);
      return { goodsIndex, quantityThousandths, priceKopecks, discountedKopecks: discounted, percentHundredths };
    }),
    sumKopecks: discountedKopecks(lines),
    ...{ spend, earn, balanceBefore: balance, balanceAfter },
  };
}

function quoteOf({ quoted }: LoyaltyReceipt): QuotedReceipt {
  if (quoted === undefined) throw wrong("the receipt was not quoted before");
  return quoted;
}
