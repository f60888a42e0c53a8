import { type Clock, nextTurn } from "../kernel/clock.ts";
import { OrderedObjects } from "./ordered-objects.ts";

/**
 * The standing of a caller. `proved`: its last request was proved. `new`: none of its requests was answered yet, and it has sent no more
 * than a small request. `unproved`: all other callers. A pass gives one piece of a caller's bytes to the parser. In most passes proved
 * callers go first, and unproved callers last.
 */
export type Standing = "proved" | "new" | "unproved";

/** A connection with bytes for the HTTP parser. */
export interface WaitingCaller {
  readonly standing: Standing;
  /** Gives one small piece to the parser. Called at most once for each `ask`. A caller with more bytes asks again. */
  pass(): void;
}

/**
 * While this many unproved requests are being handled, only proved callers get passes. A sale's database query may have to wait for the
 * queries of unproved requests. Four keep the database busy while the proofs of other requests are computed.
 */
const MAX_UNPROVED_HANDLED = 4;
/** A request that is handled for longer than this waits for something slow and delays no other request. So it is no longer counted. */
const QUICK_MS = 250;
/**
 * The order of standings in nine passes. Proved callers come first in six passes, new callers in two, and unproved callers in one. So no
 * caller waits for ever.
 */
const ROUND: readonly (readonly Standing[])[] = [
  ["proved", "new", "unproved"],
  ["proved", "new", "unproved"],
  ["new", "proved", "unproved"],
  ["proved", "new", "unproved"],
  ["proved", "new", "unproved"],
  ["new", "proved", "unproved"],
  ["proved", "new", "unproved"],
  ["proved", "new", "unproved"],
  ["unproved", "new", "proved"],
];

/**
 * Decides the order in which received bytes are parsed: one piece in each turn of the event loop. So other work runs between two pieces,
 * however many callers wait. A lone caller's piece is parsed immediately, unless a piece has already passed in this turn of the event loop.
 */
export class ParseOrder {
  readonly #clock: Clock;
  readonly #queues: Record<Standing, OrderedObjects<WaitingCaller>> = {
    proved: new OrderedObjects(),
    new: new OrderedObjects(),
    unproved: new OrderedObjects(),
  };
  /** The caller whose piece the parser is reading now. */
  #passing: WaitingCaller | undefined;
  /**
   * The new caller that goes before all other new callers, because a piece of this caller has just passed. A sale may have arrived
   * completely: without this rule thousands of other callers could begin requests between its headers and its body, and the body would lose
   * its room (body-budget.ts). A caller is new for few pieces, so the other new callers wait for few passes.
   */
  #continuing: WaitingCaller | undefined;
  /** The unproved requests being handled, oldest first. */
  readonly #unprovedHandled = new OrderedObjects();
  readonly #handledSinceMs = new WeakMap<object, number>();
  /** True when a piece has passed in this turn of the event loop. */
  #turning = false;
  #passes = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asks for a pass. A second call while waiting has an effect only if the standing has changed. */
  ask(caller: WaitingCaller): void {
    const queue = this.#queues[caller.standing];
    const continues = caller.standing === "new" && (caller === this.#passing || caller === this.#continuing);
    if (continues || !queue.has(caller)) {
      this.forget(caller);
      if (continues) this.#continuing = caller;
      else queue.add(caller);
    }
    this.#turn();
  }

  /** Forgets a connection that has gone. */
  forget(caller: WaitingCaller): void {
    if (this.#continuing === caller) this.#continuing = undefined;
    for (const queue of Object.values(this.#queues)) queue.delete(caller);
  }

  /**
   * Counts an unproved request as being handled. Call `endHandling` when the request is proved, is answered, or waits for its caller or for
   * work that many callers share.
   */
  beginHandling(request: object): void {
    this.#unprovedHandled.add(request);
    this.#handledSinceMs.set(request, this.#clock.monotonicMs());
  }

  endHandling(request: object): void {
    if (this.#unprovedHandled.delete(request)) this.#turn();
  }

  #turn(): void {
    if (this.#turning) return;
    const caller = this.#next();
    if (caller === undefined) return;
    this.#turning = true;
    void nextTurn().then(() => {
      this.#turning = false;
      this.#turn();
    });
    this.#passing = caller;
    caller.pass();
    this.#passing = undefined;
  }

  #next(): WaitingCaller | undefined {
    const full = this.#unprovedAreMany();
    const order = ROUND[this.#passes % ROUND.length] ?? [];
    for (const standing of order) {
      if (full && standing !== "proved") continue;
      const queue = this.#queues[standing];
      const caller = (standing === "new" ? this.#continuing : undefined) ?? queue.first;
      if (caller === undefined) continue;
      this.forget(caller);
      this.#passes += 1;
      return caller;
    }
    return undefined;
  }

  /**
   * True when `MAX_UNPROVED_HANDLED` unproved requests are being handled; slow requests are not counted. At the limit the queue is tried
   * again when the oldest counted handling becomes slow.
   */
  #unprovedAreMany(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = (request: object | undefined) => (request === undefined ? undefined : this.#handledSinceMs.get(request)) ?? nowMs;
    for (const request of this.#unprovedHandled) {
      if (sinceMs(request) + QUICK_MS > nowMs) break;
      this.#unprovedHandled.delete(request);
    }
    if (this.#unprovedHandled.size < MAX_UNPROVED_HANDLED) return false;
    const oldestMs = sinceMs(this.#unprovedHandled.first);
    this.#cancelTimer ??= this.#clock.after(oldestMs + QUICK_MS - nowMs, () => {
      this.#cancelTimer = undefined;
      this.#turn();
    });
    return true;
  }
}
