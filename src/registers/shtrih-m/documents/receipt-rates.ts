import type { Deadline } from "../../../kernel/deadline.ts";
import { isSumsOnly } from "../../../model/correction.ts";
import type { TradeDocument } from "../../../model/document.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { VAT_RATES, type VatCode } from "../../../model/tax.ts";
import { VAT20_VALUES, type Vat20 } from "../identity/abilities.ts";
import type { KnownDevice } from "../identity/identity.ts";
import { refusalOf, unreachable } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import { isClosable, isCorrectable } from "./receipt-closing.ts";
import { rateOf } from "./receipt-lines.ts";

/** `known`: the device with its current setting, also after a refusal. */
type Rates = { known: KnownDevice } & ({ kind: "ready" } | { kind: "refused"; refusal: Refusal });

/**
 * Ensures that every rate of the receipt is registered unchanged. Some devices have a setting that registers 20 % as 22 %. The setting is
 * switched off for a receipt with the old rate, such as a return of a sale before 2026. The setting is switched on for a receipt with 22 %
 * in two cases:
 *
 * - the tax table has no row for 22 %
 * - the closing must contain the taxes, and FF45 has no field for 22 % (shtrih-protocol 5.7)
 *
 * A receipt that fits neither setting is refused, and the setting is not changed. A receipt that needs the other setting is also refused
 * when the device has no such setting, refuses the change or does not answer.
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
      // The setting may have been written. Until it is read or written again, no rate that depends on the setting is sent.
      return { kind: "refused", refusal: unreachable(written.reason), known: withVat20(known, "unclear") };
  }
}

/** Returns the first rate of the document that the device cannot register unchanged. */
function unknownRate(document: TradeDocument, { identity, abilities }: KnownDevice): VatCode | undefined {
  const { lines, vatTotals } = document;
  return isSumsOnly(document, identity.ffd)
    ? vatTotals.find(({ vat }) => !isCorrectable(vat, abilities))?.vat
    : lines.find(({ vat }) => rateOf(vat, abilities) === undefined || !isClosable(vat, abilities))?.vat;
}

const SETTINGS = ["kept", "replaced"] as const;

function withVat20(known: KnownDevice, vat20: Vat20): KnownDevice {
  return { ...known, abilities: { ...known.abilities, vat20 } };
}
