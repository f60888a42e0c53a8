import type { Clock } from "../../kernel/clock.ts";
import { Rate, type RateLease, type RateSeen } from "./rate.ts";

/** The maximum number of waiting requests. Further requests are refused immediately, so that their callers slow down. */
const MAX_WAITING = 10_000;
/**
 * After 1073 (too many parallel requests) one request fewer may run in parallel. After this time without another 1073, one request more may
 * run again.
 */
const WIDEN_AFTER_MS = 60_000;

interface Waiter {
  readonly weightClass: string;
  readonly go: (turn: Turn) => void;
}

/** The right to send one request. `done` ends it. */
export interface Turn {
  /** `seen`: what the answer's headers state; undefined without an answer. `blockMs`: how long the platform wants no request. */
  done(seen: RateSeen | undefined, blockMs?: number): void;
}

/**
 * Decides which request is sent: in order of arrival, but first the requests that the platform refused with 429. Keeps the rate and the
 * platform's limit of parallel requests.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #waiting: Waiter[] = [];
  readonly #widest: number;
  #parallel: number;
  #narrowedMs = 0;
  #running = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, parallel: number, rateHeeded = true) {
    this.#clock = clock;
    this.#rate = new Rate(clock, rateHeeded);
    this.#widest = parallel;
    this.#parallel = parallel;
  }

  /**
   * Resolves when a request of the class may be sent. Rejects when too many requests wait, and when the request is aborted. `again`: the
   * request was refused for now, so it goes first.
   */
  take(weightClass: string, signal: AbortSignal, again = false): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#waiting.length >= MAX_WAITING) return reject(new Error(`more than ${MAX_WAITING} requests wait for the platform`));
      const leave = () => {
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(signal.reason);
        this.#move();
      };
      const waiter: Waiter = {
        weightClass,
        go: (turn) => {
          signal.removeEventListener("abort", leave);
          resolve(turn);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      if (again) this.#waiting.unshift(waiter);
      else this.#waiting.push(waiter);
      this.#move();
    });
  }

  /** After 1073: one parallel request fewer, but at least one. */
  narrow(): void {
    this.#parallel = Math.max(1, this.#parallel - 1);
    this.#narrowedMs = this.#clock.monotonicMs();
  }

  #move(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#widen();
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || this.#running >= this.#parallel) return;
      const delayMs = this.#rate.delayMs(next.weightClass);
      if (delayMs > 0) {
        // An infinite delay needs no timer: it ends with the answer of a running request.
        if (Number.isFinite(delayMs)) this.#cancelTimer = this.#clock.after(delayMs, () => this.#move());
        return;
      }
      this.#waiting.shift();
      this.#running += 1;
      next.go(this.#turn(this.#rate.lease(next.weightClass)));
    }
  }

  #widen(): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#parallel >= this.#widest || nowMs < this.#narrowedMs + WIDEN_AFTER_MS) return;
    this.#parallel += 1;
    this.#narrowedMs = nowMs;
  }

  #turn(lease: RateLease): Turn {
    let over = false;
    return {
      done: (seen, blockMs) => {
        if (over) return;
        over = true;
        this.#running -= 1;
        this.#rate.settle(lease, seen);
        // Blocks before the next request is sent, which would be refused too.
        if (blockMs !== undefined) this.#rate.block(blockMs);
        this.#move();
      },
    };
  }
}
