import { SETTLEMENT_SIGNS, type ShiftDocument } from "../model/document.ts";
import type { Counters, FiscalFacts, ShiftReport, SignTotals } from "../model/facts.ts";
import { VAT_RATES } from "../model/tax.ts";
import { headOf, reportFootOf, reportTitleOf } from "./head-and-foot.ts";
import { REPORT_VAT_ORDER, TENDER_LABELS, warningLabels } from "./labels.ts";
import { type Block, block, dateOf, heading, hourOf, pair, type Receipt, type Row, ruled, sum, text } from "./rows.ts";

type ClosingFacts = FiscalFacts & Required<Pick<FiscalFacts, "shiftReport">>;

/** The report on the opening of a shift, document code 2 (fiscal-receipts 1.5, 9.3). It has no QR code. */
export function openReportOf(document: ShiftDocument, facts: FiscalFacts): Receipt {
  const title = reportTitleOf([heading("ОТЧЕТ ОБ ОТКРЫТИИ СМЕНЫ", { strong: true })], document, facts);
  const register = [pair("Версия ККТ", facts.identity.firmware), pair("ФФД ККТ", facts.identity.ffd)];
  const warnings = warningBlocks(facts);
  const foot = reportFootOf(facts).flatMap(({ rows }) => rows);
  return {
    title: `Отчет об открытии смены № ${facts.shiftNumber}, ФД № ${facts.documentNumber}`,
    time: facts.time,
    blocks: [
      headOf(document, facts.identity),
      title,
      ...warnings,
      ...(warnings.length === 0 ? [block(...register, ...foot)] : ruled(...register, ...foot)),
    ],
  };
}

/** The report on the closing of a shift, document code 5 (fiscal-receipts 1.6, 9.3). It has no QR code. */
export function closeReportOf(document: ShiftDocument, facts: ClosingFacts): Receipt {
  const report = facts.shiftReport;
  return {
    title: `Отчет о закрытии смены № ${facts.shiftNumber}, ФД № ${facts.documentNumber}`,
    time: facts.time,
    blocks: [
      headOf(document, facts.identity),
      reportTitleOf([heading("ОТЧЕТ О ЗАКРЫТИИ СМЕНЫ", { strong: true })], document, facts),
      ...warningBlocks(facts),
      ...ruled(...documentRows(report)),
      ...ruled(heading("СЧЕТЧИКИ ИТОГОВ СМЕНЫ", { strong: true }), ...counterRows(report.shiftTotals)),
      ...ruled(heading("ДЕНЕЖНЫЙ ЯЩИК (вне ФН)", { strong: true }), ...drawerRows(report.drawer)),
      ...ruled(heading("СЧЕТЧИКИ ИТОГОВ ФН", { strong: true }), ...counterRows(report.driveTotals)),
      ...reportFootOf(facts),
    ],
  };
}

/** Returns a block for each warning. White space separates the warnings, because each may take two lines on narrow paper. */
function warningBlocks({ warnings }: FiscalFacts): Block[] {
  if (warnings === undefined) return [];
  return warningLabels(warnings).map((label, index) => ({
    edge: index === 0 ? "rule" : "none",
    rows: [heading(label, { strong: true, even: true })],
  }));
}

function documentRows(report: ShiftReport): Row[] {
  const since = report.unsentSince;
  return [
    pair("ЧЕКОВ ЗА СМЕНУ", String(report.receipts)),
    pair("ФД ЗА СМЕНУ", String(report.documents)),
    pair("НЕПЕРЕДАННЫХ ФД", String(report.unsent)),
    ...(since === undefined ? [] : [pair("ФД НЕ ПЕРЕДАНЫ С", `${dateOf(since)} ${hourOf(since)}`)]),
    ...(report.unsentNotices === undefined ? [] : [pair("НЕПЕРЕДАНО УВЕДОМЛЕНИЙ", String(report.unsentNotices))]),
    pair("РЕСУРС КЛЮЧЕЙ, ДНЕЙ", String(report.keyDays)),
    ...(report.wrongMarks === true ? [text("БЫЛИ НЕКОРРЕКТНЫЕ КОДЫ МАРКИРОВКИ")] : []),
    ...(report.wrongRequests === true ? [text("БЫЛИ НЕКОРРЕКТНЫЕ ЗАПРОСЫ О КМ")] : []),
  ];
}

/** The counters of tags 1194 and 1157, which have the same structure. */
export function counterRows(counters: Counters): Row[] {
  const sums = (counters.correctionSums ?? []).map(({ sign, totalKopecks }) => sum(SETTLEMENT_SIGNS[sign], totalKopecks, INDENT));
  return [...counters.signs.flatMap(signRows), pair("ЧЕКОВ КОРРЕКЦИИ", String(counters.corrections)), ...sums];
}

const INDENT = { indent: 2 };

/** The count, sum and payments of one sign, and its taxes if known. */
export function signRows({ sign, count, totalKopecks, tenders, vatTotals = [] }: SignWithoutVat & Partial<SignTotals>): Row[] {
  const inOrder = REPORT_VAT_ORDER.flatMap((vat) => vatTotals.filter((total) => total.vat === vat && total.sumKopecks !== 0));
  return [
    pair(SETTLEMENT_SIGNS[sign], `ЧЕКОВ ${count}`, { weight: "strong" }),
    sum("СУММА", totalKopecks, INDENT),
    ...TENDER_LABELS.filter(([key]) => tenders[key] !== 0).map(([key, label]) => sum(label, tenders[key], INDENT)),
    ...inOrder.map(({ vat, sumKopecks }) => sum(VAT_RATES[vat].totalLabel, sumKopecks, INDENT)),
  ];
}

type SignWithoutVat = Omit<SignTotals, "vatTotals">;

export function drawerRows(drawer: ShiftReport["drawer"]): Row[] {
  return [sum("ВНЕСЕНО", drawer.inKopecks), sum("ВЫПЛАЧЕНО", drawer.outKopecks), sum("НАЛИЧНЫХ В КАССЕ", drawer.balanceKopecks)];
}
