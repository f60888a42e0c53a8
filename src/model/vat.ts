import { scaleKopecks } from "../kernel/money.ts";
import type { ReceiptLine, VatTotal } from "./document.ts";
import type { Refusal } from "./refusal.ts";
import type { StoreProfile } from "./store-profile.ts";
import { TAX_SYSTEMS, VAT_CODES, VAT_RATES, type VatCode } from "./tax.ts";

/** VAT codes by the platform's rate. The rate is a free number, so rates outside this table may arrive. */
const CODES: Record<string, VatCode> = { "22": 11, "20": 1, "10": 2, "7": 8, "5": 7, "0": 5 };
const WITHOUT_VAT: VatCode = 6;
const RATE_20: VatCode = 1;
/** 5 % and 7 %, the rates of sellers under a simplified system. */
const SIMPLIFIED_RATES: readonly VatCode[] = [7, 8];
/** 20 % ended with 2025. Only returns of older goods still have it (fiscal-receipts 4.2). */
const FIRST_DAY_WITHOUT_20 = "2026-01-01";

type ChosenVat = { kind: "vat"; code: VatCode; forced: boolean } | { kind: "refused"; refusal: Refusal };

/** Chooses the VAT code of a position (tag 1199). `forced`: the rate was replaced, because the seller pays no VAT. */
export function chooseVat(
  trade: { kind: "sale" | "sales-return"; moment: string; vatEnabled: boolean },
  position: { vatEnabled: boolean; vatPercent?: string },
  profile: StoreProfile,
  parameter: string,
): ChosenVat {
  const taxed = trade.vatEnabled && position.vatEnabled;
  if (!profile.vatPayer) return { kind: "vat", code: WITHOUT_VAT, forced: taxed };
  if (!taxed) return { kind: "vat", code: WITHOUT_VAT, forced: false };
  const rate = position.vatPercent;
  if (rate === undefined) return { kind: "refused", refusal: { code: "field-invalid", parameter, details: { problem: "missing" } } };
  if (profile.taxSystem === "patent") {
    return { kind: "refused", refusal: { code: "vat-seller", parameter, details: { rate, taxSystem: TAX_SYSTEMS.patent.label } } };
  }
  const code = CODES[rate];
  if (code === undefined || !isAllowed(code, trade, profile)) {
    return { kind: "refused", refusal: { code: "vat-rate", parameter, details: { rate } } };
  }
  return { kind: "vat", code, forced: false };
}

function isAllowed(code: VatCode, trade: { kind: string; moment: string }, { taxSystem }: StoreProfile): boolean {
  if (SIMPLIFIED_RATES.includes(code)) return taxSystem === "usn-income" || taxSystem === "usn-income-expense";
  return code !== RATE_20 || trade.kind === "sales-return" || trade.moment < FIRST_DAY_WITHOUT_20;
}

/** Returns a unit price with VAT from a unit price without VAT (fiscal-receipts 5, rule 3). */
export function grossPrice(netKopecks: number, code: VatCode): number {
  const { numerator, denominator } = VAT_RATES[code];
  return scaleKopecks(netKopecks, BigInt(denominator), BigInt(denominator - numerator));
}

/** Tag 1200: the VAT inside a gross sum, rounded half up. */
export function vatWithin(sumKopecks: number, code: VatCode): number {
  const { numerator, denominator } = VAT_RATES[code];
  return scaleKopecks(sumKopecks, BigInt(numerator), BigInt(denominator));
}

/**
 * Returns for each rate the sum of the lines' rounded VAT (interface 6, VAT totals). For codes 5 (0 %) and 6 (without VAT): the sum of
 * the lines.
 */
export function vatTotalsOf(lines: readonly ReceiptLine[]): VatTotal[] {
  return VAT_CODES.flatMap((vat) => {
    const own = lines.filter((line) => line.vat === vat);
    if (own.length === 0) return [];
    const amountOf = (line: ReceiptLine) => (VAT_RATES[vat].totalIs === "turnover" ? line.sumKopecks : line.vatKopecks);
    return [{ vat, sumKopecks: own.reduce((total, line) => total + amountOf(line), 0) }];
  });
}
