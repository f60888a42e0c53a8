import { createSecretKey } from "node:crypto";
import type { TradeDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import { markReader } from "../../model/marks/marks.ts";
import type { Refusal } from "../../model/refusal.ts";
import { unreadRefusal } from "../../model/unread-marks.ts";
import { NO_COUNTERS } from "../virtual/counters.ts";
import { recordOf } from "../virtual/make.ts";
import type { DeviceMemory } from "../virtual/memory.ts";
import { byDrive } from "../virtual/refusals.ts";
import { type Conditions, refusalOf } from "../virtual/rules.ts";
import { refusalFrom } from "./refusals.ts";

/**
 * Returns why no virtual device of this identity can ever make the document. Applies the device's rules to the best possible state.
 * Undefined: in that state the device makes the document.
 */
export function limitOf(document: TradeDocument, identity: RegisterIdentity): Refusal | undefined {
  const readMark = markReader();
  const unread = unreadRefusal(document, readMark);
  if (unread !== undefined) return unread;
  const memory = atItsBest(identity);
  const conditions: Conditions = { ...CONDITIONS, readMark };
  const refusal = refusalOf(document, memory, conditions);
  if (refusal !== undefined) return refusalFrom(refusal);
  return recordOf(document, memory, conditions, { confirmed: true }).kind === "too-large" ? refusalFrom(byDrive(16)) : undefined;
}

const NOW = "2026-01-01 00:00:00";
/** The cash in the drawer: half of the largest amount. Every smaller sum can be added to this cash, and paid out of it. */
const DRAWER_KOPECKS = 2 ** 47;
/** The result of a mark that passed every check. */
const ALL_WELL = 15;

const CONDITIONS: Omit<Conditions, "readMark"> = {
  now: NOW,
  paperPresent: true,
  keyDays: 1_000,
  memoryUsed: 0,
  operatorMessage: 0,
  checkMark: () => ALL_WELL,
  shiftExpired: () => false,
};

function atItsBest(identity: RegisterIdentity): DeviceMemory {
  return {
    identity,
    secret: createSecretKey(Buffer.alloc(32)),
    keysUntil: NOW,
    capacity: Number.MAX_SAFE_INTEGER,
    lastDocumentNumber: 1,
    lastTime: NOW,
    shift: {
      open: true,
      number: 1,
      openedAt: NOW,
      openReportNumber: 1,
      documents: 1,
      totals: NO_COUNTERS,
      cashInKopecks: 0,
      cashOutKopecks: 0,
      cashIns: 0,
      cashOuts: 0,
    },
    driveTotals: NO_COUNTERS,
    drawerKopecks: DRAWER_KOPECKS,
    unsent: { count: 0 },
    soldMarks: new Set(),
    slips: { cashIns: 0, cashOuts: 0 },
  };
}
