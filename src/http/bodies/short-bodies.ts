import { nextTurn } from "../../kernel/clock.ts";
import type { CallersInTurn } from "./callers-in-turn.ts";

/**
 * After this many bytes of short bodies the next body waits for the next turn of the event loop. So a turn of the event loop reads and
 * checks about sixteen ordinary sales. The last body of a turn may exceed the number.
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
  /** True while the next turn of the event loop is awaited, in which the bytes are counted anew. */
  #turning = false;
  /** True when `enter` has admitted a body without waiting since the last `nextTurn` resolved. */
  #hasCome = false;

  constructor(waiting: CallersInTurn) {
    this.#waiting = waiting;
  }

  /** Waits until the body may be read and checked. The caller must then do so immediately. False: the wait was too long. */
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
   * A body that is admitted without waiting may be read in the same turn of the event loop in which `nextTurn` resolves. So another turn of
   * the event loop is awaited as long as such bodies come.
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
