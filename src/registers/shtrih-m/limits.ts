import { isSumsOnly } from "../../model/correction.ts";
import type { TradeDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import { markReader } from "../../model/marks/marks.ts";
import type { Refusal } from "../../model/refusal.ts";
import { TAX_SYSTEMS, VAT_RATES } from "../../model/tax.ts";
import { hasRoomFor } from "../tags/drive-room.ts";
import { isCorrectable } from "./documents/receipt-closing.ts";
import { limitOfReceipt } from "./documents/receipt-limits.ts";
import { limitOfMarks } from "./documents/receipt-marks.ts";
import { refusalOf } from "./refusals/refusals.ts";

/**
 * Returns why no device of this identity can make the document: for example the tax system is not registered, or the document is too long
 * for a drive. Missing tax table rows are detected only when the document is made.
 */
export function limitOf(document: TradeDocument, identity: RegisterIdentity): Refusal | undefined {
  const readMark = markReader();
  const limited = limitOfReceipt(document, identity.ffd, readMark) ?? limitOfMarks(document, identity.ffd, readMark);
  if (limited !== undefined) return limited;
  const { taxSystems, ffd } = identity;
  if (taxSystems.length > 0 && !taxSystems.includes(document.taxSystem)) {
    return refusalOf("device-refused", `Касса не зарегистрирована с системой налогообложения ${TAX_SYSTEMS[document.taxSystem].label}`);
  }
  const rate = isSumsOnly(document, ffd)
    ? document.vatTotals.find(({ vat }) => !SETTINGS.some((vat20) => isCorrectable(vat, { vat20 })))
    : undefined;
  if (rate !== undefined) return refusalOf("vat-rate", `ФФД ${ffd} не знает коррекции со ставкой ${VAT_RATES[rate.vat].label}`);
  return hasRoomFor(document, identity, readMark)
    ? undefined
    : refusalOf("document-too-large", "Чек не помещается в фискальный накопитель");
}

/** Possible device settings for the 20 % rate. The driver chooses the setting that a document needs. */
const SETTINGS = ["kept", "replaced"] as const;
