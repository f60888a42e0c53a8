import { type Clock, pause } from "../kernel/clock.ts";

/** After holding the lock for this time, in one commit or several, a command leaves it free for a while. */
const HELD_AT_ONCE_MS = 100;
/** How long a command leaves the lock free: longer than a server's pause between two tries (retry.ts). */
const GIVE_WAY_MS = 100;

/**
 * Pauses between the commits of a command that runs beside a server. SQLite's write lock has no queue: the first process that asks gets it.
 * A command that commits again immediately would always be the first, and the server would refuse its tills until the command ends.
 */
export class GivingWay {
  readonly #clock: Clock;
  #heldMs = 0;
  #freeFromMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a commit, after a pause if one is due. */
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
