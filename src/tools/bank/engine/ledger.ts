import type { KeptAnswer } from "./kept-answer.ts";
import type { Change, LedgerFile } from "./ledger-file.ts";
import { dueAtMs, type Payment } from "./payment.ts";

/** As many payments as a shop has in some months, about 100 MB of memory. A full bank refuses new payments and never drops a payment. */
const MAX_PAYMENTS = 100_000;
/** As many answers as payments. A further answer replaces the oldest, because a merchant repeats a request soon after the first try. */
const MAX_KEPT_ANSWERS = 100_000;

/** Payments and stored answers, in memory and in the file. Nobody may learn of a change before `commit` has written it. */
export class Ledger {
  readonly seed: number;
  readonly #file: LedgerFile;
  readonly #payments = new Map<string, Payment>();
  readonly #byOrder = new Map<string, string>();
  readonly #byRefund = new Map<string, string>();
  readonly #answers = new Map<string, KeptAnswer>();
  readonly #open = new Set<string>();
  #unwritten: Change[] = [];
  #failure: unknown;
  /** Nothing is due before this moment. */
  #nextDueMs = Number.POSITIVE_INFINITY;

  constructor(seed: number, file: LedgerFile, changes: readonly Change[]) {
    this.seed = seed;
    this.#file = file;
    for (const change of changes) {
      if (change.kind === "payment") this.#remember(change.payment);
      if (change.kind === "answer") this.#keep(change.answer);
    }
  }

  get isFull(): boolean {
    return this.#payments.size >= MAX_PAYMENTS;
  }

  get count(): number {
    return this.#payments.size;
  }

  get nextDueMs(): number {
    return this.#nextDueMs;
  }

  all(): Iterable<Payment> {
    return this.#payments.values();
  }

  payment(id: string): Payment | undefined {
    return this.#payments.get(id);
  }

  byOrder(orderId: string): Payment | undefined {
    return this.#payments.get(this.#byOrder.get(orderId) ?? "");
  }

  byRefund(refundId: string): Payment | undefined {
    return this.#payments.get(this.#byRefund.get(refundId) ?? "");
  }

  answer(key: string): KeptAnswer | undefined {
    return this.#answers.get(key);
  }

  put(payment: Payment): Payment {
    this.#remember(payment);
    this.#unwritten.push({ kind: "payment", payment });
    return payment;
  }

  keepAnswer(answer: KeptAnswer): void {
    this.#keep(answer);
    this.#unwritten.push({ kind: "answer", answer });
  }

  advanced(byMs: number): void {
    this.#unwritten.push({ kind: "advanced", byMs });
  }

  /**
   * Writes all changes since the last call as one record. Throws a `Failure` when this fails, and from then on at each call: the changes
   * stay in memory and must not be revealed, and the file may end with a part of their record, so no record may follow.
   */
  commit(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#unwritten.length === 0) return;
    const changes = this.#unwritten;
    this.#unwritten = [];
    try {
      this.#file.append(changes);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** Returns the payments that are due. Searches the open payments only when one of them can be due. */
  due(nowMs: number): readonly Payment[] {
    if (nowMs < this.#nextDueMs) return [];
    const due: Payment[] = [];
    this.#nextDueMs = Number.POSITIVE_INFINITY;
    for (const id of this.#open) {
      const payment = this.#payments.get(id);
      if (payment === undefined) continue;
      const atMs = dueAtMs(payment);
      // The caller changes every due payment now. `put` then lowers `#nextDueMs` to the payment's next moment, if it is earlier.
      if (atMs <= nowMs) due.push(payment);
      else this.#nextDueMs = Math.min(this.#nextDueMs, atMs);
    }
    return due;
  }

  close(): void {
    this.#file.close();
  }

  #remember(payment: Payment): void {
    this.#payments.set(payment.id, payment);
    if (payment.orderId !== null) this.#byOrder.set(payment.orderId, payment.id);
    for (const { id } of payment.refunds) this.#byRefund.set(id, payment.id);
    const atMs = dueAtMs(payment);
    if (atMs === Number.POSITIVE_INFINITY) this.#open.delete(payment.id);
    else this.#open.add(payment.id);
    this.#nextDueMs = Math.min(this.#nextDueMs, atMs);
  }

  #keep(answer: KeptAnswer): void {
    this.#answers.delete(answer.key);
    this.#answers.set(answer.key, answer);
    if (this.#answers.size <= MAX_KEPT_ANSWERS) return;
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined) this.#answers.delete(oldest);
  }
}
