import type { Clock } from "../../kernel/clock.ts";

/** What the platform said of its limit with one answer; undefined: it said nothing. */
export interface RateSeen {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  readonly windowMs: number | undefined;
}

/** A request that was let through, until its answer is there. */
export interface RateLease {
  readonly weightClass: string;
  readonly window: number;
  /** Whether nothing else was on its way when it left. */
  alone: boolean;
  /** What was left before it, by the last answer. */
  readonly before: number | undefined;
}

/** Before the platform has said how long its window is; it has not changed since it exists (11.1). */
const DEFAULT_WINDOW_MS = 3_000;
/** A little later than the window's end: both clocks run, but not alike. */
const MARGIN_MS = 5;

/**
 * Keeps within the platform's request rate, led by its headers alone (reference 11.1, D23; the units of a request are not told, so
 * they are learned). States: *unknown*, before the first answer: one request at a time. *Open*: as many as the window has units left,
 * counted down by the weights learned. *Spent*: nothing until the window is over, counted from the first answer seen in it, so that it is
 * over for the platform too. An answer that shows less than counted (somebody else shares the limit) is believed.
 */
export class Rate {
  readonly #clock: Clock;
  readonly #weights = new Map<string, number>();
  #limit: number | undefined;
  #windowMs = DEFAULT_WINDOW_MS;
  /** Number of the window, when its first answer came, and what is left of it. */
  #window = 0;
  #beganMs: number | undefined;
  #left: number | undefined;
  #running = 0;
  #blockedUntilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until a request of the class may be tried again; 0: it may leave now (take it with `lease`). */
  delayMs(weightClass: string): number {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#blockedUntilMs) return this.#blockedUntilMs - nowMs;
    this.#renew(nowMs);
    if (this.#limit === undefined || this.#left === undefined) return this.#running === 0 ? 0 : Number.POSITIVE_INFINITY;
    const weight = this.#weights.get(weightClass);
    // An unknown weight is learned by a request that is alone.
    if (weight === undefined) return this.#running === 0 ? 0 : Number.POSITIVE_INFINITY;
    if (this.#left >= weight) return 0;
    return this.#beganMs === undefined ? Number.POSITIVE_INFINITY : Math.max(1, this.#beganMs + this.#windowMs + MARGIN_MS - nowMs);
  }

  lease(weightClass: string): RateLease {
    const lease = { weightClass, window: this.#window, alone: this.#running === 0, before: this.#left };
    this.#running += 1;
    if (this.#left !== undefined) this.#left -= this.#weights.get(weightClass) ?? 0;
    return lease;
  }

  /** The answer is there (or will not come: `seen` undefined). */
  settle(lease: RateLease, seen: RateSeen | undefined): void {
    this.#running -= 1;
    if (seen?.limit === undefined || seen.remaining === undefined) return;
    this.#windowMs = seen.windowMs ?? this.#windowMs;
    this.#learn(lease, seen.limit, seen.remaining);
    this.#limit = seen.limit;
    if (lease.window !== this.#window) return;
    this.#beganMs ??= this.#clock.monotonicMs();
    this.#left = Math.min(this.#left ?? seen.limit, seen.remaining);
  }

  /** 1049 as told: nothing leaves for that long; the window is over then. */
  block(forMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + forMs + MARGIN_MS);
    if (this.#limit !== undefined) this.#begin();
  }

  /** What went in the window after a request that was alone is its weight; others who share the limit make it seem more, so the least counts. */
  #learn({ alone, before, weightClass }: RateLease, limit: number, remaining: number): void {
    if (!alone) return;
    const spent = (before ?? limit) - remaining;
    const known = this.#weights.get(weightClass);
    if (spent > 0) this.#weights.set(weightClass, Math.min(known ?? spent, spent));
    else if (known === undefined) this.#weights.set(weightClass, 1);
  }

  #renew(nowMs: number): void {
    if (this.#beganMs !== undefined && nowMs >= this.#beganMs + this.#windowMs + MARGIN_MS) this.#begin();
  }

  #begin(): void {
    this.#window += 1;
    this.#beganMs = undefined;
    this.#left = this.#limit;
  }
}
