import type { WallTime } from "../../kernel/moment.ts";
import type { Counters, FiscalFacts, RegisterIdentity } from "../../model/facts.ts";
import { registerFailure } from "../failures.ts";
import type { ReceiptSums } from "./counters.ts";

/** A record of the storage: a document, cash in or out, or a confirmation of the data operator. */
export type DriveRecord = RegistrationRecord | FiscalRecord | StateReportRecord | CashRecord | ConfirmationRecord;

/** The first record of every drive: document number 1 (fiscal-receipts 1.1, code 1). */
export interface RegistrationRecord {
  kind: "registration";
  format: typeof FORMAT;
  identity: RegisterIdentity;
  /** The key of the fiscal signs, Base64. */
  secret: string;
  time: WallTime;
  fiscalSign: string;
  keysUntil: WallTime;
  /** How many documents fit into the drive. */
  capacity: number;
  /** The document's TLV in Base64, with its code as the outermost tag. */
  tlv: string;
}

/** A fiscal document and its facts. The identity is omitted, because the registration has it. */
export interface FiscalRecord {
  kind: "fiscal";
  facts: Omit<FiscalFacts, "kind" | "identity">;
  reference: string;
  sums?: ReceiptSums;
  /** The identities of the sold or returned marks. */
  marks?: string[];
  /** Whether the data operator confirmed the document as soon as it was made. */
  confirmed: boolean;
  tlv: string;
}

/** A report on the current state of the settlements (fiscal-receipts 1.1, code 21). */
export interface StateReportRecord {
  kind: "state-report";
  facts: Pick<FiscalFacts, "documentNumber" | "fiscalSign" | "time" | "shiftNumber" | "cashierName"> & {
    /** Unconfirmed documents at the time of the report: tags 1097, 1098. */
    unsent: number;
    unsentSince?: WallTime;
  };
  /** Tag 1157 and the server's id. Absent in older drives. */
  driveTotals?: Counters;
  reference?: string;
  confirmed: boolean;
  tlv: string;
}

/** Cash in or out. It gets no document number, because the drive of a real device does not store it (fiscal-receipts 1.8). */
export interface CashRecord {
  kind: "cash";
  document: "cash-in" | "cash-out";
  time: WallTime;
  shiftNumber: number;
  cashierName?: string;
  sumKopecks: number;
  reference: string;
}

/** The data operator has confirmed every document up to this number. */
interface ConfirmationRecord {
  kind: "confirmation";
  upTo: number;
}

/** The format number. A record whose meaning changes needs a higher number. Other formats are refused. */
export const FORMAT = 1;

export function encodeRecord(record: DriveRecord): Buffer {
  return Buffer.from(JSON.stringify(record), "utf8");
}

/** Reads a record that `encodeRecord` wrote; the file's checksum has verified the bytes. Throws `drive-format` for another format. */
export function decodeRecord(bytes: Buffer): DriveRecord {
  const record = JSON.parse(bytes.toString("utf8")) as DriveRecord;
  if (record.kind === "registration" && record.format !== FORMAT) {
    throw registerFailure("drive-format", "dependency", `the drive's file has format ${record.format}, this program reads ${FORMAT}`);
  }
  return record;
}
