import { nextTurn } from "../../kernel/clock.ts";
import type { CallersInTurn } from "./callers-in-turn.ts";

/**
 * The number of bytes of short bodies that one turn of the event loop reads and checks: about sixteen ordinary sales. The last body of a
 * turn may exceed the number. Further bodies wait for a later turn.
 */
const BYTES_A_TURN = 32 * 1024;

/**
 * Spreads short bodies over the turns of the event loop. A body is read after its request's proof, and the proofs of many requests may end
 * in the same turn. Without this class all their bodies would be read in that turn. Waiting bodies of different callers are admitted in
 * rotation.
 */
export class ShortBodies {
  readonly #waiting: CallersInTurn;
  #leftBytes = BYTES_A_TURN;
  /** True while `#untilNextTurn` waits. Afterwards `#leftBytes` is set to its full value again. */
  #turning = false;
  /** True when `enter` has admitted a body without a wait since `nextTurn` last resolved. */
  #hasCome = false;

  constructor(waiting: CallersInTurn) {
    this.#waiting = waiting;
  }

  /** Waits until the body may be read and checked without a pause. False: the wait was too long, and the body must not be read. */
  async enter(caller: string, bytes: number): Promise<boolean> {
    if (this.#leftBytes <= 0) return this.#waiting.wait(caller, bytes);
    this.#hasCome = true;
    this.#take(bytes);
    return true;
  }

  #take(bytes: number): void {
    this.#leftBytes -= bytes;
    if (!this.#turning) void this.#untilNextTurn().then(() => this.#admit());
  }

  /**
   * Waits for a turn of the event loop in which no body has been read. `nextTurn` may resolve at the end of the turn in which it was
   * called, and bodies that `enter` admitted without a wait were read in that turn. So `nextTurn` is awaited again until no such body has
   * come.
   */
  async #untilNextTurn(): Promise<void> {
    this.#turning = true;
    await nextTurn();
    while (this.#hasCome) {
      this.#hasCome = false;
      await nextTurn();
    }
    this.#turning = false;
  }

  #admit(): void {
    this.#leftBytes = BYTES_A_TURN;
    while (this.#leftBytes > 0) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      this.#take(next.bytes);
      next.admit();
    }
  }
}
