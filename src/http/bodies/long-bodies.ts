import { type Clock, nextTurn, pause } from "../../kernel/clock.ts";
import { CallersInTurn } from "./callers-in-turn.ts";
import { ShortBodies } from "./short-bodies.ts";

/**
 * Bodies larger than this are long and get turns one after another (`LongBodies`). Nearly every body is smaller: a sale of a hundred
 * positions, a notification of three hundred events.
 */
const LONG_BODY_BYTES = 64 * 1024;
/** A long body is read in steps. After each step it pauses for this many times the step's duration, so that other work can run. */
const REST_SHARE = 2;
/** The longest pause. With longer pauses a till would wait too long while the machine is busy. */
const MAX_REST_MS = 250;
/** The maximum number of waiting long bodies of one caller. A till that waits for its answers never has more. */
const MAX_WAITING = 16;
/**
 * The longest turn of one body. After this time the next body begins, although the request still runs: a request of this duration mostly
 * waits for a register, which may print for minutes.
 */
const TURN_LIMIT_MS = 2_000;
/** The longest wait for a turn. The caller is answered within nine seconds, so a longer wait would be useless. */
const WAIT_LIMIT_MS = 8_000;

export interface BodyTurn {
  /** Pauses between two steps of a long body, so that other work can run. */
  rest(): Promise<void>;
  /** Ends the turn of a long body. The next long body begins after a pause. Safe to repeat. */
  end(): void;
}

/** A short body is read in one step. No other body waits for its end. */
const SHORT: BodyTurn = { rest: async () => {}, end: () => {} };

/**
 * Gives turns for reading and checking bodies. Long bodies are read one at a time, in steps with pauses between them. A megabyte takes tens
 * of milliseconds, so otherwise one caller's bodies could block the event loop. Between two waiting long bodies of one caller, each other
 * caller gets at most one turn. Short bodies wait only for short bodies (short-bodies.ts). Every contract proves a request before it calls
 * `enter`. All contracts share one object of this class, because they share the event loop.
 */
export class LongBodies {
  readonly #clock: Clock;
  readonly #short: ShortBodies;
  readonly #waiting: CallersInTurn;
  #taken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#waiting = new CallersInTurn(clock, WAIT_LIMIT_MS);
    this.#short = new ShortBodies(new CallersInTurn(clock, WAIT_LIMIT_MS));
  }

  /**
   * Returns the turn of a body. Undefined: too many long bodies of this caller wait, or a short or long body has waited too long. The body
   * must then not be used.
   */
  async enter(caller: string, bytes: number): Promise<BodyTurn | undefined> {
    if (bytes <= LONG_BODY_BYTES) return (await this.#short.enter(caller, bytes)) ? SHORT : undefined;
    if (this.#taken && !(await this.#wait(caller, bytes))) return undefined;
    this.#taken = true;
    return this.#turn();
  }

  #turn(): BodyTurn {
    let sinceMs = this.#clock.monotonicMs();
    const rested = async () => {
      const tookMs = this.#clock.monotonicMs() - sinceMs;
      const restMs = Math.min(tookMs * REST_SHARE, MAX_REST_MS);
      await (restMs > 0 ? pause(this.#clock, restMs) : nextTurn());
      sinceMs = this.#clock.monotonicMs();
    };
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      cancel();
      void rested().then(() => this.#next());
    };
    const cancel = this.#clock.after(TURN_LIMIT_MS, end);
    return { rest: rested, end };
  }

  #wait(caller: string, bytes: number): Promise<boolean> {
    if (this.#waiting.countOf(caller) >= MAX_WAITING) return Promise.resolve(false);
    return this.#waiting.wait(caller, bytes);
  }

  #next(): void {
    const next = this.#waiting.take();
    if (next === undefined) this.#taken = false;
    else next.admit();
  }
}
