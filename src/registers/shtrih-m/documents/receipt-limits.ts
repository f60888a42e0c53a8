import { formatKopecks } from "../../../kernel/money.ts";
import { isSumsOnly, mayCorrect } from "../../../model/correction.ts";
import type { CashDocument, CorrectionBasis, TradeDocument } from "../../../model/document.ts";
import type { Ffd } from "../../../model/facts.ts";
import type { MarkReader } from "../../../model/marks/marks.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { tagsAround } from "../../tags/settlement.ts";
import type { Tag } from "../../tags/tags.ts";
import { encodedBytes, maxBytes } from "../../tags/tlv.ts";
import { refusalOf } from "../refusals/refusals.ts";
import { itemTags } from "./receipt-lines.ts";
import { MAX_TLV_BYTES } from "./request-size.ts";

/** Sums have five bytes. The largest value means "not given" (shtrih-protocol 0.2). */
const MAX_SUM_KOPECKS = 2 ** 40 - 2;
/** Quantities have six bytes of millionths. */
const MAX_QUANTITY_MILLIONTHS = 2 ** 48 - 1;
/** FF45 allows a rounding of less than one rouble (shtrih-protocol 5.7). */
const MAX_ROUNDING_KOPECKS = 99;

/** Returns why the document cannot be sent, for example because a value does not fit its field. Such a document is not begun. */
export function limitOfReceipt(document: TradeDocument, ffd: Ffd, readMark: MarkReader): Refusal | undefined {
  const { tenders, totalKopecks, roundingKopecks } = document;
  if (document.kind === "correction" && !mayCorrect(document.sign, ffd)) {
    return refusalOf("device-refused", "ФФД 1.05 не знает коррекции возвратов: оформите обычный чек возврата");
  }
  const sumsOnly = isSumsOnly(document, ffd);
  const lines = sumsOnly ? [] : document.lines;
  if (lines.length === 0 && !sumsOnly) return refusalOf("device-refused", "В чеке нет позиций");
  if (!textsFit(document) || !listsFit(document, ffd)) return refusalOf("document-too-large", "Текст длиннее, чем помещается в чек");
  const tooLong = lines.find((line) => itemTags(line, ffd, readMark).some((tlv) => tlv.length > MAX_TLV_BYTES));
  if (tooLong !== undefined) return refusalOf("document-too-large", `Реквизит товара «${tooLong.name}» длиннее, чем касса может принять`);
  const sums = [totalKopecks, ...Object.values(tenders), ...lines.flatMap((line) => [line.priceKopecks, line.sumKopecks, line.vatKopecks])];
  const quantities = lines.map(({ quantityMillionths }) => quantityMillionths);
  if (!sums.every((sum) => isWithin(sum, 0, MAX_SUM_KOPECKS))) return refusalOf("device-refused", "Сумма больше, чем касса может принять");
  if (!quantities.every((quantity) => isWithin(quantity, 1, MAX_QUANTITY_MILLIONTHS))) {
    return refusalOf("device-refused", "Количество не помещается в чек");
  }
  if (sumsOnly) return undefined;
  const linesKopecks = lines.reduce((sum, line) => sum + line.sumKopecks, 0);
  if (!isWithin(roundingKopecks, 0, MAX_ROUNDING_KOPECKS) || linesKopecks - roundingKopecks !== totalKopecks) {
    const details = { total: formatKopecks(totalKopecks), paid: formatKopecks(paidKopecks(document)) };
    return { ...refusalOf("payments-differ", "Итог чека не равен сумме позиций за вычетом округления"), details };
  }
  return undefined;
}

export function limitOfCash({ sumKopecks }: CashDocument): Refusal | undefined {
  return isWithin(sumKopecks, 1, MAX_SUM_KOPECKS) ? undefined : refusalOf("device-refused", "Такую сумму касса не может принять");
}

export function paidKopecks({ tenders }: TradeDocument): number {
  return Object.values(tenders).reduce((sum: number, kopecks: number) => sum + kopecks, 0);
}

/**
 * Whether the texts fit, counted in characters. A letter outside the code page may be sent as several characters. A text that is too long
 * only because of such letters is cut, not refused.
 */
function textsFit({ lines, ...document }: TradeDocument): boolean {
  const texts: [Tag, string | undefined][] = [
    [1021, document.cashierName],
    [1009, document.address],
    [1187, document.place],
    [1008, document.buyerContact],
    [1117, document.senderEmail],
    [1192, document.originalSign],
    ...(document.kind === "correction" ? basisTexts(document.basis) : []),
    ...lines.map(({ name }): [Tag, string] => [1030, name]),
  ];
  return texts.every(([tag, text]) => text === undefined || text.length <= maxBytes(tag));
}

/** Whether the tags that contain other tags fit. For example, the texts in a correction's tag 1174 may together be too long. */
function listsFit(document: TradeDocument, ffd: Ffd): boolean {
  const { kind, extra } = tagsAround(document, ffd);
  return encodedBytes([...kind, ...extra]) !== undefined;
}

function basisTexts(basis: CorrectionBasis): [Tag, string | undefined][] {
  return [[1177, basis.description], ...(basis.kind === "order" ? [[1179, basis.orderNumber] satisfies [Tag, string]] : [])];
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}
