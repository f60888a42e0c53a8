import type { KeyObject } from "node:crypto";
import type { WallTime } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import type { RegisterDocument, StateReportDocument, TradeDocument, VatTotal } from "../../model/document.ts";
import type { Counters, DriveWarnings, RegisterIdentity, ShiftReport, SignTotals } from "../../model/facts.ts";
import type { MarkReader } from "../../model/marks/marks.ts";
import { TAX_SYSTEMS, type VatCode } from "../../model/tax.ts";
import { settlementTags } from "../tags/settlement.ts";
import type { Tag } from "../tags/tags.ts";
import { encodeRequisites, maxBytes, tlv } from "../tags/tlv.ts";
import type { ReceiptSums } from "./counters.ts";
import { receiptCount } from "./counters.ts";
import { fiscalSign, signBytes } from "./signs.ts";

/** Values of tags 1209 and 1189 (fiscal-receipts 1.1). */
const FFD_CODES = { "1.05": 2, "1.1": 3, "1.2": 4 };

export interface DocumentHeader {
  identity: RegisterIdentity;
  documentNumber: number;
  time: WallTime;
  cashierName?: string;
}

/**
 * Requisites that the host sent as bytes, stored unchanged. `lines`: the requisites of each line, by index. The caller leaves out
 * requisites whose values are in the document.
 */
export interface SentRequisites {
  document: readonly Buffer[];
  lines: readonly (readonly Buffer[])[];
}

interface ShiftNumbers {
  shiftNumber: number;
  warnings: DriveWarnings;
  sent: SentRequisites | undefined;
}

/** A document as the drive stores it, and its sign. The document's code is the outermost tag. */
export type Composed = { kind: "composed"; tlv: Buffer; fiscalSign: string } | { kind: "too-large" };

/** Returns the registration, document 1 of every drive: the seller, the register and its tax systems. */
export function composeRegistration(header: DocumentHeader, secret: KeyObject): Composed {
  const { identity } = header;
  return seal(1, secret, [
    ...headTlvs(header, {}),
    tlv(1013, identity.serialNumber),
    tlv(
      1062,
      identity.taxSystems.reduce((mask, system) => mask | TAX_SYSTEMS[system].tag1055, 0),
    ),
    tlv(1060, identity.fnsSite),
    tlv(1188, identity.firmware),
    tlv(1189, FFD_CODES[identity.ffd]),
    ...optional(1117, identity.senderEmail),
  ]);
}

export function composeOpenReport(
  header: DocumentHeader,
  secret: KeyObject,
  document: RegisterDocument,
  { shiftNumber, warnings, sent }: ShiftNumbers,
): Composed {
  const { firmware, ffd } = header.identity;
  return seal(2, secret, [
    ...headTlvs(header, document),
    tlv(1038, shiftNumber),
    tlv(1188, firmware),
    tlv(1189, FFD_CODES[ffd]),
    ...warningTlvs(warnings),
    ...(sent?.document ?? []),
  ]);
}

export function composeCloseReport(
  header: DocumentHeader,
  secret: KeyObject,
  document: RegisterDocument,
  { shiftNumber, warnings, sent }: ShiftNumbers,
  report: ShiftReport,
): Composed {
  return seal(5, secret, [
    ...headTlvs(header, document),
    tlv(1038, shiftNumber),
    tlv(1118, report.receipts),
    tlv(1111, report.documents),
    tlv(1097, report.unsent),
    ...(report.unsentSince === undefined ? [] : [tlv(1098, report.unsentSince)]),
    tlv(1213, report.keyDays),
    ...warningTlvs(warnings),
    ...(sent?.document ?? []),
    tlv(1194, counterTlvs(report.shiftTotals)),
    tlv(1157, counterTlvs(report.driveTotals)),
  ]);
}

interface StateNumbers {
  shiftNumber: number;
  unsent: { count: number; since?: WallTime };
  driveTotals: Counters;
  sent: SentRequisites | undefined;
}

export function composeStateReport(
  header: DocumentHeader,
  secret: KeyObject,
  document: StateReportDocument,
  { shiftNumber, unsent, driveTotals, sent }: StateNumbers,
): Composed {
  const first = header.documentNumber - unsent.count;
  return seal(21, secret, [
    ...headTlvs(header, document),
    tlv(1038, shiftNumber),
    tlv(1097, unsent.count),
    ...(unsent.since === undefined ? [] : [tlv(1098, unsent.since), tlv(1116, first)]),
    ...(sent?.document ?? []),
    tlv(1157, counterTlvs(driveTotals)),
  ]);
}

interface ReceiptNumbers {
  shiftNumber: number;
  receiptNumber: number;
  /** Tag 2106 of each line; null: the line has no mark. Absent: no mark was checked. */
  markChecks?: (number | null)[];
  sent: SentRequisites | undefined;
  readMark: MarkReader;
}

/**
 * Returns a receipt or correction. Omits the tags 1021, 1009 and 1187 of `settlementTags`, because `headTlvs` writes them. If `sent` is
 * given, its requisites replace tags 1192 and 1084.
 */
export function composeReceipt(
  header: DocumentHeader,
  secret: KeyObject,
  document: TradeDocument,
  { shiftNumber, receiptNumber, markChecks, sent, readMark }: ReceiptNumbers,
  { tenders }: ReceiptSums,
): Composed {
  const { ffd, senderEmail } = header.identity;
  const made = {
    tenders,
    readMark,
    ...present({ markChecks, registeredSender: senderEmail }),
  };
  const tags = settlementTags(document, ffd, made);
  const positions = tags.positions.map((requisites, at) => [encodeRequisites(requisites), ...(sent?.lines[at] ?? [])]);
  if (positions.some((requisites) => sizeOf(requisites) > maxBytes(1059))) return { kind: "too-large" };
  return seal(document.kind === "receipt" ? 3 : 31, secret, [
    ...headTlvs(header, document),
    tlv(1038, shiftNumber),
    tlv(1042, receiptNumber),
    encodeRequisites([...tags.kind, ...tags.buyer]),
    ...positions.map((requisites) => tlv(1059, requisites)),
    encodeRequisites(tags.sums),
    ...(sent?.document ?? [encodeRequisites(tags.extra)]),
  ]);
}

/** Adds the fiscal sign and the outermost tag. The sign is computed over all other requisites, in the order in which they are stored. */
function seal(code: 1 | 2 | 3 | 5 | 21 | 31, secret: KeyObject, requisites: Buffer[]): Composed {
  const content = Buffer.concat(requisites);
  const sign = fiscalSign(secret, content);
  const signed = [content, tlv(1077, signBytes(sign))];
  return sizeOf(signed) > maxBytes(code) ? { kind: "too-large" } : { kind: "composed", tlv: tlv(code, signed), fiscalSign: sign };
}

/** Returns a document's first requisites. `printed`: address and place of the document. Default: those of the registration. */
function headTlvs(header: DocumentHeader, printed: Pick<RegisterDocument, "address" | "place">): Buffer[] {
  const { identity } = header;
  return [
    tlv(1209, FFD_CODES[identity.ffd]),
    tlv(1048, identity.sellerName),
    tlv(1018, identity.inn),
    tlv(1009, printed.address ?? identity.address),
    tlv(1187, printed.place ?? identity.place),
    tlv(1037, identity.registrationNumber),
    tlv(1041, identity.driveNumber),
    tlv(1040, header.documentNumber),
    tlv(1012, header.time),
    ...optional(1021, header.cashierName),
  ];
}

function warningTlvs(warnings: DriveWarnings): Buffer[] {
  const flags: [1050 | 1051 | 1052 | 1053, boolean][] = [
    [1050, warnings.keysExpireSoon],
    [1051, warnings.keysExpireNow],
    [1052, warnings.memoryFull],
    [1053, warnings.operatorTimeout],
  ];
  const raised = flags.filter(([, up]) => up).map(([tag]) => tlv(tag, 1));
  return warnings.operatorMessage === 0 ? raised : [...raised, tlv(1206, warnings.operatorMessage)];
}

const SIGN_TAGS = { 1: 1129, 2: 1130, 3: 1131, 4: 1132 } as const;
/**
 * Counter tags of the older rates. No source confirms tags for the newer rates (fiscal-receipts 1.6), so the newer rates share tag 1115, as
 * in a receipt.
 */
const VAT_COUNTERS: Readonly<Partial<Record<VatCode, 1139 | 1140 | 1141 | 1142 | 1143 | 1183>>> = {
  1: 1139,
  2: 1140,
  3: 1141,
  4: 1142,
  5: 1143,
  6: 1183,
};

function counterTlvs(counters: Counters): Buffer[] {
  return [
    tlv(1134, receiptCount(counters)),
    ...counters.signs.map((totals) => tlv(SIGN_TAGS[totals.sign], signTlvs(totals))),
    tlv(1133, [tlv(1144, counters.corrections), ...(counters.correctionSums ?? []).map(correctionTlv)]),
  ];
}

const CORRECTION_TAGS = { 1: 1145, 2: 1232, 3: 1146, 4: 1233 } as const;

function correctionTlv({ sign, totalKopecks }: NonNullable<Counters["correctionSums"]>[number]): Buffer {
  return tlv(CORRECTION_TAGS[sign], totalKopecks);
}

function signTlvs({ count, totalKopecks, tenders, vatTotals }: SignTotals): Buffer[] {
  return [
    tlv(1135, count),
    tlv(1201, totalKopecks),
    tlv(1136, tenders.cashKopecks),
    tlv(1138, tenders.nonCashKopecks),
    tlv(1218, tenders.prepaidKopecks),
    tlv(1219, tenders.creditKopecks),
    tlv(1220, tenders.otherKopecks),
    ...vatCounterTlvs(vatTotals),
  ];
}

function vatCounterTlvs(totals: readonly VatTotal[]): Buffer[] {
  const own: Buffer[] = [];
  const shared: Buffer[] = [];
  for (const { vat, sumKopecks } of totals) {
    const tag = VAT_COUNTERS[vat];
    if (tag === undefined) shared.push(tlv(1119, [tlv(1199, vat), tlv(1120, sumKopecks)]));
    else own.push(tlv(tag, sumKopecks));
  }
  return shared.length === 0 ? own : [...own, tlv(1115, shared)];
}

type TextTag = Extract<Tag, 1021 | 1117>;

function optional(tag: TextTag, text: string | undefined): Buffer[] {
  return text === undefined ? [] : [tlv(tag, text)];
}

function sizeOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((size, buffer) => size + buffer.length, 0);
}
