import { nextTurn } from "../../src/kernel/clock.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** After so many quiet turns of the event loop nothing is on its way any more, because both sockets are on this machine. */
const QUIET_TURNS = 12;

/**
 * A virtual clock for work that also waits for sockets of this process. It moves to the next due moment only when
 * nothing happens on the line any more, so that no wait ends too early.
 */
export class PatientClock extends VirtualClock {
  readonly #dueMs = new Set<{ atMs: number }>();
  #stirred = 0;

  /** Must be called when something has happened on the line. */
  readonly stir = (): void => {
    this.#stirred += 1;
  };

  override after(delayMs: number, callback: () => void): () => void {
    const due = { atMs: this.monotonicMs() + delayMs };
    this.#dueMs.add(due);
    const cancel = super.after(delayMs, () => {
      this.#dueMs.delete(due);
      callback();
    });
    return () => {
      this.#dueMs.delete(due);
      cancel();
    };
  }

  /** Lets time pass until the work is done, from one due moment to the next. */
  async finish<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    while (!ended) {
      await this.#quiet(() => ended);
      const nextMs = Math.min(...Array.from(this.#dueMs, ({ atMs }) => atMs));
      if (ended) break;
      if (!Number.isFinite(nextMs)) throw new Error("the work waits for nothing that time could bring");
      await this.advance(Math.max(0, nextMs - this.monotonicMs()));
    }
    return work;
  }

  async #quiet(enough: () => boolean): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS && !enough(); turns += 1) {
      const before = this.#stirred;
      await nextTurn();
      if (this.#stirred !== before) turns = 0;
    }
  }
}
