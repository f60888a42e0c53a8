import type { Tenders } from "../model/document.ts";
import type { DriveWarnings, Ffd } from "../model/facts.ts";
import { type MarkVerdict, verdictOf } from "../model/marks/mark-check.ts";
import { subjectIn } from "../model/subjects.ts";
import type { VatCode } from "../model/tax.ts";

/** Forms of payment in their customary order: tags 1031, 1081, 1215, 1216, 1217 (fiscal-receipts 1.3). */
export const TENDER_LABELS: readonly (readonly [keyof Tenders, string])[] = [
  ["cashKopecks", "НАЛИЧНЫМИ"],
  ["nonCashKopecks", "БЕЗНАЛИЧНЫМИ"],
  ["prepaidKopecks", "ПРЕДВАРИТЕЛЬНАЯ ОПЛАТА (АВАНС)"],
  ["creditKopecks", "ПОСЛЕДУЮЩАЯ ОПЛАТА (КРЕДИТ)"],
  ["otherKopecks", "ИНАЯ ФОРМА ОПЛАТЫ"],
];

/** The order in reports: rates from the highest down, calculated rates, turnovers (fiscal-receipts 9.3). */
export const REPORT_VAT_ORDER: readonly VatCode[] = [11, 1, 2, 8, 7, 12, 3, 4, 10, 9, 5, 6];

/** Tag 1214 (fiscal-receipts 4.4). */
const METHODS: Readonly<Record<number, string>> = {
  1: "ПРЕДОПЛАТА 100%",
  2: "ПРЕДОПЛАТА",
  3: "АВАНС",
  4: "ПОЛНЫЙ РАСЧЕТ",
  5: "ЧАСТИЧНЫЙ РАСЧЕТ И КРЕДИТ",
  6: "ПЕРЕДАЧА В КРЕДИТ",
  7: "ОПЛАТА КРЕДИТА",
};

/** Tag 1212 (fiscal-receipts 4.5). */
const SUBJECTS: Readonly<Record<number, string>> = {
  1: "ТОВАР",
  2: "ПОДАКЦИЗНЫЙ ТОВАР",
  3: "РАБОТА",
  4: "УСЛУГА",
  5: "СТАВКА АЗАРТНОЙ ИГРЫ",
  6: "ВЫИГРЫШ АЗАРТНОЙ ИГРЫ",
  7: "ЛОТЕРЕЙНЫЙ БИЛЕТ",
  8: "ВЫИГРЫШ ЛОТЕРЕИ",
  9: "ПРЕДОСТАВЛЕНИЕ РИД",
  10: "ПЛАТЕЖ",
  11: "АГЕНТСКОЕ ВОЗНАГРАЖДЕНИЕ",
  12: "ВЫПЛАТА",
  13: "ИНОЙ ПРЕДМЕТ РАСЧЕТА",
  14: "ИМУЩЕСТВЕННОЕ ПРАВО",
  15: "ВНЕРЕАЛИЗАЦИОННЫЙ ДОХОД",
  16: "ИНЫЕ ПЛАТЕЖИ И ВЗНОСЫ",
  17: "ТОРГОВЫЙ СБОР",
  18: "КУРОРТНЫЙ СБОР",
  19: "ЗАЛОГ",
  20: "РАСХОД",
  21: "ВЗНОСЫ НА ОПС ИП",
  22: "ВЗНОСЫ НА ОПС",
  23: "ВЗНОСЫ НА ОМС ИП",
  24: "ВЗНОСЫ НА ОМС",
  25: "ВЗНОСЫ НА ОСС",
  26: "ПЛАТЕЖ КАЗИНО",
  27: "ВЫДАЧА ДС",
  30: "АТНМ",
  31: "АТМ",
  32: "ТНМ",
  33: "ТМ",
};

/** Code 12 had another meaning before format 1.2. */
const COMPOUND_SUBJECT = { code: 12, label: "СОСТАВНОЙ ПРЕДМЕТ РАСЧЕТА" };

/** `ТОВАР, ПОЛНЫЙ РАСЧЕТ`. A code without a name is printed as a number after the tag's name. */
export function settlementLabel(subjectSent: number, method: number, ffd: Ffd): string {
  const subject = subjectIn(ffd, subjectSent);
  const named = subject === COMPOUND_SUBJECT.code && ffd !== "1.2" ? COMPOUND_SUBJECT.label : SUBJECTS[subject];
  return `${named ?? `ПРЕДМЕТ РАСЧЕТА ${subject}`}, ${METHODS[method] ?? `СПОСОБ РАСЧЕТА ${method}`}`;
}

const MARK_LABELS: Record<MarkVerdict, string> = { correct: "[М+]", wrong: "[М-]", unverified: "[М]" };

/** The label for a mark check's result, tag 2106 (fiscal-receipts 4.7). Without a check by the device: the label of an unverified mark. */
export function markLabel(check: number | undefined): string {
  return MARK_LABELS[check === undefined ? "unverified" : verdictOf(check)];
}

/** The texts for the bits of tag 1206. */
const OPERATOR_MESSAGES: readonly (readonly [number, string])[] = [
  [2, "ОШИБКА ФОРМАТА ДОКУМЕНТА"],
  [4, "ПРОВЕРЬТЕ ЛИЧНЫЙ КАБИНЕТ"],
  [8, "ОБНОВИТЕ ФФД ККТ"],
  [16, "ККТ ВКЛЮЧЕНА В ПЛАН ПРОВЕРОК"],
  [32, "НАСТРОЙТЕ СВЯЗЬ С ОФД"],
  [64, "ОФД ПРЕКРАЩАЕТ РАБОТУ"],
];

/** Tags 1050–1053 and 1206 in words (fiscal-receipts 1.5). */
export function warningLabels(warnings: DriveWarnings): string[] {
  return [
    ...(warnings.keysExpireSoon ? ["ИСЧЕРПАНИЕ РЕСУРСА ФН"] : []),
    ...(warnings.keysExpireNow ? ["НЕОБХОДИМА СРОЧНАЯ ЗАМЕНА ФН"] : []),
    ...(warnings.memoryFull ? ["ПАМЯТЬ ФН ПЕРЕПОЛНЕНА"] : []),
    ...(warnings.operatorTimeout ? ["ПРЕВЫШЕНО ВРЕМЯ ОЖИДАНИЯ ОТВЕТА ОФД"] : []),
    ...OPERATOR_MESSAGES.filter(([bit]) => (warnings.operatorMessage & bit) !== 0).map(([, label]) => `СООБЩЕНИЕ ОФД: ${label}`),
  ];
}
