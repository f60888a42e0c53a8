import { MAX_CHECKED_MARKS } from "../../virtual/mark-checks.ts";

/** What became of FF61: `out-of-order` while another code waits for FF69. */
export type Taken = "checked" | "out-of-order" | "full";

/**
 * Codes that FF61 has checked and FF69 has decided on, for the next receipt: 5.9. They are lost with the power,
 * and with the document that is made after them.
 */
export class CheckedMarks {
  #waiting: { code: string; result: number } | undefined;
  readonly #accepted = new Map<string, number>();
  readonly #rejected = new Set<string>();

  /** The same code may be checked again (reference 12.3). */
  check(code: string, result: number): Taken {
    if (this.#waiting !== undefined && this.#waiting.code !== code) return "out-of-order";
    if (!this.#accepted.has(code) && this.#accepted.size >= MAX_CHECKED_MARKS) return "full";
    this.#waiting = { code, result };
    return "checked";
  }

  /** The result of the code that waited; undefined when none did. */
  decide(accept: boolean): number | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined) return undefined;
    this.#waiting = undefined;
    this.#accepted.delete(waiting.code);
    this.#rejected.delete(waiting.code);
    if (accept) this.#accepted.set(waiting.code, waiting.result);
    else this.#rejected.add(waiting.code);
    return waiting.result;
  }

  isAccepted(code: string): boolean {
    return this.#accepted.has(code);
  }

  isRejected(code: string): boolean {
    return this.#rejected.has(code);
  }

  /** Whether a code waits for FF69: nothing else may be done with codes until then. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  clear(): void {
    this.#waiting = undefined;
    this.#accepted.clear();
    this.#rejected.clear();
  }
}
