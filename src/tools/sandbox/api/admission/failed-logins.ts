import type { Clock } from "../../../../kernel/clock.ts";

/** How often a login may fail before it is refused for a while, even with the right password (json-api 3: 1048). */
export const MAX_FAILURES = 20;
export const FAILURE_WINDOW_MS = 60_000;
/**
 * The number of failed names that are remembered. A bound is needed, because a client that guesses names would fill the
 * memory.
 */
const MAX_NAMES = 10_000;

/** Counts failed logins by the tried name, or by the text when it has no form of a login. */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #failures = new Map<string, { untilMs: number; count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  locked(name: string): boolean {
    return (this.#current(name)?.count ?? 0) >= MAX_FAILURES;
  }

  failed(name: string): void {
    const current = this.#current(name);
    if (current !== undefined) {
      current.count += 1;
      return;
    }
    if (this.#failures.size >= MAX_NAMES) this.#failures.clear();
    this.#failures.set(name, { untilMs: this.#clock.monotonicMs() + FAILURE_WINDOW_MS, count: 1 });
  }

  succeeded(name: string): void {
    this.#failures.delete(name);
  }

  #current(name: string): { count: number } | undefined {
    const found = this.#failures.get(name);
    if (found === undefined || this.#clock.monotonicMs() < found.untilMs) return found;
    this.#failures.delete(name);
    return undefined;
  }
}
