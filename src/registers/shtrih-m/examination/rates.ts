import { VAT_CODES, VAT_RATES, type VatCode } from "../../../model/tax.ts";
import type { Facts } from "../../examination-schema.ts";
import { readTableNumber, TABLES } from "../commands/values.ts";
import { isClosable } from "../documents/receipt-closing.ts";
import { rateOf, rowOf } from "../documents/receipt-lines.ts";
import type { Abilities } from "../identity/abilities.ts";
import { NO_LIMIT, readField } from "../identity/fields.ts";
import { hexOf, type Questions } from "./questions.ts";

/** Returns each rate with the byte that is sent for it. No byte: the device cannot register the rate with its current setting. */
export function sentRates(abilities: Abilities): Facts["rates"] {
  return VAT_CODES.map((code) => {
    const byte = isClosable(code, abilities) ? rateOf(code, abilities) : undefined;
    return { label: VAT_RATES[code].label, code, ...(byte === undefined ? {} : { sentAs: hexOf(byte) }) };
  });
}

/** A tax table row whose rate differs from shtrih-protocol 6. */
export interface OtherRate {
  row: number;
  code: VatCode;
  percent: number;
}

/**
 * Returns the rows with a changed rate. Row numbers are the same on all models (shtrih-protocol 6), but a person may have changed the
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
