import type { Clock } from "../../kernel/clock.ts";

/**
 * What an answer's headers state about the rate, in units: a request costs one or several. The headers may be wrong. Undefined: not stated.
 */
export interface RateSeen {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  readonly windowMs: number | undefined;
  /** 429: the request cost no units. */
  readonly refused: boolean;
}

/** The permission to send one request. It ends with the answer. */
export interface RateLease {
  readonly weightClass: string;
  readonly units: number;
  readonly window: number;
  readonly leftMs: number;
  /** True when this request left while no other request was running. */
  readonly alone: boolean;
  /** The lowest number of remaining units that the window's answers had stated when this request left. */
  readonly lastRemaining: number | undefined;
  /** The answered requests of the window when this request left, and the units of those requests. */
  readonly answered: number;
  readonly answeredUnits: number;
}

interface Weight {
  readonly units: number;
  /** True: the weight was measured between two answers. False: it is only the upper bound from a window's total. */
  readonly sure: boolean;
}

/** The window's length until the platform states it. The length has never changed (json-api 11.1). */
const DEFAULT_WINDOW_MS = 3_000;
/** The longest window that is believed. A longer window is a mistake and would stop all requests. */
export const MAX_WINDOW_MS = 60_000;
const MIN_WINDOW_MS = 1;
/** The largest limit that is believed, far above every real limit (json-api 11.1). */
const MAX_LIMIT = 1_000_000;
/** Added to the end of the window, because the clocks of platform and server run at slightly different speeds. */
const MARGIN_MS = 5;
/** After signs of other clients, the other clients are expected to use the limit for this many windows. */
const SHARED_FOR_WINDOWS = 3;

/**
 * Keeps the calls within the platform's request rate. Only headers state the rate (json-api 11.1, D23), and they do not state the units of
 * a request, so the units are learned. Before the first answer, and while the weight of a class is unknown, one request is sent at a time.
 * Then as many requests are sent as the window has units: the limit, minus this client's units, minus the known units of other clients.
 *
 * The platform's window begins when the platform counts a first request. That moment lies between the request's sending and its answer. So
 * the window has an earliest and a latest possible end. Between these two moments no request is sent, because its window would be unknown.
 *
 * Numbers that no limit can have are ignored. Whatever the headers state, they delay no request longer than `MAX_WINDOW_MS`.
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
  #window = 0;
  #firstSentMs: number | undefined;
  #firstSeenMs: number | undefined;
  #sentUnits = 0;
  #othersUnits = 0;
  #answered = 0;
  #answeredUnits = 0;
  #lastRemaining: number | undefined;
  readonly #classes = new Set<string>();

  /** `heeded`: whether the headers' remaining units count. False for a server that refuses nothing. */
  constructor(clock: Clock, heeded = true) {
    this.#clock = clock;
    this.#heeded = heeded;
  }

  /**
   * Milliseconds until a request of the class may be tried again. 0: it may be sent now; call `lease`. Infinity: it must wait for the
   * answer of a running request.
   */
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
   * The latest possible end of the window. An unanswered request may have begun the window at any time since it was sent. A request older
   * than two windows is ignored: at worst one more request is refused, and its answer states the wait.
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

  /** Call it with the answer of a request. `seen` is undefined when no answer will come. */
  settle(lease: RateLease, seen: RateSeen | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    this.#running -= 1;
    this.#runningUnits -= lease.units;
    // The answer may be slow for other reasons, so a quarter of a window is the longest believed time of a request's way to the platform.
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

  /** Stops all requests for this time, which the platform has stated with a 429. Begins a new window. */
  block(forMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, this.#clock.monotonicMs() + forMs + MARGIN_MS);
    this.#begin();
  }

  /**
   * Learns the weight of a class: the units of each of its requests. The weight is known when this client sent no other request between two
   * answers. The weight is then the difference of the answers' remaining units. A window in which only one class was sent shows an upper
   * bound: the used units, divided by the answered requests. Other clients can only make the weight look larger.
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
   * Counts the units of other clients: at least the answer's used units minus all units of this client. While other clients are active, a
   * unit counts as theirs unless this client has certainly used it.
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

  /** Called when more units remain than before: another client has begun a new window at the platform. */
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
