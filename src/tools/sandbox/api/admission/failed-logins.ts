import type { Clock } from "../../../../kernel/clock.ts";

/** After this many failures a login is locked for a while, even for the right password (json-api 3: 1048). */
export const MAX_FAILURES = 20;
export const FAILURE_WINDOW_MS = 60_000;
/**
 * The maximum number of names with failures in memory. One more name clears them all, so a client that guesses names cannot fill the
 * memory.
 */
const MAX_NAMES = 10_000;

/** Counts failed logins by login name, or by the digest of the token or of an unknown header. */
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
