import type { Clock } from "../../kernel/clock.ts";
import { Rate, type RateLease, type RateSeen } from "./rate.ts";

/** Requests that wait for their turn; more are refused at once: whoever asks for so much has to slow down. */
const MAX_WAITING = 10_000;

interface Waiter {
  readonly weightClass: string;
  readonly go: (turn: Turn) => void;
}

/** Leave to send one request. Ends with `done`, told what the platform's headers said. */
export interface Turn {
  done(seen: RateSeen | undefined): void;
}

/** Whose turn it is: within the rate, and never more at once than the platform allows. In the order of asking. */
export class Turns {
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #waiting: Waiter[] = [];
  #parallel: number;
  #running = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, parallel: number) {
    this.#clock = clock;
    this.#rate = new Rate(clock);
    this.#parallel = parallel;
  }

  /** Resolves when a request of the class may leave; rejects when too many wait already. Whoever is aborted leaves the queue. */
  take(weightClass: string, signal: AbortSignal): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#waiting.length >= MAX_WAITING) return reject(new Error(`more than ${MAX_WAITING} requests wait for the platform`));
      const leave = () => {
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        weightClass,
        go: (turn) => {
          signal.removeEventListener("abort", leave);
          resolve(turn);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiter);
      this.#move();
    });
  }

  /** 1049: the platform named a time. */
  block(forMs: number): void {
    this.#rate.block(forMs);
  }

  /** 1073: one less at once, and never none. */
  narrow(): void {
    this.#parallel = Math.max(1, this.#parallel - 1);
  }

  #move(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || this.#running >= this.#parallel) return;
      const delayMs = this.#rate.delayMs(next.weightClass);
      if (delayMs > 0) {
        // An unlimited delay ends with an answer that is on its way.
        if (Number.isFinite(delayMs)) this.#cancelTimer = this.#clock.after(delayMs, () => this.#move());
        return;
      }
      this.#waiting.shift();
      this.#running += 1;
      next.go(this.#turn(this.#rate.lease(next.weightClass)));
    }
  }

  #turn(lease: RateLease): Turn {
    let over = false;
    return {
      done: (seen) => {
        if (over) return;
        over = true;
        this.#running -= 1;
        this.#rate.settle(lease, seen);
        this.#move();
      },
    };
  }
}
