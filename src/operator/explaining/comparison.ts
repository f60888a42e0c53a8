import type { Entry, Move } from "../../journal/entry.ts";
import { type WallTime, wallAsUtcMs, wallFromUtc } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import { isCash } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";

/** The items to look for on the register's paper or in its archive, besides the contents of the document. */
export interface Comparison {
  driveNumber: string;
  /** The register's identity as last known. */
  identity?: RegisterIdentity;
  /** The document's number is higher than this. Absent for documents without a number. */
  lastNumber?: number;
  /** Only for a slip. `afterKopecks`: the drawer if the slip was made and nothing else was. */
  drawer?: { beforeKopecks: number; afterKopecks: number };
  /** The document is in this shift or a later one. */
  shiftNumber: number;
  /** The period by the register's clock. `until` is its likely end; absent when it is unknown how long the document took. */
  time: { from: WallTime; until?: WallTime };
}

/** Paper shows minutes only, and a register may finish a document a while after the server gave up. */
const WINDOW_SLACK_MS = 60_000;

/** Returns the items; undefined when nothing was sent. */
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

/** Returns the period from the register's clock before sending to the same clock when the server stopped waiting. */
function timeOf(from: WallTime, { attempt }: Entry, moves: readonly Move[]): Comparison["time"] {
  const ofAttempt = moves.filter((move) => move.attempt === attempt);
  const sentMs = ofAttempt.find(({ to }) => to === "sending")?.atMs;
  const lostMs = ofAttempt.find(({ to }) => to === "in-doubt")?.atMs;
  if (sentMs === undefined || lostMs === undefined) return { from };
  return { from, until: wallFromUtc(wallAsUtcMs(from) + Math.max(0, lostMs - sentMs) + WINDOW_SLACK_MS) };
}
