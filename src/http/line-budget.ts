import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

/** The maximum number of lines of one kind in a burst, and the time between two lines afterwards. */
const LINES_AT_ONCE = 50;
const LINE_EVERY_MS = 200;
const REPORT_MS = 10_000;
/**
 * The maximum number of kinds that are counted separately. All further kinds are counted as one. The kinds come from the code and are few.
 * If there were more, the text of some line would contain words of a caller.
 */
const MAX_KINDS = 200;

interface Kind {
  /** When the last written line was due by the steady rate. */
  dueMs: number;
  leftOut: number;
}

/**
 * Limits the log lines of unproved requests. The first lines of a kind are written without delay, further lines at a steady rate. The
 * other lines are left out; one line reports their number after `REPORT_MS`.
 */
export class LineBudget {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kinds = new Map<string, Kind>();

  constructor(services: { clock: Clock; log: Log }) {
    this.#clock = services.clock;
    this.#log = services.log;
  }

  /** True when a line of this kind may be written now. Counts the line. */
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
