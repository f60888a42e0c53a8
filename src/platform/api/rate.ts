import type { Clock } from "../../kernel/clock.ts";

/** What an answer's headers said of the limit, true or not; undefined: they said nothing. */
export interface RateSeen {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  readonly windowMs: number | undefined;
  /** 429: the request was counted out, and cost nothing. */
  readonly refused: boolean;
}

/** A request that was let through, until its answer is there. */
export interface RateLease {
  readonly weightClass: string;
  readonly units: number;
  readonly window: number;
  readonly leftMs: number;
  /** Whether nothing else was on its way when it left. */
  readonly alone: boolean;
  /** What the newest answer of its window had left, when it left. */
  readonly lastRemaining: number | undefined;
  /** Requests of its window that had been answered when it left, and their units. */
  readonly answered: number;
  readonly answeredUnits: number;
}

interface Weight {
  readonly units: number;
  /** Measured between two answers, and not only bounded by what a window had lost. */
  readonly sure: boolean;
}

/** Before the platform has said how long its window is; it has not changed since it exists (11.1). */
const DEFAULT_WINDOW_MS = 3_000;
/** No platform's window is longer: a number that says more is a mistake, and would silence us for as long. */
export const MAX_WINDOW_MS = 60_000;
const MIN_WINDOW_MS = 1;
/** Far above every limit that there is (11.1). */
const MAX_LIMIT = 1_000_000;
/** A little later than the window's end: both clocks run, but not alike. */
const MARGIN_MS = 5;
/** Windows for which somebody else is expected to go on using the limit. */
const SHARED_FOR_WINDOWS = 3;

/**
 * Keeps within the platform's request rate, led by its headers alone (reference 11.1, D23; the units of a request are not told,
 * so they are learned). Before the first answer, and until a class's weight is known, one request at a time. Then as many as the
 * window has units left: the limit without what we have sent, and without what an answer shows that others have used.
 *
 * The platform's window begins when it counts a first request, which is between our sending and our reading of one. Around both
 * possible ends nothing leaves: such a request would be counted in a window that we do not know.
 *
 * Numbers that no limit can have are passed over. Whatever headers say, nobody waits for longer than `MAX_WINDOW_MS` for them.
 */
export class Rate {
  readonly #clock: Clock;
  readonly #heeded: boolean;
  readonly #weights = new Map<string, Weight>();
  #limit: number | undefined;
  #windowMs = DEFAULT_WINDOW_MS;
  #latencyMs = 0;
  #running = 0;
  #runningUnits = 0;
  #blockedUntilMs = 0;
  #sharedUntilWindow = -1;
  /** The window as far as it is known. */
  #window = 0;
  #firstSentMs: number | undefined;
  #firstSeenMs: number | undefined;
  #sentUnits = 0;
  #othersUnits = 0;
  #answered = 0;
  #answeredUnits = 0;
  #lastRemaining: number | undefined;
  readonly #classes = new Set<string>();

  /** `heeded` false: what the headers have left is not looked at, as where nothing is refused. */
  constructor(clock: Clock, heeded = true) {
    this.#clock = clock;
    this.#heeded = heeded;
  }

  /** Milliseconds until a request of the class may be tried again; 0: it may leave now (take it with `lease`). */
  delayMs(weightClass: string): number {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#blockedUntilMs) return this.#blockedUntilMs - nowMs;
    if (!this.#heeded) return 0;
    const endsMs = this.#endsMs;
    if (nowMs >= endsMs) this.#begin();
    const weight = this.#weights.get(weightClass);
    const unsure = this.#limit === undefined || weight?.sure !== true;
    if (unsure && this.#running > 0) return Number.POSITIVE_INFINITY;
    if (this.#limit === undefined || this.#firstSentMs === undefined) return 0;
    const left = this.#limit - this.#sentUnits - this.#othersUnits;
    const enough = weight === undefined ? left * 2 >= this.#limit : left >= weight.units;
    const nearItsEnd = nowMs >= this.#firstSentMs + this.#windowMs - this.#latencyMs;
    return enough && !nearItsEnd ? 0 : Math.max(1, endsMs - nowMs);
  }

  /**
   * When the window is over for certain. A request without an answer may have begun it at any time since it left; one that takes
   * longer than two windows holds up nobody any more: at worst one is refused and told when to come again.
   */
  get #endsMs(): number {
    if (this.#firstSeenMs !== undefined) return this.#firstSeenMs + this.#windowMs + MARGIN_MS;
    return this.#firstSentMs === undefined ? Number.POSITIVE_INFINITY : this.#firstSentMs + Math.min(2 * this.#windowMs, MAX_WINDOW_MS);
  }

  lease(weightClass: string): RateLease {
    const units = this.#weights.get(weightClass)?.units ?? 1;
    const lease: RateLease = {
      weightClass,
      units,
      window: this.#window,
      leftMs: this.#clock.monotonicMs(),
      alone: this.#running === 0,
      lastRemaining: this.#lastRemaining,
      answered: this.#answered,
      answeredUnits: this.#answeredUnits,
    };
    this.#running += 1;
    this.#runningUnits += units;
    this.#sentUnits += units;
    this.#classes.add(weightClass);
    this.#firstSentMs ??= lease.leftMs;
    return lease;
  }

  /** The answer is there (or will not come: `seen` undefined). */
  settle(lease: RateLease, seen: RateSeen | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    this.#running -= 1;
    this.#runningUnits -= lease.units;
    // What takes very long says nothing of the way to the platform.
    this.#latencyMs = Math.min(Math.max(nowMs - lease.leftMs, this.#latencyMs * 0.99), this.#windowMs / 4);
    const current = lease.window === this.#window;
    if (current) this.#firstSeenMs ??= nowMs;
    if (seen === undefined) return;
    const { limit, remaining, windowMs, refused } = seen;
    if (!isUnits(limit) || limit === 0 || !isUnits(remaining) || remaining > limit) return;
    if (isWindow(windowMs)) this.#windowMs = windowMs;
    this.#limit = limit;
    if (!current) return;
    const turned = lease.lastRemaining !== undefined && remaining > lease.lastRemaining;
    if (turned) this.#turnOver(lease, nowMs);
    else if (!refused) this.#learn(lease, limit, remaining);
    if (refused) this.#sentUnits -= lease.units;
    this.#count(lease, limit - remaining, { refused, answeredUnits: turned ? 0 : lease.answeredUnits });
    this.#lastRemaining = Math.min(this.#lastRemaining ?? remaining, remaining);
  }

  /** 1049 as told: nothing leaves for that long; the window is over then. */
  block(forMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, this.#clock.monotonicMs() + forMs + MARGIN_MS);
    this.#begin();
  }

  /**
   * Between two answers with nothing else on the way lies the weight. A window that has lost S units with N answered requests of
   * one class bounds it too: others who share the limit make it only seem more.
   */
  #learn(lease: RateLease, limit: number, remaining: number): void {
    const known = this.#weights.get(lease.weightClass);
    const measured = lease.alone && lease.lastRemaining !== undefined ? Math.max(1, lease.lastRemaining - remaining) : undefined;
    const bound = this.#classes.size === 1 ? Math.floor((limit - remaining) / (lease.answered + 1)) : 0;
    let units = known?.units ?? Math.max(1, limit - remaining);
    if (measured !== undefined) units = known?.sure === true ? Math.min(units, measured) : measured;
    if (bound >= 1) units = Math.min(units, bound);
    this.#weights.set(lease.weightClass, { units, sure: known?.sure === true || measured !== undefined });
    if (known?.sure !== true) this.#sentUnits += units - lease.units;
  }

  /** What others have used: at least what the answer shows above all that we have sent; with others about, in doubt all of it. */
  #count({ units }: RateLease, spent: number, { refused, answeredUnits }: { refused: boolean; answeredUnits: number }): void {
    const cost = refused ? 0 : units;
    if (!refused) this.#answered += 1;
    this.#answeredUnits += cost;
    const least = spent - this.#sentUnits;
    if (least > 0) this.#sharedUntilWindow = this.#window + SHARED_FOR_WINDOWS;
    const most = spent - answeredUnits - cost;
    this.#othersUnits = Math.max(this.#othersUnits, this.#window <= this.#sharedUntilWindow ? most : least);
  }

  /** More is left than before: somebody else has begun a new window in the middle of ours. */
  #turnOver(lease: RateLease, nowMs: number): void {
    this.#begin();
    this.#sharedUntilWindow = this.#window + SHARED_FOR_WINDOWS;
    this.#firstSentMs = lease.leftMs;
    this.#firstSeenMs = nowMs;
    this.#sentUnits = lease.units + this.#runningUnits;
  }

  #begin(): void {
    this.#window += 1;
    this.#firstSentMs = undefined;
    this.#firstSeenMs = undefined;
    this.#sentUnits = 0;
    this.#othersUnits = 0;
    this.#answered = 0;
    this.#answeredUnits = 0;
    this.#lastRemaining = undefined;
    this.#classes.clear();
  }
}

function isUnits(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= MAX_LIMIT;
}

function isWindow(value: number | undefined): value is number {
  return value !== undefined && value >= MIN_WINDOW_MS && value <= MAX_WINDOW_MS;
}
