import { formatKopecks } from "../../../kernel/money.ts";
import { formatQuantity } from "../../../kernel/quantity.ts";
import type { CorrectionStep } from "../../../model/correction.ts";
import { type CorrectionBasis, type ReceiptLine, SETTLEMENT_SIGNS } from "../../../model/document.ts";
import type { CorrectionOperation } from "../../../model/operation.ts";
import { TAX_SYSTEMS, VAT_RATES } from "../../../model/tax.ts";
import { isMeasured } from "../../../model/units.ts";
import { dayText, tendersOf } from "./amounts.ts";

const WHY: Record<CorrectionStep, string> = {
  undo: "undoes the receipt: its own data with the opposite sign",
  redo: "settles what should have been registered",
  missed: "registers what was settled and never registered",
};

/** Returns the content of one correction, for the person who orders the correction and is responsible for it. */
export function stepLines(number: number, { step, settlement }: CorrectionOperation): string[] {
  const { sign, basis, lines, totalKopecks, roundingKopecks, tenders, vatTotals, taxSystem, originalSign } = settlement;
  const rows: [what: string, text: string][] = [
    ["basis", basisText(basis)],
    ["tax system", TAX_SYSTEMS[taxSystem].label],
    ...(originalSign === undefined ? [] : [["tag 1192", `ФП ${originalSign}`] satisfies [string, string]]),
    ...lines.map((line, at): [string, string] => [at === 0 ? "positions" : "", lineText(line)]),
    [
      "total",
      `${formatKopecks(totalKopecks)}: ${tendersOf(tenders)}${roundingKopecks === 0 ? "" : `, rounded down by ${formatKopecks(roundingKopecks)}`}`,
    ],
    ...vatTotals.map(({ vat, sumKopecks }, at): [string, string] => [
      at === 0 ? "VAT" : "",
      `${VAT_RATES[vat].totalLabel} ${formatKopecks(sumKopecks)}`,
    ]),
    ...(tenders.cashKopecks === 0
      ? []
      : [["drawer", drawerText(sign === 1 || sign === 4, tenders.cashKopecks)] satisfies [string, string]]),
  ];
  return [
    `${number}. КАССОВЫЙ ЧЕК КОРРЕКЦИИ, ${SETTLEMENT_SIGNS[sign]}: ${WHY[step]}`,
    ...rows.map(([what, text]) => `   ${what.padEnd(12)}${text}`),
  ];
}

function lineText(line: ReceiptLine): string {
  const { name, quantityMillionths, unit, priceKopecks, sumKopecks, vat, vatKopecks, mark, unreadMark } = line;
  const { label, totalIs } = VAT_RATES[vat];
  const tax = totalIs === "vat" ? `${label} ${formatKopecks(vatKopecks)}` : label;
  const marked =
    mark === undefined
      ? ""
      : `, with its marking code${unreadMark === undefined ? "" : `, which could not be read (${unreadMark})`}${isMeasured(line) ? ", by measure" : ""}`;
  return `${name}: ${formatQuantity(quantityMillionths)} ${unit.label} x ${formatKopecks(priceKopecks)} = ${formatKopecks(sumKopecks)}, ${tax}${marked}`;
}

function drawerText(comesIn: boolean, kopecks: number): string {
  return `the register counts ${formatKopecks(kopecks)} ${comesIn ? "into" : "out of"} its drawer; see that the money goes the same way`;
}

/** Tags 1173, 1178 and 1179. */
export function basisText(basis: CorrectionBasis): string {
  const kind = basis.kind === "order" ? `ПО ПРЕДПИСАНИЮ № ${basis.orderNumber}` : "САМОСТОЯТЕЛЬНО";
  return `${kind}, date of the settlement ${dayText(basis.settledOn)}`;
}
