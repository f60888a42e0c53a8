import { pause } from "../../../src/kernel/clock.ts";
import { show } from "./buyer.ts";
import { Operation } from "./operation.ts";
import { insertSale } from "./sale.ts";
import { TillLine } from "./till-line.ts";
import { broken, type PaymentWorld } from "./world.ts";

const POLL_MS = 1_000;
/** How often a cashier tries before giving up. */
const MOST_TRIES = 6;
/** For how long a till polls after the end of a code. */
const POLLED_MS = 6 * 60_000;
/** Only a few sums, so that several payments and sales have the same sum. */
const SUMS_KOPECKS = [1_000, 1_000, 2_500, 40_000];
const STORES = ["22222222-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002"];
const LONGEST_BEFORE_CANCEL_MS = 40_000;
const LONGEST_BEFORE_SALE_MS = 20_000;
const LONGEST_BEFORE_RETURN_MS = 180_000;

/** A till with its cashier, who sells by QR, cancels, returns and forgets things. */
export class Till {
  readonly operations: Operation[] = [];
  readonly #world: PaymentWorld;
  readonly #name: string;
  readonly #line: TillLine;

  constructor(world: PaymentWorld, name: string) {
    this.#world = world;
    this.#name = name;
    this.#line = new TillLine(world);
  }

  async work(operations: number): Promise<void> {
    const { chance, clock } = this.#world;
    for (let count = 0; count < operations; count += 1) {
      await this.#operate(this.#begin());
      await pause(clock, chance.below(5_000));
    }
  }

  /** Asks once more for each operation, which may have ended meanwhile. */
  async askAgain(): Promise<void> {
    for (const operation of this.operations) for (let tries = 0; tries < MOST_TRIES && !(await this.#poll(operation)); tries += 1);
  }

  #begin(): Operation {
    const { chance } = this.#world;
    const id = `${this.#name}-${this.operations.length + 1}`;
    const operation = new Operation({ id, storeId: chance.pick(STORES), amountKopecks: chance.pick(SUMS_KOPECKS) });
    this.operations.push(operation);
    return operation;
  }

  async #operate(operation: Operation): Promise<void> {
    const { chance, clock } = this.#world;
    const cancels = chance.happens(0.35);
    // A cashier may cancel while the code is still being made.
    if (cancels && chance.happens(0.2)) clock.after(chance.below(6_000), () => this.#guard(this.#cancel(operation)));
    if (!(await this.#create(operation))) return;
    if (cancels) clock.after(chance.below(LONGEST_BEFORE_CANCEL_MS), () => this.#guard(this.#cancel(operation)));
    const { qrExpiryMinutes } = this.#world.settings;
    const untilMs = clock.monotonicMs() + qrExpiryMinutes * 60_000 + POLLED_MS;
    while (operation.told === undefined && clock.monotonicMs() < untilMs) {
      await pause(clock, POLL_MS);
      await this.#poll(operation);
    }
    if (operation.told === "DONE") await this.#afterDone(operation);
  }

  /** Returns false when there is no code to show. */
  async #create(operation: Operation): Promise<boolean> {
    const { chance, clock, bank } = this.#world;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const answer = await this.#line.ask(operation, operation.amountKopecks, (payments, call) => payments.create(call));
      if (answer.kind === "created") {
        const [bankId = "", sum] = answer.qrText.replace("https://qr.example/", "").split("?sum=");
        if (Number(sum) !== operation.amountKopecks) throw broken("code-asks-the-sum", `${operation.id} shows a code of ${sum} kopecks`);
        const { orderedKopecks } = bank.record(bankId);
        if (orderedKopecks !== operation.amountKopecks)
          throw broken("code-asks-the-sum", `${operation.id} shows the code of another payment`);
        show(this.#world, bankId);
        return true;
      }
      if (answer.kind === "conflict" || answer.kind === "no-operation" || answer.kind === "amount")
        throw broken("create-answers", `create of ${operation.id} was answered ${answer.kind}`);
      if (answer.kind === "refused" && chance.happens(0.5)) return false;
      await pause(clock, chance.below(3_000));
    }
    // The cashier has given up. Most tills ask for the state all the same.
    return chance.happens(0.7);
  }

  /** Returns true when the call was answered. */
  async #poll(operation: Operation): Promise<boolean> {
    operation.ask();
    const answer = await this.#line.ask(operation, operation.amountKopecks, (payments, call) => payments.state(call));
    if (answer.kind === "state") operation.hear(answer.status);
    else operation.missed();
    if (answer.kind === "no-operation" && operation.told === "DONE") throw broken("done-stays", `${operation.id} was DONE and is gone`);
    return answer.kind === "state" || answer.kind === "no-operation";
  }

  /**
   * Cancels with the whole sum, as the cashier has decided before the end of the payment. If it is DONE by now, all its money is returned.
   */
  async #cancel(operation: Operation): Promise<void> {
    const { chance, clock } = this.#world;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const answer = await this.#line.ask(operation, operation.amountKopecks, (payments, call) => payments.cancel(call));
      if (answer.kind === "cancelled") return operation.cancelEnded();
      if (answer.kind !== "nothing" && answer.kind !== "unreachable") return;
      await pause(clock, chance.below(3_000));
    }
  }

  async #afterDone(operation: Operation): Promise<void> {
    const { chance, clock } = this.#world;
    if (chance.happens(0.75)) {
      await pause(clock, chance.below(LONGEST_BEFORE_SALE_MS));
      await insertSale(this.#world, operation);
    }
    let leftKopecks = operation.amountKopecks;
    for (let part = 0; part < 3 && chance.happens(0.4); part += 1) {
      await pause(clock, chance.below(LONGEST_BEFORE_RETURN_MS));
      const amountKopecks = chance.happens(0.3) ? leftKopecks : Math.max(1, Math.floor(leftKopecks / 2));
      // The server treats the same sum within a minute as the same request.
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const answer = await this.#line.ask(operation, amountKopecks, (payments, call) => payments.cancel(call));
        if (answer.kind === "cancelled") leftKopecks -= amountKopecks;
        if (answer.kind !== "nothing" && answer.kind !== "unreachable") break;
        await pause(clock, chance.below(5_000));
      }
      if (leftKopecks === 0) return;
      await this.#poll(operation);
    }
  }

  #guard(work: Promise<void>): void {
    work.catch((error: unknown) => this.#world.fail(error));
  }
}
