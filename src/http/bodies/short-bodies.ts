import { nextTurn } from "../../kernel/clock.ts";
import type { CallersInTurn } from "./callers-in-turn.ts";

/**
 * After so many bytes of short bodies the next body waits for the next turn of the event loop. So a turn reads and checks about sixteen
 * ordinary sales. The last body of a turn may exceed the number.
 */
const BYTES_A_TURN = 32 * 1024;

/**
 * Spreads short bodies over the turns of the event loop. The proofs of several requests may end in the same turn, and then all their bodies
 * would be read in that turn. Waiting bodies of different callers are admitted in rotation.
 */
export class ShortBodies {
  readonly #waiting: CallersInTurn;
  #leftBytes = BYTES_A_TURN;
  /** True while the next turn is awaited, in which the bytes are counted anew. */
  #turning = false;
  /** True when a body was admitted at once since the last `nextTurn` resolved. */
  #hasCome = false;

  constructor(waiting: CallersInTurn) {
    this.#waiting = waiting;
  }

  /** Waits until the body may be read and checked at once. False: the wait was too long. */
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
   * A body that was admitted at once is read in the same turn of the event loop in which `nextTurn` resolves. So another turn is awaited
   * for as long as such bodies come.
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
