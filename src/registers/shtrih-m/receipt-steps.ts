import type { Deadline } from "../../kernel/deadline.ts";
import type { ReceiptDocument, SettlementSign } from "../../model/document.ts";
import { TAX_SYSTEMS, type VatCode } from "../../model/tax.ts";
import { decodeCp866, encodeCp866 } from "../tags/cp866.ts";
import { settlementTags } from "../tags/settlement.ts";
import type { Requisite } from "../tags/tags.ts";
import { encodeRequisites, maxBytes } from "../tags/tlv.ts";
import type { Called } from "./caller.ts";
import type { CommandName, RequestOf } from "./commands.ts";
import type { Connection, Passwords } from "./connection.ts";
import type { Known } from "./identity.ts";
import { callWhenPrinted } from "./printing.ts";
import { type SentLine, sentLine } from "./receipt-lines.ts";

/** One command on the way to a document; nothing is registered by it. */
export interface Step {
  name: CommandName;
  send(connection: Connection, deadline: Deadline): Promise<Called<CommandName>>;
}

export function step<N extends CommandName>(name: N, values: RequestOf<N>): Step {
  return { name, send: (connection, deadline) => callWhenPrinted(connection, name, values, deadline) };
}

/** Types of 8Dh, which are numbered otherwise than the operations of FF46 (reference 5.7). */
const TYPES: Record<SettlementSign, number> = { 1: 0, 2: 2, 3: 1, 4: 3 };

/** Everything of a receipt but its closing, in the order in which the device wants it. */
export function receiptSteps(document: ReceiptDocument, known: Known, passwords: Passwords): Step[] {
  const { place, buyer, extra } = settlementTags(elsewhere(document, known), known.identity.ffd);
  return [
    step("openReceipt", { password: passwords.operator, type: TYPES[document.sign] }),
    ...tagSteps([...place, ...buyer, ...extra], passwords),
    ...document.lines.flatMap((line) => lineSteps(sentLine(line, document.sign, known), known, passwords)),
  ];
}

/** Address and place are those of the registration unless the document says otherwise. */
export function elsewhere<D extends { address?: string; place?: string }>({ address, place, ...document }: D, { identity }: Known) {
  return {
    ...document,
    ...(address === undefined || address === identity.address ? {} : { address }),
    ...(place === undefined || place === identity.place ? {} : { place }),
  };
}

/** Longest TLV of FF0C (reference 5.7), and the blocks in which a longer one is loaded. */
const MAX_TLV_BYTES = 250;
const BLOCK_BYTES = 64;
const TLV_BLOCKS = 1;

/** Tags of a document, one command each. */
export function tagSteps(requisites: readonly Requisite[], { system }: Passwords): Step[] {
  return requisites.flatMap((requisite) => {
    const tlv = encodeRequisites([withinLimit(requisite)]);
    if (tlv.length <= MAX_TLV_BYTES) return [step("documentTags", { password: system, tlv })];
    const blocks = Array.from({ length: Math.ceil(tlv.length / BLOCK_BYTES) }, (_, block) => {
      const data = Buffer.alloc(BLOCK_BYTES);
      tlv.copy(data, 0, block * BLOCK_BYTES);
      return step("loadData", { password: system, type: TLV_BLOCKS, block, data });
    });
    return [...blocks, step("loadedTags", { password: system })];
  });
}

/** A text that letters outside the code page have made too long is cut. */
function withinLimit(requisite: Requisite): Requisite {
  const { tag, value } = requisite;
  if (typeof value !== "string") return requisite;
  const bytes = encodeCp866(value);
  const limit = maxBytes(tag);
  return bytes.length <= limit ? requisite : ({ tag, value: decodeCp866(bytes.subarray(0, limit)) } as Requisite);
}

/** Most devices take the tags of a position after it, those on Android before it (reference 5.7, FF4D). */
function lineSteps({ operation, tags, mark }: SentLine, { abilities }: Known, { operator, system }: Passwords): Step[] {
  const position = step("operation", { password: operator, ...operation });
  const more = [
    ...tags.map((tlv) => step("itemTags", { password: operator, tlv })),
    ...(mark === undefined ? [] : [step("bindMark", { password: system, code: mark })]),
  ];
  return abilities.tagsBeforeItem ? [...more, position] : [position, ...more];
}

/** Payments of FF45: one is cash, two electronic, 14 to 16 prepaid, credit and other (reference 10.2). */
const SLOTS = 16;
/** The rates of its six taxes, and of the four that may follow a text. */
const CLOSING_RATES: readonly VatCode[] = [1, 2, 5, 6, 3, 4];
const MORE_RATES: readonly VatCode[] = [7, 8, 9, 10];
/** On a device that makes 22 % of 20 %, the tax of 22 % stands in the place of that. */
const STANDS_FOR: Partial<Record<VatCode, VatCode>> = { 1: 11, 3: 12 };
const TEXT_BYTES = 64;

/** What registers the receipt: FF45. */
export function closingOf(document: ReceiptDocument, { abilities }: Known, { operator }: Passwords): RequestOf<"closeReceipt"> {
  const { tenders } = document;
  const payments = Array.from({ length: SLOTS }, () => 0);
  payments[0] = tenders.cashKopecks;
  payments[1] = tenders.nonCashKopecks;
  payments[13] = tenders.prepaidKopecks;
  payments[14] = tenders.creditKopecks;
  payments[15] = tenders.otherKopecks;
  const taxOf = (code: VatCode) =>
    abilities.taxOnTotal ? totalOf(document, abilities.vat20 === "replaced" ? (STANDS_FOR[code] ?? code) : code) : 0;
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

function totalOf({ vatTotals }: ReceiptDocument, code: VatCode): number {
  return vatTotals.find(({ vat }) => vat === code)?.sumKopecks ?? 0;
}
