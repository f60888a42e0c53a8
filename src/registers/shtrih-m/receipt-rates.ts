import type { Deadline } from "../../kernel/deadline.ts";
import type { ReceiptDocument } from "../../model/document.ts";
import type { Refusal } from "../../model/refusal.ts";
import { VAT_RATES } from "../../model/tax.ts";
import { TABLES } from "./commands-values.ts";
import type { Connection } from "./connection.ts";
import type { Known } from "./identity.ts";
import { REPLACED, unknownRate } from "./receipt-lines.ts";
import { refusalOf } from "./refusals.ts";

export type Rates = { kind: "ready"; known: Known } | { kind: "refused"; refusal: Refusal };

/**
 * Sees to it that every rate of the receipt is registered as it is. A device that makes 22 % of 20 % is told
 * not to: returns of what was sold before 2026 need the old rate, and 22 % is sent as itself.
 */
export async function readyRates(connection: Connection, known: Known, document: ReceiptDocument, deadline: Deadline): Promise<Rates> {
  const vat = unknownRate(document, known);
  if (vat === undefined) return { kind: "ready", known };
  const { vat20Field: field, replacesVat20 } = known.abilities;
  if (replacesVat20 && REPLACED.includes(vat) && field !== undefined) {
    const value = Buffer.of(0);
    const place = { table: TABLES.regional, row: 1, field };
    const written = await connection.ask("writeTable", { password: connection.passwords.system, ...place, value }, deadline);
    if (written.kind === "ok") {
      connection.note("warn", "the register no longer makes 22 % of 20 %: a receipt needs the old rate", place);
      return readyRates(connection, { ...known, abilities: { ...known.abilities, replacesVat20: false } }, document, deadline);
    }
  }
  const { label, numerator } = VAT_RATES[vat];
  const refusal = refusalOf("vat-rate", `Касса не регистрирует ставку ${label}: обновите её программу или настройки`);
  return { kind: "refused", refusal: { ...refusal, details: { rate: String(numerator) } } };
}
