import type { Entry, Move } from "../../journal/entry.ts";
import { type WallTime, wallAsUtcMs, wallFromUtc } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import { isCash } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";

/** What somebody has to look for on the register's paper or in its archive, beside what the document itself says. */
export interface Comparison {
  driveNumber: string;
  /** What the register last said of itself, where that is known. */
  identity?: RegisterIdentity;
  /** The document's number is above this; absent where it has none. */
  lastNumber?: number;
  /** Absent but for a slip. `afterKopecks`: if it was made, and nothing else since. */
  drawer?: { beforeKopecks: number; afterKopecks: number };
  /** It stands in this shift, or in a later one. */
  shiftNumber: number;
  /** On the register's clock; `until` is what is most likely, and absent where nothing says how long it took. */
  time: { from: WallTime; until?: WallTime };
}

/** Clocks of registers show minutes on paper, and a document may be finished a while after the server gave up. */
const WINDOW_SLACK_MS = 60_000;

/** Undefined where nothing was sent. */
export function comparisonOf(entry: Entry, moves: readonly Move[], identity: RegisterIdentity | undefined): Comparison | undefined {
  const { checkpoint, document } = entry;
  if (checkpoint === undefined) return undefined;
  const { driveNumber, lastDocumentNumber, shiftNumber, drawerKopecks, deviceTime } = checkpoint;
  const hasNumber = !isCash(document) && document.kind !== "x-report";
  return {
    driveNumber,
    ...present({ identity }),
    ...(hasNumber ? { lastNumber: lastDocumentNumber } : {}),
    ...(isCash(document)
      ? {
          drawer: {
            beforeKopecks: drawerKopecks,
            afterKopecks: drawerKopecks + (document.kind === "cash-in" ? document.sumKopecks : -document.sumKopecks),
          },
        }
      : {}),
    shiftNumber: document.kind === "open-shift" ? shiftNumber + 1 : shiftNumber,
    time: timeOf(deviceTime, entry, moves),
  };
}

/** From the register's clock before sending to what that clock showed when the server gave up. */
function timeOf(from: WallTime, { attempt }: Entry, moves: readonly Move[]): Comparison["time"] {
  const ofAttempt = moves.filter((move) => move.attempt === attempt);
  const sentMs = ofAttempt.find(({ to }) => to === "sending")?.atMs;
  const lostMs = ofAttempt.find(({ to }) => to === "in-doubt")?.atMs;
  if (sentMs === undefined || lostMs === undefined) return { from };
  return { from, until: wallFromUtc(wallAsUtcMs(from) + Math.max(0, lostMs - sentMs) + WINDOW_SLACK_MS) };
}
