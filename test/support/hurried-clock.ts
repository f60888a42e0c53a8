import { type Clock, systemClock } from "../../src/kernel/clock.ts";

/** By so much an order to end is shorter than in the shop: its 300 ms for late requests (`http/server`) are 3. */
const TIMES_FASTER = 100;

/** The system's clock until the test is over. From then on delays are a fraction of what was asked for, so that no end is waited for. */
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

  /** The test has seen everything; what begins from now on hurries. */
  hurry(): void {
    this.#over = true;
  }
}
