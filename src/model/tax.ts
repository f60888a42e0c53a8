/** Taxation systems of tag 1055 (fiscal-receipts 4.1). */
export type TaxSystem = "osn" | "usn-income" | "usn-income-expense" | "eshn" | "patent";

export const TAX_SYSTEMS: Record<TaxSystem, { tag1055: number; label: string }> = {
  osn: { tag1055: 1, label: "ОСН" },
  "usn-income": { tag1055: 2, label: "УСН доход" },
  "usn-income-expense": { tag1055: 4, label: "УСН доход-расход" },
  eshn: { tag1055: 16, label: "ЕСХН" },
  patent: { tag1055: 32, label: "Патент" },
};

/** Codes of tag 1199 (fiscal-receipts 4.2). */
export type VatCode = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12;

interface VatRate {
  /** VAT is gross sum × numerator / denominator. The numerator is 0 for rates without a tax amount. */
  numerator: number;
  denominator: number;
  label: string;
  totalLabel: string;
  /** Tag of the receipt's total: the rate's own tag, or the structure 1115 → 1119 for the rates of 2025 and 2026. */
  totalTag: 1102 | 1103 | 1104 | 1105 | 1106 | 1107 | 1115;
  /** The content of the total: the tax, or the turnover for codes 5 and 6. */
  totalIs: "vat" | "turnover";
}

function vat(percent: number, calculated: boolean, totalTag: VatRate["totalTag"]): VatRate {
  const label = calculated ? `НДС ${percent}/${100 + percent}` : `НДС ${percent}%`;
  return { numerator: percent, denominator: 100 + percent, label, totalLabel: `СУММА ${label}`, totalTag, totalIs: "vat" };
}

export const VAT_RATES: Record<VatCode, VatRate> = {
  1: vat(20, false, 1102),
  2: vat(10, false, 1103),
  3: vat(20, true, 1106),
  4: vat(10, true, 1107),
  5: { numerator: 0, denominator: 100, label: "НДС 0%", totalLabel: "СУММА С НДС 0%", totalTag: 1104, totalIs: "turnover" },
  6: { numerator: 0, denominator: 100, label: "БЕЗ НДС", totalLabel: "СУММА БЕЗ НДС", totalTag: 1105, totalIs: "turnover" },
  7: vat(5, false, 1115),
  8: vat(7, false, 1115),
  9: vat(5, true, 1115),
  10: vat(7, true, 1115),
  11: vat(22, false, 1115),
  12: vat(22, true, 1115),
};

export const VAT_CODES: readonly VatCode[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
