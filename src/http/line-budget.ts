import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

/** Lines of one kind that are written one after the other, and how soon another may follow then. */
const LINES_AT_ONCE = 50;
const LINE_EVERY_MS = 200;
/** What was left out is said so long after it began. */
const REPORT_MS = 10_000;
/** Kinds come from the code and are few; more than this would mean that a text carries a caller's words. */
const MAX_KINDS = 200;

interface Kind {
  /** When the next line would be due if all so far had been written at the steady pace. */
  dueMs: number;
  leftOut: number;
}

/**
 * Bounds what callers without a key can have written: lines of a kind are written at a steady pace after the first ones, and
 * the others are counted.
 */
export class LineBudget {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kinds = new Map<string, Kind>();

  constructor(services: { clock: Clock; log: Log }) {
    this.#clock = services.clock;
    this.#log = services.log;
  }

  /** Whether a line of the kind may be written now. */
  take(name: string): boolean {
    const kind = this.#kindOf(name);
    const nowMs = this.#clock.monotonicMs();
    const dueMs = Math.max(kind.dueMs, nowMs - LINES_AT_ONCE * LINE_EVERY_MS) + LINE_EVERY_MS;
    if (dueMs <= nowMs) {
      kind.dueMs = dueMs;
      return true;
    }
    kind.leftOut += 1;
    if (kind.leftOut === 1) this.#clock.after(REPORT_MS, () => this.#report(name, kind));
    return false;
  }

  #kindOf(name: string): Kind {
    const known = this.#kinds.has(name) || this.#kinds.size < MAX_KINDS ? name : "others";
    const kind = this.#kinds.get(known) ?? { dueMs: Number.NEGATIVE_INFINITY, leftOut: 0 };
    this.#kinds.set(known, kind);
    return kind;
  }

  #report(name: string, kind: Kind): void {
    this.#log.warn({ lines: name, leftOut: kind.leftOut }, "lines about requests without a proof were left out");
    kind.leftOut = 0;
  }
}
