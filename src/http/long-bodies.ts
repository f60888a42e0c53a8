import { type Clock, nextTurn, pause } from "../kernel/clock.ts";

/** Nearly every body is shorter. A sale of a hundred positions is, and so is a notification of three hundred events. */
const LONG_BODY_BYTES = 64 * 1024;
/** After each step of a long body, other work has the event loop for this many times the length of the step. */
const REST_SHARE = 2;
/** Longest rest. A longer one would make an honest till wait for its answer while the machine is busy with something else. */
const MAX_REST_MS = 250;
/** Most long bodies of one caller that may wait. A till that waits for its answers never has more. */
const MAX_WAITING = 16;
/** Longest turn of one body. After it, a request can only be waiting for a register, which may print for minutes. */
const TURN_LIMIT_MS = 2_000;
/** Longest wait for a turn. The caller is answered within nine seconds, so a longer wait would be useless. */
const WAIT_LIMIT_MS = 8_000;

/** The time that one long body has at the event loop. */
export interface BodyTurn {
  /** Lets other work go first, between two steps. */
  rest(): Promise<void>;
  /** Ends the turn. The next body begins after a rest. Safe to repeat. */
  end(): void;
}

const SHORT: BodyTurn = { rest: async () => {}, end: () => {} };

interface Waiting {
  admit(): void;
}

/**
 * Long bodies are proved, read and checked one at a time, in steps with rests between them. A megabyte takes tens of
 * milliseconds, and a caller that sends one after the other would keep the event loop for itself. Callers take turns, so that
 * many bodies of one caller delay the body of another only once. Short bodies never wait.
 */
export class LongBodies {
  readonly #clock: Clock;
  /** Waiting bodies by caller. The caller that is next stands first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #taken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The turn of a body; a short one gets it at once. Undefined when too many wait or the wait was too long: nothing was done with
   * the body then.
   */
  async enter(caller: string, bytes: number): Promise<BodyTurn | undefined> {
    if (bytes <= LONG_BODY_BYTES) return SHORT;
    if (this.#taken && !(await this.#wait(caller))) return undefined;
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

  #wait(caller: string): Promise<boolean> {
    const others = this.#waiting.get(caller) ?? [];
    if (others.length >= MAX_WAITING) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        admit: () => {
          cancel();
          resolve(true);
        },
      };
      const cancel = this.#clock.after(WAIT_LIMIT_MS, () => {
        this.#forget(caller, waiting);
        resolve(false);
      });
      this.#waiting.set(caller, [...others, waiting]);
    });
  }

  #forget(caller: string, gone: Waiting): void {
    const left = (this.#waiting.get(caller) ?? []).filter((waiting) => waiting !== gone);
    if (left.length === 0) this.#waiting.delete(caller);
    else this.#waiting.set(caller, left);
  }

  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken = false;
      return;
    }
    const [caller, [first, ...others]] = next;
    // The caller goes behind the other callers, with the bodies that it still has waiting.
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    first?.admit();
  }
}
