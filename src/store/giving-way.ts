import { type Clock, pause } from "../kernel/clock.ts";

/** After holding the lock for so long, in one commit or in many, a command leaves it to others. */
const HELD_AT_ONCE_MS = 100;
/** How long the lock is then free. Longer than a server waits between two attempts to get it (retry.ts). */
const GIVE_WAY_MS = 100;

/**
 * Leaves gaps between the commits of a command that runs beside a server. SQLite's write lock has no queue: whoever commits again at once
 * gets it again, and the server, which only tries now and then, would refuse its tills for as long as an import takes.
 */
export class GivingWay {
  readonly #clock: Clock;
  #heldMs = 0;
  #freeFromMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a commit, after a pause if it is time for one. */
  async commit<T>(work: () => Promise<T>): Promise<T> {
    const restMs = this.#freeFromMs + GIVE_WAY_MS - this.#clock.monotonicMs();
    if (restMs > 0 && this.#heldMs >= HELD_AT_ONCE_MS) await pause(this.#clock, restMs);
    if (restMs <= 0 || this.#heldMs >= HELD_AT_ONCE_MS) this.#heldMs = 0;
    const sinceMs = this.#clock.monotonicMs();
    try {
      return await work();
    } finally {
      this.#freeFromMs = this.#clock.monotonicMs();
      this.#heldMs += this.#freeFromMs - sinceMs;
    }
  }
}
