import type { SettlementSign, VatTotal } from "../../../model/document.ts";
import type { Counters, SignTotals } from "../../../model/facts.ts";
import { VAT_CODES, type VatCode } from "../../../model/tax.ts";
import type { Requisites } from "./requisites.ts";

export const NO_COUNTERS: Counters = { signs: [], corrections: 0 };

const SIGN_TAGS: readonly [SettlementSign, number][] = [
  [1, 1129],
  [2, 1130],
  [3, 1131],
  [4, 1132],
];
const VAT_TAGS: readonly [VatCode, number][] = [
  [1, 1139],
  [2, 1140],
  [3, 1141],
  [4, 1142],
  [5, 1143],
  [6, 1183],
];
const CORRECTION_SUM_TAGS: readonly [SettlementSign, number][] = [
  [1, 1145],
  [2, 1232],
  [3, 1146],
  [4, 1233],
];

/** Returns the counters in tags 1194 and 1157 (fiscal-receipts 1.6). Omits signs without receipts and rates without a sum. */
export function countersOf(structure: Requisites | undefined): Counters | undefined {
  if (structure === undefined) return undefined;
  const signs = SIGN_TAGS.flatMap(([sign, tag]) => signTotals(sign, structure.list(tag)));
  const corrections = structure.list(1133);
  const count = corrections?.number(1144) ?? 0;
  const correctionSums = CORRECTION_SUM_TAGS.flatMap(([sign, tag]) => {
    const totalKopecks = corrections?.number(tag) ?? 0;
    return totalKopecks === 0 ? [] : [{ sign, totalKopecks }];
  });
  return { signs, corrections: count, ...(correctionSums.length === 0 ? {} : { correctionSums }) };
}

function signTotals(sign: SettlementSign, structure: Requisites | undefined): SignTotals[] {
  const count = structure?.number(1135) ?? 0;
  if (structure === undefined || count === 0) return [];
  const sum = (tag: number) => structure.number(tag) ?? 0;
  return [
    {
      sign,
      count,
      totalKopecks: sum(1201),
      tenders: {
        cashKopecks: sum(1136),
        nonCashKopecks: sum(1138),
        prepaidKopecks: sum(1218),
        creditKopecks: sum(1219),
        otherKopecks: sum(1220),
      },
      vatTotals: vatTotals(structure),
    },
  ];
}

/** Returns the VAT totals. A device that counts the newer rates gives their totals in tag 1115, as in a receipt (fiscal-receipts 1.6). */
function vatTotals(structure: Requisites): VatTotal[] {
  const own = VAT_TAGS.map(([vat, tag]) => ({ vat, sumKopecks: structure.number(tag) ?? 0 }));
  const shared = (structure.list(1115)?.lists(1119) ?? []).flatMap((total) => {
    const vat = VAT_CODES.find((code) => code === total.number(1199));
    return vat === undefined ? [] : [{ vat, sumKopecks: total.number(1120) ?? 0 }];
  });
  return [...own, ...shared].filter(({ sumKopecks }) => sumKopecks !== 0).sort((a, b) => a.vat - b.vat);
}
