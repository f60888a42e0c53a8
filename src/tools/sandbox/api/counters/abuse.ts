import type { Clock } from "../../../../kernel/clock.ts";

/** For what the platform switches an account's access off (reference 11.2, last row): more than so many a minute. */
const LIMITS = { identicalFailures: 200, tooManyRequests: 200, putsOfOneObject: 100 } as const;
type Abuse = keyof typeof LIMITS;

const MINUTE_MS = 60_000;
/** It looks back so far. */
const LOOK_BACK_MS = 60 * MINUTE_MS;
/** Different keys that are counted within one minute. */
const MAX_KEYS = 10_000;

interface Breach {
  readonly abuse: Abuse;
  readonly what: string;
  readonly minuteMs: number;
}

/** Counts what would get an account switched off. The sandbox only tells (D38). */
export class AbuseCounters {
  readonly #clock: Clock;
  #minuteMs = 0;
  #counts = new Map<string, number>();
  #breaches: Breach[] = [];
  #highest: Record<Abuse, number> = { identicalFailures: 0, tooManyRequests: 0, putsOfOneObject: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one more of the kind; returns true when it is the first above the limit in this minute. */
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

  /** The highest count of a minute so far, and what went above its limit within the last hour. */
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
