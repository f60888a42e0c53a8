import type { Deadline } from "../../../kernel/deadline.ts";
import { isSumsOnly } from "../../../model/correction.ts";
import type { TradeDocument } from "../../../model/document.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { VAT_RATES, type VatCode } from "../../../model/tax.ts";
import { VAT20_VALUES, type Vat20 } from "../identity/abilities.ts";
import type { KnownDevice } from "../identity/identity.ts";
import { refusalOf, unreachable } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import { isCorrectable } from "./receipt-closing.ts";
import { rateOf } from "./receipt-lines.ts";

/** `known`: as the device is set from now on, whatever became of the receipt. */
export type Rates = { known: KnownDevice } & ({ kind: "ready" } | { kind: "refused"; refusal: Refusal });

/**
 * Sees to it that every rate of the receipt is registered as it is. A device that makes 22 % of 20 % is told
 * not to when a receipt holds the old rate, as returns of what was sold before 2026 do; one that has no row for
 * 22 % is told to when a receipt holds that. A receipt that no setting suits is refused, and nothing is changed.
 */
export async function readyRates(connection: Connection, known: KnownDevice, document: TradeDocument, deadline: Deadline): Promise<Rates> {
  const vat = unknownRate(document, known);
  if (vat === undefined) return { kind: "ready", known };
  const { vat20Place: place } = known.abilities;
  const wanted = SETTINGS.find((vat20) => unknownRate(document, withVat20(known, vat20)) === undefined);
  const { label, numerator } = VAT_RATES[vat];
  const refusal = refusalOf("vat-rate", `Касса не регистрирует ставку ${label}: обновите её программу или настройки`);
  const refused: Rates = { kind: "refused", refusal: { ...refusal, details: { rate: String(numerator) } }, known };
  if (place === undefined || wanted === undefined) return refused;

  const value = Buffer.of(VAT20_VALUES[wanted]);
  const written = await connection.ask("writeTable", { password: connection.passwords.system, ...place, row: 1, value }, deadline);
  switch (written.kind) {
    case "ok":
      connection.note("warn", "the register is told anew what 20 % is: a receipt needs it so", { ...place, vat20: wanted });
      return { kind: "ready", known: withVat20(known, wanted) };
    case "error":
      return refused;
    case "unreachable":
      // Written or not: until it has been written again nothing is sent that depends on it.
      return { kind: "refused", refusal: unreachable(written.reason), known: withVat20(known, "unclear") };
  }
}

/** The first rate of the document that the device cannot register as it is. */
function unknownRate(document: TradeDocument, { identity, abilities }: KnownDevice): VatCode | undefined {
  const { lines, vatTotals } = document;
  return isSumsOnly(document, identity.ffd)
    ? vatTotals.find(({ vat }) => !isCorrectable(vat, abilities))?.vat
    : lines.find(({ vat }) => rateOf(vat, abilities) === undefined)?.vat;
}

const SETTINGS = ["kept", "replaced"] as const;

function withVat20(known: KnownDevice, vat20: Vat20): KnownDevice {
  return { ...known, abilities: { ...known.abilities, vat20 } };
}
