import { MAX_CHECKED_MARKS } from "../../../virtual/mark-checks.ts";

/** What became of FF61: `out-of-order` while another code waits for FF69. */
type Taken = "checked" | "out-of-order" | "full";

/** What was said of the goods when their code was checked: tag 2003, and of measured goods tags 2108 and 1023. */
export interface Planned {
  status: number;
  measure?: number;
  quantityMillionths?: number;
}

/**
 * Codes that FF61 has checked and FF69 has decided on, for the next receipt: 5.9. They are lost with the power,
 * and with the document that is made after them.
 */
export class CheckedMarks {
  #waiting: { code: string; result: number; planned: Planned } | undefined;
  /** Measured goods of one code may stand in several positions, so it may be checked for each of them. */
  readonly #accepted = new Map<string, Planned[]>();
  readonly #rejected = new Set<string>();

  /** The same code may be checked again (reference 12.3). */
  check(code: string, result: number, planned: Planned): Taken {
    if (this.#waiting !== undefined && this.#waiting.code !== code) return "out-of-order";
    if (!this.#accepted.has(code) && this.#accepted.size >= MAX_CHECKED_MARKS) return "full";
    this.#waiting = { code, result, planned };
    return "checked";
  }

  /** The result of the code that waited; undefined when none did. */
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

  /** What an accepted code was checked for; undefined where it was not. */
  plannedFor(code: string): readonly Planned[] | undefined {
    return this.#accepted.get(code);
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
