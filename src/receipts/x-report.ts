import type { XReportDocument } from "../model/document.ts";
import type { InterimFacts } from "../model/facts.ts";
import { headOf, reportFootOf, reportTitleOf } from "./head-and-foot.ts";
import { heading, pair, type Receipt, ruled } from "./rows.ts";
import { drawerRows, signRows } from "./shift-report.ts";

/** The X report. It is no fiscal document, so it has neither ФД nor ФП nor a QR code (fiscal-receipts 1.1). */
export function xReportOf(document: XReportDocument, facts: InterimFacts): Receipt {
  const { shiftOpen, receipts, signs, drawer, unsent } = facts.xReport;
  const title = [
    heading("ОТЧЕТ БЕЗ ГАШЕНИЯ", { strong: true }),
    heading("(нефискальный документ)"),
    ...(shiftOpen ? [] : [heading("СМЕНА ЗАКРЫТА", { strong: true })]),
  ];
  const counted = shiftOpen ? ruled(pair("ЧЕКОВ ЗА СМЕНУ", String(receipts)), ...signs.flatMap(signRows)) : [];
  return {
    title: `Отчет без гашения, смена № ${facts.shiftNumber}`,
    time: facts.time,
    blocks: [
      headOf(document, facts.identity),
      reportTitleOf(title, document, facts),
      ...counted,
      ...ruled(heading("ДЕНЕЖНЫЙ ЯЩИК", { strong: true }), ...drawerRows(drawer)),
      ...ruled(pair("НЕПЕРЕДАННЫХ ФД", String(unsent))),
      ...reportFootOf(facts),
    ],
  };
}
