import { pause, systemClock } from "../../../src/kernel/clock.ts";
import type { QrCallName } from "../../../src/tools/sandbox/caller/qr-call.ts";
import type { BankRow, QrShop } from "./shop.ts";

/** The time between two calls of a till. */
const POLL_MS = 700;
/** The time limit of a flow. A dead process holds its payments for ten seconds, and a flow lasts through many deaths. */
const FLOW_LIMIT_MS = 240_000;

/** The result of one operation at its till. */
export interface FlowEnd {
  name: FlowName;
  amount: number;
  /** Every status that the till was told, without repeats in a row. */
  told: string[];
  expected: "DONE" | "REJECTED";
  /** The money that must have been returned to the buyer at the end, if the buyer has paid. */
  returned: number;
}

export const FLOWS = [
  "pay",
  "decline",
  "cancel",
  "cancel while paying",
  "late money after a cancel",
  "full refund",
  "part refund",
  "expire",
  "late money after the expiry",
] as const;
export type FlowName = (typeof FLOWS)[number];

/** At the simulated acquirer the last two digits of the amount decide (payments surface 7). */
const LAST_DIGITS: Record<FlowName, number> = {
  pay: 20,
  decline: 1,
  cancel: 2,
  "cancel while paying": 6,
  "late money after a cancel": 3,
  "full refund": 21,
  "part refund": 22,
  expire: 2,
  "late money after the expiry": 8,
};

/** One operation at one till of the shop, which goes on whatever happens to the server meanwhile. */
export class Flow {
  readonly name: FlowName;
  readonly amount: number;
  readonly told: string[] = [];
  readonly #shop: QrShop;
  readonly #operationId: string;

  constructor(shop: QrShop, name: FlowName, number: number) {
    this.#shop = shop;
    this.name = name;
    this.#operationId = `operation-${number}-${name.replaceAll(" ", "-")}`;
    this.amount = 20_000 + number * 1_000 + LAST_DIGITS[name];
  }

  /** Does everything until only the passing of time can end the operation. */
  async begin(): Promise<void> {
    await this.#until("create", this.amount, ({ data }) => typeof data === "string");
    switch (this.name) {
      case "pay":
        await this.#order("pay");
        return this.#untilTold("DONE");
      case "decline":
        await this.#order("decline");
        return this.#untilTold("REJECTED");
      case "cancel":
        await this.#cancel(this.amount);
        return this.#untilTold("REJECTED");
      case "cancel while paying":
        // When the buyer paid first, the till gets REJECTED after the money was returned, at T-Bank perhaps hours
        // later.
        await Promise.all([this.#order("pay"), this.#cancel(this.amount)]);
        return this.#state();
      case "late money after a cancel":
        await this.#cancel(this.amount);
        await this.#untilTold("REJECTED");
        return this.#order("pay", { late: true });
      case "full refund":
        await this.#order("pay");
        await this.#untilTold("DONE");
        return this.#cancel(this.amount);
      case "part refund":
        await this.#order("pay");
        await this.#untilTold("DONE");
        return this.#cancel(this.#part);
      case "expire":
      case "late money after the expiry":
        await this.#state();
    }
  }

  /** Ends the operation after the time of the code has passed. */
  async end(): Promise<void> {
    if (this.name !== "expire" && this.name !== "late money after the expiry") return;
    await this.#untilTold("REJECTED");
    if (this.name === "late money after the expiry") await this.#order("pay", { late: true });
  }

  /** Asks once more and returns the result. */
  async result(): Promise<FlowEnd> {
    await this.#state();
    const isSale = this.name === "pay" || this.name === "full refund" || this.name === "part refund";
    const returned = this.name === "pay" ? 0 : this.name === "part refund" ? this.#part : this.amount;
    return { name: this.name, amount: this.amount, told: this.told, expected: isSale ? "DONE" : "REJECTED", returned };
  }

  /** The bank's payments of this operation. */
  async rows(): Promise<BankRow[]> {
    if (this.#shop.acquirer === "simulated") return [];
    return (await this.#shop.rows()).filter(({ amount }) => amount === this.amount);
  }

  /** More than half of the amount, so that a till that repeats the refund after a minute cannot get it twice. */
  get #part(): number {
    return Math.floor(this.amount * 0.6);
  }

  #cancel(amount: number): Promise<void> {
    return this.#until("cancel", amount, () => true);
  }

  #untilTold(status: "DONE" | "REJECTED"): Promise<void> {
    return this.#until("state", this.amount, (body) => body.status === status || body.status === "DONE" || body.status === "REJECTED");
  }

  #state(): Promise<void> {
    return this.#until("state", this.amount, () => true);
  }

  /** Repeats the call until the answer is 200 and has the wanted content. */
  async #until(name: QrCallName, amount: number, isIt: (body: Record<string, unknown>) => boolean): Promise<void> {
    const endMs = systemClock.monotonicMs() + FLOW_LIMIT_MS;
    for (;;) {
      const answer = await this.#shop.ask(name, this.#operationId, amount);
      const body = answer.kind === "answer" ? (JSON.parse(answer.body.toString("utf8")) as Record<string, unknown>) : {};
      if (answer.kind === "answer" && answer.status >= 500) throw new Error(`${this.name}: ${name} was answered ${answer.status}`);
      if (typeof body.status === "string" && this.told.at(-1) !== body.status) this.told.push(body.status);
      if (answer.kind === "answer" && answer.status === 200 && isIt(body)) return;
      // A cancel that is repeated after a minute is another refund, but no money is left for it (payments surface 5).
      if (name === "cancel" && answer.kind === "answer" && answer.status === 412) return;
      if (systemClock.monotonicMs() > endMs) throw new Error(`${this.name}: ${name} is never answered, last ${JSON.stringify(body)}`);
      await pause(systemClock, POLL_MS);
    }
  }

  /** Orders an act of the buyer or of the buyer's bank. At the simulated acquirer the amount decides instead. */
  async #order(what: "pay" | "decline", body: object = {}): Promise<void> {
    if (this.#shop.acquirer === "simulated") return;
    for (const { id } of (await this.rows()).reverse())
      if ((await this.#shop.control("POST", `payments/${id}/${what}`, body)) !== undefined) return;
  }
}
