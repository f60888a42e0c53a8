import { type Clock, systemClock } from "../../src/kernel/clock.ts";

/** After `hurry` waits are so many times shorter: the 300 ms for late requests (`http/server`) are 3 ms. */
const TIMES_FASTER = 100;

/**
 * The system's clock until the end of a test. From then on delays are a fraction of what was asked for, so that the server closes at once.
 */
export class HurriedClock implements Clock {
  #over = false;

  nowMs(): number {
    return systemClock.nowMs();
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  after(delayMs: number, callback: () => void): () => void {
    return systemClock.after(this.#over ? delayMs / TIMES_FASTER : delayMs, callback);
  }

  /** Called when the test has seen everything. Delays that begin later are short. */
  hurry(): void {
    this.#over = true;
  }
}
