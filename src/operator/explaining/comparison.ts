import type { Entry, Move } from "../../journal/entry.ts";
import { type WallTime, wallAsUtcMs, wallFromUtc } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import { isCash } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";

/** What to look for on the register's paper or in its archive, besides the document's contents. */
export interface Comparison {
  driveNumber: string;
  identity?: RegisterIdentity;
  /** The document's number must be higher than this number. Absent for documents without a number. */
  lastNumber?: number;
  /** Only for a slip. `afterKopecks`: the drawer if the slip, and nothing else, was made. */
  drawer?: { beforeKopecks: number; afterKopecks: number };
  /** The document is in this shift or in a later shift. */
  shiftNumber: number;
  /**
   * The period of the document by the register's clock. `until`: the likely end of the period. Absent when the server does not know how
   * long it waited.
   */
  time: { from: WallTime; until?: WallTime };
}

/** Added to the end of the period: paper shows only minutes, and a register may finish a document after the server stopped waiting. */
const WINDOW_SLACK_MS = 60_000;

/** Returns what to look for. Undefined when nothing was sent. */
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

/** Returns the period on the register's clock: from the sending until the server stopped waiting, plus `WINDOW_SLACK_MS`. */
function timeOf(from: WallTime, { attempt }: Entry, moves: readonly Move[]): Comparison["time"] {
  const ofAttempt = moves.filter((move) => move.attempt === attempt);
  const sentMs = ofAttempt.find(({ to }) => to === "sending")?.atMs;
  const lostMs = ofAttempt.find(({ to }) => to === "in-doubt")?.atMs;
  if (sentMs === undefined || lostMs === undefined) return { from };
  return { from, until: wallFromUtc(wallAsUtcMs(from) + Math.max(0, lostMs - sentMs) + WINDOW_SLACK_MS) };
}
