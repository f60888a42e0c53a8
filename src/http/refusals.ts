import type { Clock } from "../kernel/clock.ts";

/** Refused connections that are closed at once, one after the other, and how soon another may follow then. */
const AT_ONCE = 50;
const EVERY_MS = 10;
/** A refused connection holds its place no longer: until then it is the first that gives way. */
const MOST_MS = 2_000;

/**
 * When a connection is closed whose caller has its refusal: many callers open a new one as soon as they see that, and to take it
 * costs more than to leave the refused one open for a while. A caller that closes it itself is not held up.
 */
export class Refusals {
  readonly #clock: Clock;
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the next one stays open. */
  nextDelayMs(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#dueMs = Math.min(Math.max(this.#dueMs, nowMs - AT_ONCE * EVERY_MS) + EVERY_MS, nowMs + MOST_MS);
    return Math.max(0, this.#dueMs - nowMs);
  }
}
