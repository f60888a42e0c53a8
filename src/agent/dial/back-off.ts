import type { Chance } from "../../kernel/clock.ts";

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** A connection that has lived this long shows that the server can be reached again. */
const GOOD_AFTER_MS = 60_000;
/** The longest pause that a server can ask for. */
const LONGEST_ASKED_MS = 600_000;
const CHANCE_BYTES = 4;

/**
 * Pauses between tries. A limit doubles from 0.5 s to 30 s, and each pause is random below the limit. So the agents of a restarted server
 * do not come back all at once.
 */
export class BackOff {
  readonly #chance: Chance;
  #limitMs = FIRST_MS;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Tells how long a connection has lived. */
  lived(durationMs: number): void {
    if (durationMs >= GOOD_AFTER_MS) this.#limitMs = FIRST_MS;
  }

  /** Returns the pause before the next try. `askedMs`: the shortest pause that the server permits. */
  nextMs(askedMs = 0): number {
    const limitMs = this.#limitMs;
    this.#limitMs = Math.min(LONGEST_MS, 2 * limitMs);
    const share = this.#chance.bytes(CHANCE_BYTES).readUInt32BE() / 2 ** (8 * CHANCE_BYTES);
    return Math.min(askedMs, LONGEST_ASKED_MS) + Math.floor(share * limitMs);
  }
}
