import type { Clock } from "../../../../kernel/clock.ts";
import type { Caller } from "../../call/call.ts";
import type { SandboxSettings } from "../../settings.ts";

/** Units per window (json-api 11.1). */
export const RATE_UNITS = 45;
/** Length of a window (json-api D23). A window begins with the first request after the previous window. */
export const RATE_WINDOW_MS = 3_000;
/** The units that a costly report costs, the same for every caller (json-api 11.1). */
const REPORT_UNITS = 5;
const COSTLY_REPORTS = new Set(["report/stock/all", "report/stock/bystore"]);

export interface RateTaken {
  readonly refused: boolean;
  readonly remaining: number;
  readonly windowEndsInMs: number;
}

/** The state before the units of a request are counted. A request that is refused before the count costs no units. */
export const UNTOUCHED: RateTaken = { refused: false, remaining: RATE_UNITS, windowEndsInMs: 0 };

/** Counts units for each user and each solution. A refused request costs nothing. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #windows = new Map<string, { endsMs: number; used: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(key: string, units: number): RateTaken {
    const nowMs = this.#clock.monotonicMs();
    let window = this.#windows.get(key);
    if (window === undefined || nowMs >= window.endsMs) {
      window = { endsMs: nowMs + RATE_WINDOW_MS, used: 0 };
      this.#windows.set(key, window);
    }
    const refused = window.used + units > RATE_UNITS;
    if (!refused) window.used += units;
    return { refused, remaining: RATE_UNITS - window.used, windowEndsInMs: Math.ceil(window.endsMs - nowMs) };
  }
}

/** Returns the key of a window. All requests of one user or one solution share it. */
export function limitKey(caller: Caller): string {
  return caller.kind === "user" ? `user/${caller.login}` : `solution/${caller.appId}`;
}

export function weightOf(caller: Caller, method: string, path: string, settings: SandboxSettings): number {
  if (method === "GET" && COSTLY_REPORTS.has(path)) return REPORT_UNITS;
  return caller.kind === "user" ? settings.userWeight : settings.solutionWeight;
}
