import { silentLog } from "../../../src/kernel/log.ts";
import { reconcile } from "../../../src/operator/payments/reconcile.ts";
import { type BankOptions, openBank } from "../../../src/tools/bank/bank.ts";
import { PaymentBench, START_MS } from "../../support/payment-bench.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { SeededChance } from "../seeded-chance.ts";

/** A month of trade in one shop at one bank, which a seed decides. */
export interface MonthOptions {
  seed: number;
  bank: BankOptions["name"];
  days: number;
  /** The number of payments on one day. */
  payments: number;
}

export interface MonthResult {
  payments: number;
  done: number;
  rejected: number;
  /** Payments that the bank was too busy to make, twice. Their tills took another way of paying. */
  unmade: number;
  /** The money that the bank holds for the shop, minus what the tills have sold and not returned. It must be 0. */
  differenceKopecks: number;
  /** The errors that the daily comparisons and the tills have found. */
  wrong: string[];
}

const DAY_MS = 24 * 3_600_000;
const OPENS_MS = 9 * 3_600_000;
const OPEN_FOR_MS = 12 * 3_600_000;
const POLLS = 3;
/** Refunds take hours at a bank that allows one an hour. */
const LAST_READING_MS = 8 * DAY_MS;
const LONGEST_STEP_MS = 3_600_000;
const FAULTS = ["lost-answer", "error-after", "error-before", "busy", "no-notifications", "new-field"] as const;
const [LEAST_KOPECKS, MOST_KOPECKS] = [2_000, 500_000];

const KINDS = [
  ...Array<"pay">(12).fill("pay"),
  "decline",
  "walk-away",
  "walk-away-pay-late",
  "cancel",
  "cancel-pay-late",
  "cancel-while-paying",
  "return",
  "return-part",
  "return-parts",
] as const;
type Kind = (typeof KINDS)[number];

interface Operation {
  operationId: string;
  amountKopecks: number;
  kind: Kind;
  told?: string;
  isUnmade: boolean;
  returnedKopecks: number;
}

interface BankRow {
  id: string;
  status: string;
  amount: number;
  refunded: number;
}

/** Plays the days on a virtual clock, with tills, buyers and a bank in trouble. The payments are compared with the bank each night. */
export async function playMonth(options: MonthOptions): Promise<MonthResult> {
  const month = await Month.open(options);
  try {
    return await month.play(options.days, options.payments);
  } finally {
    await month.close();
  }
}

class Month {
  readonly #chance: SeededChance;
  readonly #clock: VirtualClock;
  readonly #bank: Awaited<ReturnType<typeof openBank>>;
  readonly #bench: PaymentBench;
  readonly #operations: Operation[] = [];
  readonly #wrong: string[] = [];
  #agenda: { atMs: number; act: () => Promise<void> }[] = [];

  static async open({ seed, bank: name }: MonthOptions): Promise<Month> {
    const clock = new VirtualClock(START_MS);
    const plain = { port: 0, data: undefined, notifyUrl: undefined, payAfterMs: undefined, faults: [], clockAheadMs: 0 };
    const bank = await openBank({ ...plain, name, seed, clock, log: silentLog });
    const chance = new SeededChance(seed);
    const bench = await PaymentBench.open({ setting: bank.acquirer, clock, chance, addresses: { [name]: bank.base } });
    return new Month(chance, clock, bank, bench);
  }

  private constructor(chance: SeededChance, clock: VirtualClock, bank: Awaited<ReturnType<typeof openBank>>, bench: PaymentBench) {
    this.#chance = chance;
    this.#clock = clock;
    this.#bank = bank;
    this.#bench = bench;
  }

  async play(days: number, payments: number): Promise<MonthResult> {
    for (let day = 0; day < days; day += 1) {
      const beginsMs = START_MS + day * DAY_MS;
      for (let number = 0; number < payments; number += 1) this.#plan(beginsMs + OPENS_MS + this.#chance.below(OPEN_FOR_MS));
      for (let hour = 0; hour < 24; hour += 1) this.#at(beginsMs + hour * 3_600_000, () => this.#trouble(hour));
      await this.#until(beginsMs + DAY_MS);
      await this.#compare(`night ${day + 1}`);
    }
    await this.#control("PUT", "faults", {});
    await this.#until(START_MS + days * DAY_MS + LAST_READING_MS);
    for (const operation of this.#operations) await this.#ask(operation);
    await this.#compare("the end");
    return this.#result();
  }

  async close(): Promise<void> {
    await this.#bench.close();
    await this.#bank.close();
  }

  /** Plans one buyer at a till at this moment. */
  #plan(atMs: number): void {
    const kind = this.#chance.pick(KINDS);
    const number = this.#operations.length + 1;
    // Each sum occurs once, so that it stands for one operation in the bank's records.
    const amountKopecks =
      LEAST_KOPECKS + Math.floor(this.#chance.below(MOST_KOPECKS - LEAST_KOPECKS) / 10_000) * 10_000 + (number % 10_000);
    const operation: Operation = { operationId: `operation-${number}`, amountKopecks, kind, isUnmade: false, returnedKopecks: 0 };
    this.#operations.push(operation);
    this.#at(atMs, async () => {
      await this.#bench.create(operation);
      // A till asks again for a code when it got no answer.
      this.#at(atMs + 8_000, async () => void (await this.#bench.create(operation)));
      this.#life(operation, atMs + 10_000 + this.#chance.below(60_000));
    });
  }

  #life(operation: Operation, atMs: number): void {
    const { kind } = operation;
    const asks = (fromMs: number) => {
      for (let poll = 0; poll < POLLS; poll += 1) this.#at(fromMs + poll * 4_000, () => this.#ask(operation));
    };
    const laterMs = atMs + 90_000 + this.#chance.below(600_000);
    if (kind === "decline") this.#at(atMs, () => this.#order(operation, "decline"));
    if (kind === "pay" || kind.startsWith("return") || kind === "cancel-while-paying") this.#at(atMs, () => this.#order(operation, "pay"));
    if (kind.startsWith("cancel")) this.#at(atMs + 10, async () => void (await this.#bench.cancel(operation)));
    if (kind.endsWith("pay-late"))
      this.#at(atMs + (kind.startsWith("walk") ? 660_000 : 30_000), () => this.#order(operation, "pay", { late: true }));
    asks(atMs + 3_000);
    asks(atMs + 700_000);
    if (kind === "return") this.#at(laterMs, () => this.#return(operation, operation.amountKopecks));
    if (kind.startsWith("return-part")) this.#at(laterMs, () => this.#return(operation, Math.floor(operation.amountKopecks / 3)));
    if (kind === "return-parts") this.#at(laterMs + 120_000, () => this.#return(operation, Math.floor(operation.amountKopecks / 4)));
  }

  async #ask(operation: Operation): Promise<void> {
    const result = await this.#bench.state(operation);
    operation.isUnmade = result.kind === "no-operation";
    if (result.kind !== "state" || result.status === "IN_PROGRESS") return;
    if (operation.told !== undefined && operation.told !== result.status)
      this.#wrong.push(`${operation.operationId} was told ${operation.told}, then ${result.status}`);
    if (operation.told === undefined && result.status === "DONE") await this.#bench.sell({ qrKopecks: operation.amountKopecks });
    operation.told = result.status;
  }

  async #return(operation: Operation, amountKopecks: number): Promise<void> {
    if (operation.told !== "DONE") return;
    const result = await this.#bench.cancel({ ...operation, amountKopecks });
    // `unreachable`: the work goes on by itself, and the money is returned once.
    if (result.kind === "cancelled" || result.kind === "unreachable") operation.returnedKopecks += amountKopecks;
    else if (result.kind !== "refused") this.#wrong.push(`${operation.operationId}: a return was answered ${result.kind}`);
  }

  /** Orders an act of the buyer or of the buyer's bank. */
  async #order({ amountKopecks }: Operation, what: "pay" | "decline", body: object = {}): Promise<void> {
    const rows = (await this.#rows()).filter(({ amount }) => amount === amountKopecks);
    for (const { id } of rows.reverse()) if (await this.#control("POST", `payments/${id}/${what}`, body)) return;
  }

  /** Gives the bank other troubles each hour, or none. */
  async #trouble(hour: number): Promise<void> {
    const fault = this.#chance.pick(FAULTS);
    const share = hour % 3 === 0 ? 0 : this.#chance.pick([0.05, 0.2, 0.5]);
    await this.#control("PUT", "faults", { [fault]: share });
  }

  async #compare(when: string): Promise<void> {
    await this.#control("PUT", "faults", {});
    const { services, clients, turns, sales } = this.#bench;
    const desk = { services, clients, turns, journal: { get: async () => undefined } };
    const differing: string[] = [];
    await this.#bench.settled(
      reconcile(desk, new AbortController().signal, ({ payment, result }) => {
        if (result.kind === "differs") differing.push(`${when}: ${payment.operationId} ${JSON.stringify(result.difference)}`);
      }),
    );
    await this.#bench.settled(sales.look());
    this.#wrong.push(...differing);
  }

  async #result(): Promise<MonthResult> {
    const rows = await this.#rows();
    let differenceKopecks = 0;
    for (const { operationId, amountKopecks, told, returnedKopecks, kind } of this.#operations) {
      const own = rows.filter(({ amount }) => amount === amountKopecks);
      const paid = own.filter(({ status }) => /succeeded|CONFIRMED|REFUND/.test(status));
      const held = paid.reduce((sum, { amount, refunded }) => sum + amount - refunded, 0);
      const sold = told === "DONE" ? amountKopecks - returnedKopecks : 0;
      differenceKopecks += Math.abs(held - sold);
      if (held !== sold || paid.length > 1)
        this.#wrong.push(`${operationId} (${kind}) was told ${told}: the bank holds ${held}, sold are ${sold}`);
    }
    const unsold = this.#bench.lines.filter(({ text }) => text.includes("no sale of its sum"));
    this.#wrong.push(...unsold.map(({ values }) => `${values.operationId} is said to have no sale`));
    const count = (status: string) => this.#operations.filter(({ told }) => told === status).length;
    const unmade = this.#operations.filter(({ isUnmade }) => isUnmade);
    for (const { operationId } of this.#operations.filter(({ told, isUnmade }) => told === undefined && !isUnmade))
      this.#wrong.push(`${operationId} never ended`);
    const [done, rejected] = [count("DONE"), count("REJECTED")];
    return { payments: this.#operations.length, done, rejected, unmade: unmade.length, differenceKopecks, wrong: this.#wrong };
  }

  #at(atMs: number, act: () => Promise<void>): void {
    this.#agenda.push({ atMs, act });
  }

  /** Moves the time from one event to the next: an act of a person, or a reading that is due. */
  async #until(endMs: number): Promise<void> {
    for (;;) {
      const nowMs = this.#clock.nowMs();
      const due = this.#agenda.filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
      this.#agenda = this.#agenda.filter(({ atMs }) => atMs > nowMs);
      for (const { act } of due) await act();
      await this.#bench.follower.look();
      await this.#bench.settled(this.#bench.turns.idle());
      if (this.#clock.nowMs() >= endMs) return;
      const nextMs = Math.min(...this.#agenda.map(({ atMs }) => atMs), await this.#nextReadingMs(), endMs);
      await this.#clock.advance(Math.min(Math.max(nextMs - this.#clock.nowMs(), 1), LONGEST_STEP_MS));
    }
  }

  async #nextReadingMs(): Promise<number> {
    const row = await this.#bench.store.read((db) =>
      db
        .selectFrom("payments")
        .select((select) => select.fn.min("next_read_at_ms").as("next"))
        .executeTakeFirst(),
    );
    // A payment stays due when its account must not be asked yet.
    return Math.max(Number(row?.next ?? Number.POSITIVE_INFINITY), this.#clock.nowMs() + 250);
  }

  async #rows(): Promise<BankRow[]> {
    return (await (await fetch(`${this.#bank.control}/payments`)).json()) as BankRow[];
  }

  async #control(method: string, path: string, body: object): Promise<boolean> {
    const response = await fetch(`${this.#bank.control}/${path}`, { method, body: JSON.stringify(body) });
    await response.arrayBuffer();
    return response.ok;
  }
}
