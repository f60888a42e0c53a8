import type { StateReportDocument } from "../model/document.ts";
import type { FiscalFacts, StateReport } from "../model/facts.ts";
import { headOf, reportFootOf, reportTitleOf } from "./head-and-foot.ts";
import { dateOf, heading, pair, type Receipt, type Row, ruled } from "./rows.ts";
import { counterRows } from "./shift-report.ts";

type StateFacts = FiscalFacts & Required<Pick<FiscalFacts, "stateReport">>;

/** The report on the current state of the settlements, document code 21 (fiscal-receipts 1.1, labels of 1.6). It has no QR code. */
export function stateReportOf(document: StateReportDocument, facts: StateFacts): Receipt {
  const { driveTotals } = facts.stateReport;
  const title = heading("ОТЧЕТ О ТЕКУЩЕМ СОСТОЯНИИ РАСЧЕТОВ", { strong: true, even: true });
  return {
    title: `Отчет о текущем состоянии расчетов, ФД № ${facts.documentNumber}`,
    time: facts.time,
    blocks: [
      headOf(document, facts.identity),
      reportTitleOf([title], document, facts),
      ...ruled(...unsentRows(facts.stateReport)),
      ...(driveTotals === undefined ? [] : ruled(heading("СЧЕТЧИКИ ИТОГОВ ФН", { strong: true }), ...counterRows(driveTotals))),
      ...reportFootOf(facts),
    ],
  };
}

/** Tags 1097, 1098 and 1116. Registers report the day of the first unsent document without the hour. */
function unsentRows({ unsent, unsentSince, firstUnsent }: StateReport): Row[] {
  return [
    pair("НЕПЕРЕДАННЫХ ФД", String(unsent)),
    ...(unsentSince === undefined ? [] : [pair("ФД НЕ ПЕРЕДАНЫ С", dateOf(unsentSince))]),
    ...(firstUnsent === undefined ? [] : [pair("ПЕРВЫЙ НЕПЕРЕДАННЫЙ ФД", `№ ${firstUnsent}`)]),
  ];
}
