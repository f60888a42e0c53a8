import { type Clock, nextTurn, pause } from "../kernel/clock.ts";

/** Nearly every body is shorter: a sale of a hundred positions, or a notification of three hundred events. */
const LONG_BODY_BYTES = 64 * 1024;
/** After each step of a long body the others have the event loop for so many times as long as the step took. */
const REST_SHARE = 2;
/** Longer rests would let an honest till wait for its answer when the machine is busy with something else. */
const MAX_REST_MS = 250;
/** Long bodies that one caller may have waiting: more come from no till that waits for its answers. */
const MAX_WAITING = 16;
/** So long a body keeps its turn at most: what still happens to it then is a register's, which prints for minutes. */
const TURN_LIMIT_MS = 2_000;
/** Whoever waits longer has lost its caller, who is answered within nine seconds. */
const WAIT_LIMIT_MS = 8_000;

/** A long body's time at the event loop. */
export interface BodyTurn {
  /** Between two steps: others come first. */
  rest(): Promise<void>;
  /** The body is done with; the next one begins after a rest. Safe to repeat. */
  end(): void;
}

const SHORT: BodyTurn = { rest: async () => {}, end: () => {} };

interface Waiting {
  admit(): void;
}

/**
 * Long bodies are proved, read and checked one after the other, in steps with rests between them: a megabyte takes tens of
 * milliseconds, and whoever sends one after the other would have the event loop for itself. Callers take turns, so that the many
 * bodies of one hold up the one body of another only once. Short bodies never wait.
 */
export class LongBodies {
  readonly #clock: Clock;
  /** By caller, whose turn is next first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #taken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The turn of a body, at once for a short one; undefined when too many wait, or for too long: nothing was done with it then. */
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
    // Behind the other callers, with what it still has waiting.
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    first?.admit();
  }
}
