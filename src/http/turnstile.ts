import { type Clock, nextTurn } from "../kernel/clock.ts";

/**
 * How much is known of a caller: its last request was proved, it has not sent one yet, or it has sent one that was not
 * proved. Who is known for good goes first, and who is known for nothing good goes last.
 */
export type Standing = "proved" | "new" | "unproved";

/** Whoever has bytes for the HTTP parser. */
export interface Passer {
  readonly standing: Standing;
  /** Hands one small piece to the parser. Called once for each time that it has asked; it asks again when it has more. */
  pass(): void;
}

/**
 * Requests that are being looked at without a proof yet: their look-ups stand in the queue of the database before those of
 * sales. Four keep the database busy while the proofs of others are computed.
 */
const MAX_LOOKS = 4;
/** A look that takes longer than this hangs at something that is slow by itself, and holds nobody else up. */
const LOOK_MS = 250;
/**
 * Of nine passes six are for the best standing that waits, two for newcomers first and one for those who have proved nothing:
 * nobody waits for ever.
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
 * The order in which what has come in is parsed. One piece in a turn of the event loop: whatever crowds in front of the door,
 * work behind it goes on between any two pieces. With nobody else there a piece passes at once.
 */
export class Turnstile {
  readonly #clock: Clock;
  readonly #queues: Record<Standing, Set<Passer>> = { proved: new Set(), new: new Set(), unproved: new Set() };
  /** When each look began, the oldest first. */
  readonly #looks = new Map<object, number>();
  /** Something has passed in this turn of the event loop. */
  #turning = false;
  #passes = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asks for a pass. To ask again while waiting changes nothing, unless the standing has changed. */
  ask(passer: Passer): void {
    const queue = this.#queues[passer.standing];
    if (!queue.has(passer)) {
      this.forget(passer);
      queue.add(passer);
    }
    this.#turn();
  }

  /** The passer is gone. */
  forget(passer: Passer): void {
    for (const queue of Object.values(this.#queues)) queue.delete(passer);
  }

  /** A request without a proof is looked at from now on; `endLook` when it is proved, answered, or waits for its caller. */
  beginLook(request: object): void {
    this.#looks.set(request, this.#clock.monotonicMs());
  }

  endLook(request: object): void {
    if (this.#looks.delete(request)) this.#turn();
  }

  #turn(): void {
    if (this.#turning) return;
    const passer = this.#next();
    if (passer === undefined) return;
    this.#turning = true;
    void nextTurn().then(() => {
      this.#turning = false;
      this.#turn();
    });
    passer.pass();
  }

  #next(): Passer | undefined {
    const full = this.#looksAreFull();
    const order = ROUND[this.#passes % ROUND.length] ?? [];
    for (const standing of order) {
      if (full && standing !== "proved") continue;
      const queue = this.#queues[standing];
      const [passer] = queue;
      if (passer === undefined) continue;
      queue.delete(passer);
      this.#passes += 1;
      return passer;
    }
    return undefined;
  }

  /** Looks that hang are no longer counted; when the oldest of the others would be one of them, there is a new turn. */
  #looksAreFull(): boolean {
    const nowMs = this.#clock.monotonicMs();
    for (const [request, sinceMs] of this.#looks) {
      if (sinceMs + LOOK_MS > nowMs) break;
      this.#looks.delete(request);
    }
    if (this.#looks.size < MAX_LOOKS) return false;
    const [oldestMs = nowMs] = this.#looks.values();
    this.#cancelTimer ??= this.#clock.after(oldestMs + LOOK_MS - nowMs, () => {
      this.#cancelTimer = undefined;
      this.#turn();
    });
    return true;
  }
}
