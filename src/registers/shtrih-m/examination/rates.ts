import { VAT_CODES, VAT_RATES, type VatCode } from "../../../model/tax.ts";
import type { Facts } from "../../examination-schema.ts";
import { readTableNumber, TABLES } from "../commands/values.ts";
import { isClosable } from "../documents/receipt-closing.ts";
import { rateOf, rowOf } from "../documents/receipt-lines.ts";
import type { Abilities } from "../identity/abilities.ts";
import { NO_LIMIT, readField } from "../identity/fields.ts";
import { hexOf, type Questions } from "./questions.ts";

/** Returns each rate with the byte that is sent for it. The byte is absent when the device, as it is set now, cannot register the rate. */
export function sentRates(abilities: Abilities): Facts["rates"] {
  return VAT_CODES.map((code) => {
    const byte = isClosable(code, abilities) ? rateOf(code, abilities) : undefined;
    return { label: VAT_RATES[code].label, code, ...(byte === undefined ? {} : { sentAs: hexOf(byte) }) };
  });
}

/** A row of the tax table that holds another rate than the reference gives for it. */
export interface OtherRate {
  row: number;
  code: VatCode;
  /** The rate in the row, per cent. */
  percent: number;
}

/**
 * Returns the rows whose rate was changed. The rows have the same numbers on all models (reference 6), but a person may have changed their
 * contents.
 */
export async function otherRates(questions: Questions, { taxRows }: Abilities): Promise<OtherRate[]> {
  const others: OtherRate[] = [];
  for (const code of VAT_CODES) {
    const row = rowOf(code);
    if (row > taxRows) continue;
    const read = await readField(questions, TABLES.taxes, row, RATE_FIELD, NO_LIMIT);
    if (read.kind !== "field") continue;
    const percent = readTableNumber(read.value) / HUNDREDTHS;
    const { numerator, totalIs } = VAT_RATES[code];
    if (percent !== (totalIs === "turnover" ? 0 : numerator)) others.push({ row, code, percent });
  }
  return others;
}

/** T6F1: the rate, in hundredths of a per cent. */
const RATE_FIELD = 1;
const HUNDREDTHS = 100;
