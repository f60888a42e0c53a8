import type { Clock } from "../../../../kernel/clock.ts";

/** Limits per minute. Above them, the platform blocks the account (json-api 11.2, last row). */
const LIMITS = { identicalFailures: 200, tooManyRequests: 200, putsOfOneObject: 100 } as const;
type Abuse = keyof typeof LIMITS;

const MINUTE_MS = 60_000;
/** How long the report shows a count above the limit. */
const LOOK_BACK_MS = 60 * MINUTE_MS;
/** The maximum number of keys counted in one minute. After so many keys, the next request resets all counts, so memory stays bounded. */
const MAX_KEYS = 10_000;

interface Breach {
  readonly abuse: Abuse;
  readonly what: string;
  readonly minuteMs: number;
}

/** Counts the requests that would make the platform block an account. The sandbox only reports them (json-api D38). */
export class AbuseCounters {
  readonly #clock: Clock;
  #minuteMs = 0;
  #counts = new Map<string, number>();
  #breaches: Breach[] = [];
  #highest: Record<Abuse, number> = { identicalFailures: 0, tooManyRequests: 0, putsOfOneObject: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a request of the kind `abuse`, separately for each `what`. Returns true when the count first exceeds the limit in this minute.
   */
  count(abuse: Abuse, what: string): boolean {
    const minuteMs = Math.floor(this.#clock.nowMs() / MINUTE_MS) * MINUTE_MS;
    if (minuteMs !== this.#minuteMs || this.#counts.size >= MAX_KEYS) this.#counts.clear();
    this.#minuteMs = minuteMs;
    const key = `${abuse} ${what}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    this.#highest[abuse] = Math.max(this.#highest[abuse], count);
    if (count !== LIMITS[abuse] + 1) return false;
    this.#breaches.push({ abuse, what, minuteMs });
    return true;
  }

  /** Returns the limits, the highest count of a minute for each kind, and the last hour's counts above the limits. */
  told(): object {
    const since = this.#clock.nowMs() - LOOK_BACK_MS;
    this.#breaches = this.#breaches.filter(({ minuteMs }) => minuteMs >= since);
    return {
      limitsPerMinute: LIMITS,
      highestPerMinute: { ...this.#highest },
      aboveLimitInLastHour: this.#breaches.map(({ abuse, what, minuteMs }) => ({ abuse, what, minute: new Date(minuteMs).toISOString() })),
    };
  }
}
