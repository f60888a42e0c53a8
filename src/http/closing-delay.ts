import type { Clock } from "../kernel/clock.ts";

/** The maximum number of refused connections that close in one burst, and the time between two closings afterwards. */
const AT_ONCE = 50;
const EVERY_MS = 10;
/**
 * The longest delay before a refused connection is closed. It is closed earlier when a new connection needs its place. With a limit of two
 * seconds, thousands of refused callers would open as many new connections as the processor can accept.
 */
const MOST_MS = 10_000;

/**
 * Decides when to close a connection whose caller was refused. Many callers open a new connection as soon as the old connection closes.
 * Accepting the new connection costs more than leaving the old connection open for a while. A caller may close its connection at any time.
 */
export class ClosingDelay {
  readonly #clock: Clock;
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns how long the next refused connection stays open. */
  nextDelayMs(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#dueMs = Math.min(Math.max(this.#dueMs, nowMs - AT_ONCE * EVERY_MS) + EVERY_MS, nowMs + MOST_MS);
    return Math.max(0, this.#dueMs - nowMs);
  }
}
