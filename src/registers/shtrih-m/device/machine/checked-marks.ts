import { MAX_CHECKED_MARKS } from "../../../virtual/mark-checks.ts";

/** The result of FF61. `out-of-order`: another code waits for FF69. */
type Taken = "checked" | "out-of-order" | "full";

/** What FF61 was told about the goods: tag 2003, and for measured goods tags 2108 and 1023. */
export interface Planned {
  status: number;
  measure?: number;
  quantityMillionths?: number;
}

/**
 * Codes that were checked by FF61 and decided by FF69, for the next receipt (5.9). A loss of power deletes them, and so does the
 * document that uses them.
 */
export class CheckedMarks {
  #waiting: { code: string; result: number; planned: Planned } | undefined;
  /** Measured goods with one code may stand in several positions, so a code may be checked several times. */
  readonly #accepted = new Map<string, Planned[]>();
  readonly #rejected = new Set<string>();

  /** The same code may be checked again (reference 12.3). */
  check(code: string, result: number, planned: Planned): Taken {
    if (this.#waiting !== undefined && this.#waiting.code !== code) return "out-of-order";
    if (!this.#accepted.has(code) && this.#accepted.size >= MAX_CHECKED_MARKS) return "full";
    this.#waiting = { code, result, planned };
    return "checked";
  }

  /** The result of the waiting code; undefined when none waits. */
  decide(accept: boolean): number | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined) return undefined;
    const { code, result, planned } = waiting;
    this.#waiting = undefined;
    this.#rejected.delete(code);
    if (accept) this.#accepted.set(code, [...(this.#accepted.get(code) ?? []), planned]);
    else {
      this.#accepted.delete(code);
      this.#rejected.add(code);
    }
    return result;
  }

  isAccepted(code: string): boolean {
    return this.#accepted.has(code);
  }

  /** What a code was accepted for; undefined when it was not accepted. */
  plannedFor(code: string): readonly Planned[] | undefined {
    return this.#accepted.get(code);
  }

  isRejected(code: string): boolean {
    return this.#rejected.has(code);
  }

  /** Whether a code waits for FF69. Until then no other code can be handled. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  clear(): void {
    this.#waiting = undefined;
    this.#accepted.clear();
    this.#rejected.clear();
  }
}
