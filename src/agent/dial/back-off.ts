import type { Chance } from "../../kernel/clock.ts";

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** A connection that was ready for at least this long resets the back-off. */
const GOOD_AFTER_MS = 60_000;
/** The longest pause that the agent makes on request of a server. A longer requested pause is shortened to this pause. */
const LONGEST_ASKED_MS = 600_000;
const CHANCE_BYTES = 4;

/**
 * Pauses between attempts to connect. Each pause is random below a limit. The limit begins at 0.5 s and doubles after each attempt, up to
 * 30 s. So the agents of a restarted server do not all return at the same moment.
 */
export class BackOff {
  readonly #chance: Chance;
  #limitMs = FIRST_MS;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  lived(durationMs: number): void {
    if (durationMs >= GOOD_AFTER_MS) this.#limitMs = FIRST_MS;
  }

  /**
   * Returns the pause before the next attempt. `askedMs`: the pause that the server asks for. It is added, but not more than
   * `LONGEST_ASKED_MS` of it.
   */
  nextMs(askedMs = 0): number {
    const limitMs = this.#limitMs;
    this.#limitMs = Math.min(LONGEST_MS, 2 * limitMs);
    const share = this.#chance.bytes(CHANCE_BYTES).readUInt32BE() / 2 ** (8 * CHANCE_BYTES);
    return Math.min(askedMs, LONGEST_ASKED_MS) + Math.floor(share * limitMs);
  }
}
