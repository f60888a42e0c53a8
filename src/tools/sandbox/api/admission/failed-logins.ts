import type { Clock } from "../../../../kernel/clock.ts";

/** How often one login may fail before it is refused for a while, right password or not (reference 3: 1048). */
export const MAX_FAILURES = 20;
export const FAILURE_WINDOW_MS = 60_000;
/** Names that failed and are remembered at a time: somebody who guesses names must not fill the memory. */
const MAX_NAMES = 10_000;

/** Counts failed logins by the name that was tried, or by the text that was no login at all. */
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
