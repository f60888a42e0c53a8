import { createSecretKey, type KeyObject } from "node:crypto";
import type { WallTime } from "../../kernel/moment.ts";
import type { Counters, RegisterIdentity } from "../../model/facts.ts";
import { registerFailure } from "../failures.ts";
import { countReceipt, drawerChangeKopecks, NO_COUNTERS, type ReceiptSums } from "./counters.ts";
import type { CashRecord, DriveRecord, FiscalRecord, RegistrationRecord, StateReportRecord } from "./records.ts";

/** The state of the device as its records determine it, so that a restart gives the same state. */
export interface DeviceMemory {
  identity: RegisterIdentity;
  /** Stored as a key object, which signs seven times faster than the key's bytes. */
  secret: KeyObject;
  keysUntil: WallTime;
  capacity: number;
  lastDocumentNumber: number;
  lastTime: WallTime;
  shift: ShiftMemory;
  driveTotals: Counters;
  /** The cash in the drawer, which is kept from shift to shift (fiscal-receipts 6.2). */
  drawerKopecks: number;
  /** The last `count` documents, which the data operator has not confirmed. */
  unsent: { count: number; since?: WallTime };
  /** Marks that were sold and not returned. The set is mutable, because a copy per receipt would cost more than the receipt. */
  soldMarks: Set<string>;
  /** The number of cash slips since the registration. The register counts them, not the drive. */
  slips: { cashIns: number; cashOuts: number };
}

/** The open shift, or the last closed shift. */
interface ShiftMemory {
  open: boolean;
  number: number;
  openedAt: WallTime;
  openReportNumber: number;
  cashierName?: string;
  /** The number of documents of the shift so far (tag 1111). */
  documents: number;
  totals: Counters;
  cashInKopecks: number;
  cashOutKopecks: number;
  cashIns: number;
  cashOuts: number;
}

/** Returns the memory after one more record. */
export function remember(memory: DeviceMemory | undefined, record: DriveRecord): DeviceMemory {
  switch (record.kind) {
    case "registration":
      return afterRegistration(record);
    case "fiscal":
      return afterFiscal(begun(memory), record);
    case "state-report":
      return afterDocument(begun(memory), record);
    case "cash":
      return afterCash(begun(memory), record);
    case "confirmation":
      return afterConfirmation(begun(memory), record.upTo);
  }
}

function begun(memory: DeviceMemory | undefined): DeviceMemory {
  if (memory === undefined) throw registerFailure("drive-corrupt", "dependency", "the drive's file does not begin with a registration");
  return memory;
}

function afterRegistration(record: RegistrationRecord): DeviceMemory {
  return {
    identity: record.identity,
    secret: createSecretKey(record.secret, "base64"),
    keysUntil: record.keysUntil,
    capacity: record.capacity,
    lastDocumentNumber: 1,
    lastTime: record.time,
    shift: { ...newShift(0, record.time, 0), open: false },
    driveTotals: NO_COUNTERS,
    drawerKopecks: 0,
    unsent: { count: 0 },
    soldMarks: new Set(),
    slips: { cashIns: 0, cashOuts: 0 },
  };
}

/** Returns the memory with the changes that every document makes: numbers, the drive's time, the queue to the data operator. */
function afterDocument(memory: DeviceMemory, { facts, confirmed }: FiscalRecord | StateReportRecord): DeviceMemory {
  if (facts.documentNumber !== memory.lastDocumentNumber + 1) {
    throw registerFailure(
      "drive-corrupt",
      "dependency",
      `document ${facts.documentNumber} follows ${memory.lastDocumentNumber} in the drive's file`,
    );
  }
  return {
    ...memory,
    lastDocumentNumber: facts.documentNumber,
    lastTime: facts.time,
    shift: { ...memory.shift, documents: memory.shift.documents + 1 },
    unsent: confirmed ? { count: 0 } : { count: memory.unsent.count + 1, since: memory.unsent.since ?? facts.time },
  };
}

function afterFiscal(memory: DeviceMemory, record: FiscalRecord): DeviceMemory {
  const { facts, sums } = record;
  const next = afterDocument(memory, record);
  if (facts.document === "open-shift") {
    const shift = newShift(facts.shiftNumber, facts.time, facts.documentNumber);
    return { ...next, shift: facts.cashierName === undefined ? shift : { ...shift, cashierName: facts.cashierName } };
  }
  if (facts.document === "close-shift") return { ...next, shift: { ...next.shift, open: false } };
  if (sums === undefined)
    throw registerFailure("drive-corrupt", "dependency", `receipt ${facts.documentNumber} has no sums in the drive's file`);
  return {
    ...next,
    shift: { ...next.shift, totals: countReceipt(next.shift.totals, sums) },
    driveTotals: countReceipt(memory.driveTotals, sums),
    drawerKopecks: memory.drawerKopecks + drawerChangeKopecks(sums),
    soldMarks: afterMarks(memory.soldMarks, sums, record.marks ?? []),
  };
}

/** Updates the sold marks. Sign 1 adds the marks; every other sign removes them. Corrections change the marks in the same way. */
function afterMarks(sold: Set<string>, { sign }: ReceiptSums, marks: readonly string[]): Set<string> {
  if (marks.length === 0) return sold;
  for (const mark of marks) {
    if (sign === 1) sold.add(mark);
    else sold.delete(mark);
  }
  return sold;
}

function afterCash(memory: DeviceMemory, record: CashRecord): DeviceMemory {
  const { shift, slips, drawerKopecks } = memory;
  return record.document === "cash-in"
    ? {
        ...memory,
        drawerKopecks: drawerKopecks + record.sumKopecks,
        shift: { ...shift, cashInKopecks: shift.cashInKopecks + record.sumKopecks, cashIns: shift.cashIns + 1 },
        slips: { ...slips, cashIns: slips.cashIns + 1 },
      }
    : {
        ...memory,
        drawerKopecks: drawerKopecks - record.sumKopecks,
        shift: { ...shift, cashOutKopecks: shift.cashOutKopecks + record.sumKopecks, cashOuts: shift.cashOuts + 1 },
        slips: { ...slips, cashOuts: slips.cashOuts + 1 },
      };
}

function afterConfirmation(memory: DeviceMemory, upTo: number): DeviceMemory {
  return { ...memory, unsent: { count: memory.lastDocumentNumber - upTo } };
}

function newShift(number: number, openedAt: WallTime, openReportNumber: number): ShiftMemory {
  const drawer = { cashInKopecks: 0, cashOutKopecks: 0, cashIns: 0, cashOuts: 0 };
  return { open: true, number, openedAt, openReportNumber, documents: 1, totals: NO_COUNTERS, ...drawer };
}
