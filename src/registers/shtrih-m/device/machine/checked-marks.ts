import { MAX_CHECKED_MARKS } from "../../../virtual/mark-checks.ts";

/** The result of FF61. `out-of-order`: a different code waits for FF69. `full`: as many codes are accepted as the drive keeps. */
type Taken = "checked" | "out-of-order" | "full";

/** The plan for the goods in FF61: tag 2003, and for measured goods tags 2108 and 1023. */
export interface Planned {
  status: number;
  measure?: number;
  quantityMillionths?: number;
}

/**
 * Codes that FF61 has checked and that FF69 accepts or rejects, for the next receipt (shtrih-protocol 5.9). They are deleted by FF69 with
 * decision 2, a power cut, a cancelled receipt and any new document.
 */
export class CheckedMarks {
  #waiting: { code: string; result: number; planned: Planned } | undefined;
  /**
   * The accepted codes and their plans. Measured goods with one code may be in several positions, so a code may be checked several times.
   */
  readonly #accepted = new Map<string, Planned[]>();
  readonly #rejected = new Set<string>();

  /** Stores the result of a check. The same code may be checked again (shtrih-protocol 12.3). */
  check(code: string, result: number, planned: Planned): Taken {
    if (this.#waiting !== undefined && this.#waiting.code !== code) return "out-of-order";
    if (!this.#accepted.has(code) && this.#accepted.size >= MAX_CHECKED_MARKS) return "full";
    this.#waiting = { code, result, planned };
    return "checked";
  }

  /** Accepts or rejects the waiting code and returns its result. Undefined: no code waits. */
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

  /** Returns the plans of an accepted code. Undefined: the code was not accepted. */
  plannedFor(code: string): readonly Planned[] | undefined {
    return this.#accepted.get(code);
  }

  isRejected(code: string): boolean {
    return this.#rejected.has(code);
  }

  /** Whether a code waits for FF69. Until FF69 comes, no code can be bound and no other code can be checked. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  clear(): void {
    this.#waiting = undefined;
    this.#accepted.clear();
    this.#rejected.clear();
  }
}
