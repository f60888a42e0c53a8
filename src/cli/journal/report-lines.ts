import type { Entry } from "../../journal/entry.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { SETTLEMENT_SIGNS } from "../../model/document.ts";
import type { DocumentFacts, FiscalFacts, InterimFacts } from "../../model/facts.ts";
import type { ReportOperation } from "../../model/operation.ts";
import type { ReportPlan } from "../../operator/reports/make-report.ts";
import { tendersOf } from "./words/amounts.ts";
import { otherPlaceWarnings, placeWords } from "./words/place-words.ts";

const TITLES: Record<ReportOperation["kind"], string> = {
  "x-report": "ОТЧЁТ БЕЗ ГАШЕНИЯ (X report)",
  "state-report": "ОТЧЁТ О ТЕКУЩЕМ СОСТОЯНИИ РАСЧЁТОВ",
};

const MEANINGS: Record<ReportOperation["kind"], readonly string[]> = {
  "x-report": [
    "It is no fiscal document: it has neither number nor sign, and nothing goes to the data operator. It shows what the",
    "register has counted in the shift so far and what lies in its drawer, and resets nothing.",
  ],
  "state-report": [
    "It is a fiscal document: the drive gives it the next number and a sign, it goes to the data operator, and it counts among",
    "the documents of the shift that is open, though not among its receipts. It tells how many documents the operator has not",
    "confirmed, and since when. The shift may be open or closed.",
  ],
};

/** Returns lines about the planned report: its kind, its register, and the changes that it makes. */
export function planLines({ report, point, register, before }: Extract<ReportPlan, { kind: "plan" }>): string[] {
  const { appId, accountId, storeId } = point;
  return [
    `${TITLES[report]}, ${placeWords(register, `point of sale ${storeId} of account ${accountId} (${appId})`)}.`,
    ...otherPlaceWarnings(register, before, "its newest operation was made"),
    ...MEANINGS[report],
  ];
}

/** Returns lines about the made document and its content. */
export function resultOf({ id, register }: Pick<Entry, "id" | "register">, facts: DocumentFacts): string[] {
  const content = facts.kind === "interim" ? interimLines(id, facts) : facts.kind === "fiscal" ? stateLines(id, facts) : [];
  return [
    ...content,
    `At ${register}, drive ${facts.identity.driveNumber}.`,
    `To draw it: journal show ${id} --json > FILE, then receipt FILE -o OUT.pdf`,
  ];
}

function stateLines(id: number, { documentNumber, fiscalSign, shiftNumber, time, stateReport }: FiscalFacts): string[] {
  const { unsent = 0, unsentSince, firstUnsent } = stateReport ?? {};
  const first = firstUnsent === undefined ? "" : `, the first is ФД ${firstUnsent}`;
  const since = unsentSince === undefined ? "" : `, unsent since ${unsentSince.slice(0, "2026-11-28".length)}`;
  return [
    `Entry ${id}: registered as ФД ${documentNumber} ФП ${fiscalSign}, shift ${shiftNumber}, ${time}.`,
    unsent === 0
      ? "The data operator had confirmed every document before it."
      : `Documents that the data operator had not confirmed: ${unsent}${first}${since}.`,
  ];
}

function interimLines(id: number, { shiftNumber, time, xReport }: InterimFacts): string[] {
  const { shiftOpen, receipts, signs, drawer, unsent } = xReport;
  const rows: [what: string, text: string][] = [
    ...(shiftOpen ? [["receipts", String(receipts)] satisfies [string, string]] : []),
    ...signs.map(({ sign, count, totalKopecks, tenders }): [string, string] => [
      SETTLEMENT_SIGNS[sign],
      `${count}, ${formatKopecks(totalKopecks)}: ${tendersOf(tenders)}`,
    ]),
    [
      "drawer",
      `${formatKopecks(drawer.balanceKopecks)}; put in ${formatKopecks(drawer.inKopecks)}, taken out ${formatKopecks(drawer.outKopecks)}`,
    ],
    ["unsent", `${unsent} not confirmed by the data operator`],
  ];
  return [
    `Entry ${id}: printed, shift ${shiftNumber} is ${shiftOpen ? "open" : "closed"}, ${time}.`,
    ...rows.map(([what, text]) => `  ${what.padEnd(16)}${text}`),
  ];
}
