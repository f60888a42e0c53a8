import { senderOf } from "../../model/contact.ts";
import { isSumsOnly } from "../../model/correction.ts";
import type { CorrectionBasis, ReceiptLine, Tenders, TradeDocument, VatTotal } from "../../model/document.ts";
import type { Ffd } from "../../model/facts.ts";
import type { MarkReader } from "../../model/marks/marks.ts";
import { subjectIn } from "../../model/subjects.ts";
import { TAX_SYSTEMS, VAT_RATES } from "../../model/tax.ts";
import { productCode } from "./product-code.ts";
import { optional, requisite } from "./requisite.ts";
import type { Requisite } from "./tags.ts";

/**
 * The tags of a receipt or correction, grouped by their place in the document (fiscal-receipts 1.3, 1.4, 1.7, 8). Tags that the drive adds
 * (numbers, time, sign, registration) are not included.
 */
interface TagsAround {
  /** 1021, 1009, 1187: the cashier and the place of the sale. */
  place: Requisite[];
  /** 1054, 1055; for a correction also 1173 and 1174. */
  kind: Requisite[];
  /** 1008, 1117. */
  buyer: Requisite[];
  /** 1020, 1031, 1081, 1215, 1216, 1217, 1102 to 1107, 1115. */
  sums: Requisite[];
  /** 1192, 1084. */
  extra: Requisite[];
}

interface SettlementTags extends TagsAround {
  /** The content of each tag 1059, in the order of the lines. Empty for a correction of sums only. */
  positions: Requisite[][];
}

interface SettlementMade {
  /** Tag 1117 of the registration, for `senderOf`. */
  registeredSender?: string;
  /** Tag 2106 of each line; null: the line has no checked mark. */
  markChecks?: readonly (number | null)[];
  /** The payments without the change: their cash excludes it. Absent: the document's payments are stored. */
  tenders?: Tenders;
  /** A reader that has already read the marks of the document. */
  readMark?: MarkReader;
}

/** Returns the document's tags in the format `ffd`. */
export function settlementTags(document: TradeDocument, ffd: Ffd, made: SettlementMade = {}): SettlementTags {
  const { markChecks, readMark } = made;
  return {
    ...tagsAround(document, ffd, made),
    positions: isSumsOnly(document, ffd)
      ? []
      : document.lines.map((line, index) => positionTags(line, ffd, readMark, markChecks?.[index] ?? undefined)),
  };
}

/** Returns the tags of a document without the tags of its positions. */
export function tagsAround(document: TradeDocument, ffd: Ffd, made: SettlementMade = {}): TagsAround {
  return {
    place: [...optional(1021, document.cashierName), ...optional(1009, document.address), ...optional(1187, document.place)],
    kind: [
      requisite(1054, document.sign),
      requisite(1055, TAX_SYSTEMS[document.taxSystem].tag1055),
      ...(document.kind === "correction" ? correctionTags(document.basis, ffd) : []),
    ],
    buyer: [...optional(1008, document.buyerContact), ...optional(1117, senderOf(document, made.registeredSender))],
    sums: [requisite(1020, document.totalKopecks), ...tenderTags(made.tenders ?? document.tenders), ...vatTags(document.vatTotals)],
    extra: [
      ...optional(1192, document.originalSign),
      requisite(1084, [requisite(1085, REFERENCE_NAME), requisite(1086, document.reference)]),
    ],
  };
}

/** The name (tag 1085) of the server's document id in tag 1084. The id identifies a document after a doubt. */
export const REFERENCE_NAME = "ID";

/** Returns the content of tag 1059: one position. */
export function positionTags(line: ReceiptLine, ffd: Ffd, readMark?: MarkReader, markCheck?: number): Requisite[] {
  return [
    requisite(1030, line.name),
    requisite(1079, line.priceKopecks),
    requisite(1023, line.quantityMillionths),
    ffd === "1.2" ? requisite(2108, line.unit.code) : requisite(1197, line.unit.label),
    requisite(1043, line.sumKopecks),
    requisite(1199, line.vat),
    requisite(1200, line.vatKopecks),
    requisite(1214, line.method),
    requisite(1212, subjectIn(ffd, line.subject)),
    ...(line.mark === undefined ? [] : markTags(productCode(line.mark, ffd, readMark), ffd, markCheck)),
    ...(line.permit === undefined || ffd !== "1.2" ? [] : [permitTag(line.permit)]),
  ];
}

/** Returns the code (tag 1162 or 1163). In format 1.2 also the mode of the check and, if known, its result (fiscal-receipts 1.4). */
function markTags(code: Requisite, ffd: Ffd, check: number | undefined): Requisite[] {
  return ffd === "1.2" ? [code, requisite(2102, CHECKED_BY_REGISTER), ...optional(2106, check)] : [code];
}

/** Tag 2102: the only possible mode of the check. */
const CHECKED_BY_REGISTER = 0;

function permitTag({ authority, ruleDate, ruleNumber, value }: NonNullable<ReceiptLine["permit"]>): Requisite {
  return requisite(1260, [requisite(1262, authority), requisite(1263, ruleDate), requisite(1264, ruleNumber), requisite(1265, value)]);
}

/** A receipt or correction has all five tags, even for payments of zero. */
function tenderTags(tenders: Tenders): Requisite[] {
  return [
    requisite(1031, tenders.cashKopecks),
    requisite(1081, tenders.nonCashKopecks),
    requisite(1215, tenders.prepaidKopecks),
    requisite(1216, tenders.creditKopecks),
    requisite(1217, tenders.otherKopecks),
  ];
}

/** Each older rate has its own tag. The rates of 2025 and 2026 share tag 1115, a list (fiscal-receipts 4.2). */
function vatTags(totals: readonly VatTotal[]): Requisite[] {
  const own: Requisite[] = [];
  const shared: Requisite[] = [];
  for (const { vat, sumKopecks } of totals) {
    const { totalTag } = VAT_RATES[vat];
    if (totalTag === 1115) shared.push(requisite(1119, [requisite(1199, vat), requisite(1120, sumKopecks)]));
    else own.push(requisite(totalTag, sumKopecks));
  }
  return shared.length === 0 ? own : [...own, requisite(1115, shared)];
}

/** Returns tags 1173 and 1174. Only format 1.05 has the description (1177). Only the basis `order` has a number (1179). */
function correctionTags(basis: CorrectionBasis, ffd: Ffd): Requisite[] {
  return [
    requisite(1173, basis.kind === "order" ? 1 : 0),
    requisite(1174, [
      ...(ffd === "1.05" ? optional(1177, basis.description) : []),
      requisite(1178, `${basis.settledOn} 00:00:00`),
      ...(basis.kind === "order" ? [requisite(1179, basis.orderNumber)] : []),
    ]),
  ];
}
