import type { KeptAnswer } from "./kept-answer.ts";
import type { Change, LedgerFile } from "./ledger-file.ts";
import { dueAtMs, type Payment } from "./payment.ts";

/**
 * The largest number of payments: as many as a shop has in some months. They take about 100 MB of memory. A full bank refuses new payments
 * and forgets no payment.
 */
const MAX_PAYMENTS = 100_000;
/**
 * The largest number of kept answers. It equals the number of payments, because each request for a payment or a refund has its own key. The
 * oldest answers are forgotten.
 */
const MAX_KEPT_ANSWERS = 100_000;

/** Payments and kept answers, in memory and in the file. Nobody may be told of a change before `commit` has written it. */
export class Ledger {
  readonly seed: number;
  readonly #file: LedgerFile;
  readonly #payments = new Map<string, Payment>();
  readonly #byOrder = new Map<string, string>();
  readonly #byRefund = new Map<string, string>();
  readonly #answers = new Map<string, KeptAnswer>();
  /** Ids of the payments that will change without a request. */
  readonly #open = new Set<string>();
  #unwritten: Change[] = [];
  /** Nothing falls due before this moment. */
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

  /** In the order of creation. */
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

  /** Writes all changes since the last call as one record. Throws a `Failure` when they cannot be written. */
  commit(): void {
    if (this.#unwritten.length === 0) return;
    const changes = this.#unwritten;
    this.#unwritten = [];
    this.#file.append(changes);
  }

  /** The payments at which something is due now. The open payments are searched only when one of them can be due. */
  due(nowMs: number): readonly Payment[] {
    if (nowMs < this.#nextDueMs) return [];
    const due: Payment[] = [];
    this.#nextDueMs = Number.POSITIVE_INFINITY;
    for (const id of this.#open) {
      const payment = this.#payments.get(id);
      if (payment === undefined) continue;
      const atMs = dueAtMs(payment);
      // A due payment changes now. `put` then counts its next due moment.
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
