import type { CashDocument } from "../model/document.ts";
import type { CashFacts } from "../model/facts.ts";
import { headOf, reportFootOf, reportTitleOf } from "./head-and-foot.ts";
import { block, heading, type Receipt, sum } from "./rows.ts";

const TITLES: Record<CashDocument["kind"], { printed: string; file: string }> = {
  "cash-in": { printed: "ВНЕСЕНИЕ", file: "Внесение" },
  "cash-out": { printed: "ВЫПЛАТА", file: "Выплата" },
};

/** The slip for cash in or out. It is no fiscal document, so it has neither ФД nor ФП nor a QR code (fiscal-receipts 1.8, interface 6). */
export function cashSlipOf(document: CashDocument, facts: CashFacts): Receipt {
  const { printed, file } = TITLES[document.kind];
  const title = [heading(printed, { strong: true }), heading("(нефискальный документ)")];
  return {
    title: `${file}, смена № ${facts.shiftNumber}`,
    time: facts.time,
    blocks: [
      headOf(document, facts.identity),
      reportTitleOf(title, document, facts),
      block(sum("СУММА", facts.sumKopecks, { weight: "strong" }), sum("НАЛИЧНЫХ В КАССЕ", facts.drawerKopecks)),
      ...reportFootOf(facts),
    ],
  };
}
