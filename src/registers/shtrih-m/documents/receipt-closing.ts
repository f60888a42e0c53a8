import type { Deadline } from "../../../kernel/deadline.ts";
import { isSumsOnly } from "../../../model/correction.ts";
import type { CorrectionDocument, TradeDocument } from "../../../model/document.ts";
import { TAX_SYSTEMS, type VatCode } from "../../../model/tax.ts";
import { type AnswerOf, type DecodedAnswer, decodeAnswer, type RequestOf } from "../commands/commands.ts";
import type { Abilities } from "../identity/abilities.ts";
import type { KnownDevice } from "../identity/identity.ts";
import type { Called } from "../session/caller.ts";
import type { Connection, Passwords } from "../session/connection.ts";
import { callWhenPrinted } from "../session/printing.ts";
import { checkRequest } from "./request-size.ts";

/** The device's answer about the registered document. FF45 gives the change; FF4A gives the receipt's number in its shift. */
export type ClosingAnswer = Pick<AnswerOf<"closeReceipt">, "documentNumber" | "fiscalSign" | "time"> & {
  change?: number;
  receipt?: number;
};

/** The command that registers the document. It is repeated only after the answer that the device is busy. `read` is for a late answer. */
export interface Closing {
  send(connection: Connection, deadline: Deadline): Promise<Called<"closeReceipt"> | Called<"correction">>;
  read(data: Buffer): DecodedAnswer<ClosingAnswer>;
}

/**
 * Returns the closing: FF45, or FF4A for a correction before format 1.1 (shtrih-protocol 11). Throws RangeError for values that do not fit
 * the command.
 */
export function closingOf(document: TradeDocument, known: KnownDevice, passwords: Passwords): Closing {
  return document.kind === "correction" && isSumsOnly(document, known.identity.ffd)
    ? correctionClosing(correctionValues(document, known, passwords))
    : receiptClosing(receiptValues(document, known, passwords));
}

function receiptClosing(values: RequestOf<"closeReceipt">): Closing {
  checkRequest("closeReceipt", values);
  return {
    send: (connection, deadline) => callWhenPrinted(connection, "closeReceipt", values, deadline),
    read: (data) => decodeAnswer("closeReceipt", data),
  };
}

function correctionClosing(values: RequestOf<"correction">): Closing {
  checkRequest("correction", values);
  return {
    send: (connection, deadline) => callWhenPrinted(connection, "correction", values, deadline),
    read: (data) => decodeAnswer("correction", data),
  };
}

/** Number of payment slots in FF45: 1 is cash, 2 electronic, 14 prepaid, 15 credit, 16 other (shtrih-protocol 10.2). */
const SLOTS = 16;
/** The rates of the six taxes of FF45 and FF4A, in field order. `MORE_RATES`: the rates of the four taxes that may follow FF45's text. */
const CLOSING_RATES: readonly VatCode[] = [1, 2, 5, 6, 3, 4];
const MORE_RATES: readonly VatCode[] = [7, 8, 9, 10];
/** On a device that registers 20 % as 22 %, the 20 % field contains the tax of 22 %. */
const STANDS_FOR: Partial<Record<VatCode, VatCode>> = { 1: 11, 3: 12 };
const TEXT_BYTES = 64;

function receiptValues(document: TradeDocument, { abilities }: KnownDevice, { operator }: Passwords): RequestOf<"closeReceipt"> {
  const { tenders } = document;
  const payments = Array.from({ length: SLOTS }, () => 0);
  payments[0] = tenders.cashKopecks;
  payments[1] = tenders.nonCashKopecks;
  payments[13] = tenders.prepaidKopecks;
  payments[14] = tenders.creditKopecks;
  payments[15] = tenders.otherKopecks;
  const taxOf = (code: VatCode) => (abilities.taxOnTotal ? totalOf(document, rateIn(code, abilities)) : 0);
  const moreVat = MORE_RATES.map(taxOf);
  return {
    password: operator,
    payments,
    rounding: document.roundingKopecks,
    vat: CLOSING_RATES.map(taxOf),
    taxSystem: TAX_SYSTEMS[document.taxSystem].tag1055,
    ...(moreVat.some((kopecks) => kopecks > 0) ? { closing: { text: "", padding: TEXT_BYTES, moreVat } } : {}),
  };
}

/** The taxes are always included, because no other command of this correction contains them. */
function correctionValues(document: CorrectionDocument, { abilities }: KnownDevice, { system }: Passwords): RequestOf<"correction"> {
  const { cashKopecks, nonCashKopecks, prepaidKopecks, creditKopecks, otherKopecks } = document.tenders;
  return {
    password: system,
    type: document.basis.kind === "order" ? BY_ORDER : ON_OWN_ACCOUNT,
    sign: document.sign,
    total: document.totalKopecks,
    payments: [cashKopecks, nonCashKopecks, prepaidKopecks, creditKopecks, otherKopecks],
    vat: CLOSING_RATES.map((code) => totalOf(document, rateIn(code, abilities))),
    taxSystem: TAX_SYSTEMS[document.taxSystem].tag1055,
  };
}

/** Values of tag 1173. */
const ON_OWN_ACCOUNT = 0;
const BY_ORDER = 1;

/** Whether FF4A has a field for the rate. False also for 20 % and 20/120 when the device may register the field as 22 % (`unclear`). */
export function isCorrectable(vat: VatCode, abilities: Pick<Abilities, "vat20">): boolean {
  const doubtful = abilities.vat20 !== "kept" && abilities.vat20 !== "replaced" && (vat === 1 || vat === 3);
  return !doubtful && CLOSING_RATES.some((code) => rateIn(code, abilities) === vat);
}

/** Whether FF45 can be sent with the rate. It needs a field for the rate only when the device charges the taxes on the total. */
export function isClosable(vat: VatCode, abilities: Pick<Abilities, "vat20" | "taxOnTotal">): boolean {
  return !abilities.taxOnTotal || [...CLOSING_RATES, ...MORE_RATES].some((code) => rateIn(code, abilities) === vat);
}

/** Returns the rate that the device registers for this closing field. */
function rateIn(code: VatCode, { vat20 }: Pick<Abilities, "vat20">): VatCode {
  return vat20 === "replaced" ? (STANDS_FOR[code] ?? code) : code;
}

function totalOf({ vatTotals }: TradeDocument, code: VatCode): number {
  return vatTotals.find(({ vat }) => vat === code)?.sumKopecks ?? 0;
}
