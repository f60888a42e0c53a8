import type { Clock } from "../../kernel/clock.ts";

/** The limit as the headers of an answer state it; it may be wrong. Undefined: the headers do not state the value. */
export interface RateSeen {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  readonly windowMs: number | undefined;
  /** 429: the request exceeded the limit and cost no units. */
  readonly refused: boolean;
}

/** A request that was allowed to be sent, until its answer has come. */
export interface RateLease {
  readonly weightClass: string;
  readonly units: number;
  readonly window: number;
  readonly leftMs: number;
  /** Whether no other request was under way when this request left. */
  readonly alone: boolean;
  /** The remaining units by the newest answer of the window, at the time when the request left. */
  readonly lastRemaining: number | undefined;
  /** Number of answered requests of the window when this request left, and their units. */
  readonly answered: number;
  readonly answeredUnits: number;
}

interface Weight {
  readonly units: number;
  /** True when the weight was measured between two answers. False when a window's total only bounded it. */
  readonly sure: boolean;
}

/** The window's length before the platform has named it. It has never changed (json-api 11.1). */
const DEFAULT_WINDOW_MS = 3_000;
/** Longest window that is believed. A longer window is a mistake, and would stop all requests for that time. */
export const MAX_WINDOW_MS = 60_000;
const MIN_WINDOW_MS = 1;
/** The largest limit that is believed, far above every real limit (json-api 11.1). */
const MAX_LIMIT = 1_000_000;
/** Added to the end of the window, because the platform's clock and this server's clock differ a little in speed. */
const MARGIN_MS = 5;
/** For how many windows other clients are expected to keep using the limit. */
const SHARED_FOR_WINDOWS = 3;

/**
 * Keeps the calls within the platform's request rate. The rate is known from headers alone (reference 11.1, D23). The headers do not state
 * how many units a request costs, so this is learned. Before the first answer, and while the weight of a class is unknown, only one request
 * is sent at a time. After that, as many requests are sent as the window has units: the limit, minus the units of this client, minus the
 * units of other clients as far as the answers show them.
 *
 * The platform's window begins when the platform counts a first request. That moment lies between the sending of the request and the
 * arrival of its answer. So the window has an earliest and a latest possible end. Between these two times no request is sent, because it
 * would be unknown in which window the request is counted.
 *
 * Numbers that no limit can have are ignored. Whatever the headers state, no request waits longer than `MAX_WINDOW_MS` because of them.
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
  /** The known facts about the current window. */
  #window = 0;
  #firstSentMs: number | undefined;
  #firstSeenMs: number | undefined;
  #sentUnits = 0;
  #othersUnits = 0;
  #answered = 0;
  #answeredUnits = 0;
  #lastRemaining: number | undefined;
  readonly #classes = new Set<string>();

  /** `heeded`: whether the remaining units in the headers count. False for a server that refuses nothing. */
  constructor(clock: Clock, heeded = true) {
    this.#clock = clock;
    this.#heeded = heeded;
  }

  /** Milliseconds until a request of the class may be tried again. 0: the request may be sent now; call `lease`. */
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
   * When the window has certainly ended. A request without an answer may have begun the window at any time since it was sent. A request
   * that takes longer than two windows is ignored: at worst one more request is refused, and its answer says when to come again.
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

  /** Call this with the answer of a request. `seen` is undefined when no answer will come. */
  settle(lease: RateLease, seen: RateSeen | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    this.#running -= 1;
    this.#runningUnits -= lease.units;
    // A very slow answer says nothing about the time that a request needs to reach the platform.
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

  /** Stops all requests for this time, after 1049 with a time. The window has then ended. */
  block(forMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, this.#clock.monotonicMs() + forMs + MARGIN_MS);
    this.#begin();
  }

  /**
   * Learns the weight of a class. Two answers with no request between them show the weight. A window with requests of one class only shows
   * an upper bound: the used units, divided by the number of answered requests. Other clients with the same limit can only make the weight
   * seem larger.
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

  /**
   * Counts the units that other clients have used: at least the used units of the answer, minus all units of this client. While other
   * clients are active, a unit counts as used by them unless this client has certainly used it.
   */
  #count({ units }: RateLease, spent: number, { refused, answeredUnits }: { refused: boolean; answeredUnits: number }): void {
    const cost = refused ? 0 : units;
    if (!refused) this.#answered += 1;
    this.#answeredUnits += cost;
    const least = spent - this.#sentUnits;
    if (least > 0) this.#sharedUntilWindow = this.#window + SHARED_FOR_WINDOWS;
    const most = spent - answeredUnits - cost;
    this.#othersUnits = Math.max(this.#othersUnits, this.#window <= this.#sharedUntilWindow ? most : least);
  }

  /** More units remain than before: another client has begun a new window in the middle of this window. */
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
