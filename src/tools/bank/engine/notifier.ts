import { BoundedQueue } from "../../../kernel/bounded-queue.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/failure.ts";
import type { Log } from "../../../kernel/log.ts";
import type { Announcer } from "./announcer.ts";
import type { Notice } from "./payment.ts";

/** T-Bank waits ten seconds for the answer (qr-acquirers 4.5). The simulated YooKassa waits as long. */
const ANSWER_WITHIN_MS = 10_000;
/**
 * The largest number of notifications that are sent at the same time. Enough for a busy day, and far below a process's limit of sockets.
 */
const MAX_RUNNING = 50;
/**
 * The largest number of notifications that wait. Enough for 5,000 simultaneous payments with two notifications each. A notification beyond
 * this number is not sent in this try, but in its next try, if it has one.
 */
const MAX_WAITING = 10_000;
/** Longer answers are cut. The longest expected answer has two letters. */
const MAX_ANSWER_BYTES = 1_024;

interface Delivery {
  readonly paymentId: string;
  readonly notice: Notice;
}

interface NotifierParts {
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
  readonly announcer: Pick<Announcer, "isReceived">;
  readonly received: (paymentId: string, notice: number) => void;
}

/** Sends each given notification once and reports which notifications were received. The caller gives the other notifications again. */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #waiting = new BoundedQueue<Delivery>(MAX_WAITING);
  readonly #underWay = new Map<string, number>();
  readonly #settled = new Map<string, (() => void)[]>();
  readonly #closed = new AbortController();
  #running = 0;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  deliver(paymentId: string, notice: Notice): void {
    if (this.#closed.signal.aborted) return;
    if (!this.#waiting.offer({ paymentId, notice })) {
      this.#parts.log.warn({ paymentId, waiting: MAX_WAITING }, "too many notifications wait: this one is sent later");
      return;
    }
    this.#underWay.set(paymentId, (this.#underWay.get(paymentId) ?? 0) + 1);
    this.#runMore();
  }

  /** Resolves when no notification of the payment is waiting or running. */
  settled(paymentId: string): Promise<void> {
    if (!this.#underWay.has(paymentId)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settled.set(paymentId, [...(this.#settled.get(paymentId) ?? []), resolve]);
    });
  }

  close(): void {
    this.#closed.abort();
  }

  #runMore(): void {
    while (this.#running < MAX_RUNNING) {
      const delivery = this.#waiting.take();
      if (delivery === undefined) return;
      this.#running += 1;
      void this.#run(delivery);
    }
  }

  async #run({ paymentId, notice }: Delivery): Promise<void> {
    const outcome = await this.#post(notice);
    if (outcome !== "received") this.#parts.log.warn({ paymentId, url: notice.url, outcome }, "a notification did not arrive");
    // A closed bank writes nothing more. After the next start the notification is repeated.
    if (outcome === "received" && !this.#closed.signal.aborted) this.#parts.received(paymentId, notice.number);
    this.#running -= 1;
    this.#leave(paymentId);
    this.#runMore();
  }

  /** Returns "received", or the reason of the failure. */
  async #post({ url, body }: Notice): Promise<string> {
    const late = new AbortController();
    const cancel = this.#parts.clock.after(ANSWER_WITHIN_MS, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, this.#closed.signal]);
      const headers = { "content-type": "application/json" };
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
      const text = await beginningOf(response);
      return this.#parts.announcer.isReceived(response.status, text) ? "received" : `${response.status} ${text}`;
    } catch (error) {
      return late.signal.aborted ? `no answer within ${ANSWER_WITHIN_MS} ms` : messageOf(error);
    } finally {
      cancel();
    }
  }

  #leave(paymentId: string): void {
    const left = (this.#underWay.get(paymentId) ?? 1) - 1;
    if (left > 0) {
      this.#underWay.set(paymentId, left);
      return;
    }
    this.#underWay.delete(paymentId);
    for (const resolve of this.#settled.get(paymentId) ?? []) resolve();
    this.#settled.delete(paymentId);
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString("utf8");
}
