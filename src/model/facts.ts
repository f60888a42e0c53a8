import type { WallTime } from "../kernel/moment.ts";
import type { FiscalDocument, SettlementSign, Tenders, VatTotal } from "./document.ts";
import type { TaxSystem } from "./tax.ts";

export type Ffd = "1.05" | "1.1" | "1.2";

/** A register's identity. All facts contain it, so that a receipt can be drawn from stored data alone. */
export interface RegisterIdentity {
  /** Tag 1041, 16 digits. A number `9999…` belongs to a debug drive. */
  driveNumber: string;
  /** Tag 1037 without padding. */
  registrationNumber: string;
  /** Tag 1013. */
  serialNumber: string;
  inn: string;
  sellerName: string;
  address: string;
  place: string;
  /** Tag 1188, at most 8 characters. */
  firmware: string;
  /** Format version of the register, tag 1189. */
  ffd: Ffd;
  taxSystems: TaxSystem[];
  /** Tag 1117 given at registration. */
  senderEmail?: string;
  /** Tag 1060. */
  fnsSite: string;
}

/** A document that a register made. Numbers, fiscal signs and times come only from the register or its drive. */
export type DocumentFacts = FiscalFacts | CashFacts | InterimFacts;

export interface FiscalFacts {
  kind: "fiscal";
  document: FiscalDocument["kind"];
  identity: RegisterIdentity;
  /** Tag 1040. */
  documentNumber: number;
  /** Tag 1077 as printed. */
  fiscalSign: string;
  /** Tag 1012, the device's own clock. */
  time: WallTime;
  /** Tag 1038. */
  shiftNumber: number;
  /** Tag 1021 from the device. */
  cashierName?: string;
  /** Set for a receipt or correction: tags 1042, 1054, 1020. */
  receipt?: { number: number; sign: SettlementSign; totalKopecks: number };
  /** Set for a receipt with change. */
  change?: { receivedKopecks: number; changeKopecks: number };
  /** Set for a receipt with marks: tag 2106 of each line, null for an unmarked line. Absent when the device checked nothing. */
  markChecks?: (number | null)[];
  shiftReport?: ShiftReport;
  /** The register's counts. Set when the remaining requisites of a close-shift report could not be read. */
  shiftCounts?: Pick<ShiftReport, "receipts" | "documents">;
  stateReport?: StateReport;
  /** Set for shift reports: tags 1050–1053, 1206. */
  warnings?: DriveWarnings;
}

/** A slip for cash in or out. Not a fiscal document (fiscal-receipts 1.8). */
export interface CashFacts {
  kind: "cash";
  document: "cash-in" | "cash-out";
  identity: RegisterIdentity;
  time: WallTime;
  shiftNumber: number;
  cashierName?: string;
  sumKopecks: number;
  drawerKopecks: number;
}

/** An X report: the register's counters of the shift. No drive stores it, so it has neither a document number nor a fiscal sign. */
export interface InterimFacts {
  kind: "interim";
  document: "x-report";
  identity: RegisterIdentity;
  time: WallTime;
  /** The current shift, or the last shift when none is open. */
  shiftNumber: number;
  cashierName?: string;
  xReport: XReport;
}

export interface DriveWarnings {
  keysExpireSoon: boolean;
  keysExpireNow: boolean;
  memoryFull: boolean;
  operatorTimeout: boolean;
  /** Bits of tag 1206. 0: no message. */
  operatorMessage: number;
}

/** Tags of fiscal-receipts 1.6. */
export interface ShiftReport {
  /** Tag 1118. */
  receipts: number;
  /** Tag 1111, the close report itself included. */
  documents: number;
  /** Tags 1097, 1098. */
  unsent: number;
  unsentSince?: WallTime;
  /** Tag 2104: notifications about marked goods that the government's marking system has not received, if the register reports them. */
  unsentNotices?: number;
  /** Tag 2112 (`wrongMarks`): the shift had wrong marking codes. Tag 2113 (`wrongRequests`): it had wrong requests about marking codes. */
  wrongMarks?: boolean;
  wrongRequests?: boolean;
  /** Tag 1213: days until the drive's keys expire. */
  keyDays: number;
  shiftTotals: Counters;
  driveTotals: Counters;
  drawer: { inKopecks: number; outKopecks: number; balanceKopecks: number };
}

/** Documents without the data operator's confirmation, as the drive reports them. */
export interface StateReport {
  /** Tag 1097. */
  unsent: number;
  /** Tag 1098: day of the first unconfirmed document. Tag 1116 (`firstUnsent`): its number. */
  unsentSince?: WallTime;
  firstUnsent?: number;
  /** Tag 1157, if the register reports it. */
  driveTotals?: Counters;
}

/**
 * Counters of the current shift. When no shift is open, registers report only the drawer. Taxes are absent: no tag holds them before the
 * shift's closing, and registers count the newer rates differently.
 */
export interface XReport {
  shiftOpen: boolean;
  /** Receipts and corrections so far: tag 1118 of the next closing report. */
  receipts: number;
  signs: Omit<SignTotals, "vatTotals">[];
  drawer: ShiftReport["drawer"];
  unsent: number;
}

/** Tags 1194 and 1157: totals per settlement sign. Signs without receipts are left out. */
export interface Counters {
  signs: SignTotals[];
  /** Tag 1144. */
  corrections: number;
  /** Sums of the corrections by sign, if the register reports them. */
  correctionSums?: { sign: SettlementSign; totalKopecks: number }[];
}

export interface SignTotals {
  sign: SettlementSign;
  count: number;
  totalKopecks: number;
  tenders: Tenders;
  vatTotals: VatTotal[];
}

/** Debug drives have numbers that begin with 9999 (fiscal-receipts 3.2). Their documents reach no tax office. */
export function isDebugDrive(driveNumber: string): boolean {
  return driveNumber.startsWith("9999");
}
