import type { ReceiptLine, SettlementSign } from "../../../model/document.ts";
import type { Ffd } from "../../../model/facts.ts";
import { codeTaken, type MarkReader } from "../../../model/marks/marks.ts";
import { subjectIn } from "../../../model/subjects.ts";
import type { VatCode } from "../../../model/tax.ts";
import { positionTags } from "../../tags/settlement.ts";
import { encodeRequisites } from "../../tags/tlv.ts";
import { decodeCp1251, encodeCp1251 } from "../commands/charset.ts";
import type { RequestOf } from "../commands/commands.ts";
import type { Abilities } from "../identity/abilities.ts";
import type { KnownDevice } from "../identity/identity.ts";
import { withinLimit } from "./request-size.ts";

/** The commands of one line: FF46, FF4D for each tag, and FF67 for a mark. */
export interface SentLine {
  operation: Omit<RequestOf<"operation">, "password">;
  /** The line's tags. Each needs its own FF4D. */
  tags: Buffer[];
  /** Sent with FF67. */
  mark?: Buffer;
}

/**
 * The rate bytes of FF46 (shtrih-protocol 10.1). For 22 % and 22/122, CBh and CCh name the row of the tax table, on every model. The bytes
 * 90h and A0h are never sent: one source assigns these bytes to 22 % and 22/122 on the Nano, but another source assigns 90h to 7/107. A
 * device refuses a byte that it does not know, but a device that knows 90h as 7/107 would register this wrong rate.
 */
const RATES: Record<VatCode, number> = {
  1: 0x01,
  2: 0x02,
  3: 0x10,
  4: 0x20,
  5: 0x04,
  6: 0x08,
  7: 0x81,
  8: 0x82,
  9: 0x84,
  10: 0x88,
  11: 0xcb,
  12: 0xcc,
};
/** The tax table row of each rate (shtrih-protocol 6, table 6). */
const ROWS: Record<VatCode, number> = { 1: 1, 2: 2, 3: 5, 4: 6, 5: 3, 6: 4, 7: 7, 8: 8, 9: 9, 10: 10, 11: 11, 12: 12 };
/** Returns the rate's row in the tax table. A device may have fewer rows. */
export function rowOf(vat: VatCode): number {
  return ROWS[vat];
}

/** Rates that become 22 % and 22/122 when T17F71 is 1. */
const REPLACED: readonly VatCode[] = [1, 3];
/** The bytes of 22 % and 22/122 on a device without table rows for these rates, while T17F71 is 1. */
const STANDING_FOR: Partial<Record<VatCode, number>> = { 11: RATES[1], 12: RATES[3] };

/** Requisites that are not sent as tags, because they are fields of FF46 or FF67, or because the drive adds them. */
const CARRIED = new Set([1030, 1079, 1023, 1043, 1199, 1200, 1214, 1212, 2102, 2106]);
const UNIT_CODE = 2108;
const UNIT_NAME = 1197;
/** A device's default unit. */
const PIECES = 0;
const NO_DEPARTMENT = 0;
/** The limit of a name. Replaced letters can make a name longer; the rest is cut (shtrih-protocol 5.7). */
const MAX_NAME_BYTES = 128;

/** Converts a line to its commands. Marking codes are sent unchanged, with their separators (shtrih-protocol 5.9). */
export function sentLine(line: ReceiptLine, sign: SettlementSign, { identity, abilities }: KnownDevice, readMark: MarkReader): SentLine {
  const { ffd } = identity;
  return {
    operation: {
      operation: sign,
      quantity: line.quantityMillionths,
      price: line.priceKopecks,
      sum: line.sumKopecks,
      taxSum: line.vat === 5 || line.vat === 6 ? "not-given" : line.vatKopecks,
      taxRate: rateOf(line.vat, abilities) ?? 0,
      department: NO_DEPARTMENT,
      method: line.method,
      subject: subjectIn(ffd, line.subject),
      name: decodeCp1251(encodeCp1251(line.name, MAX_NAME_BYTES)),
    },
    tags: itemTags(line, ffd, readMark),
    ...(line.mark === undefined || ffd !== "1.2" ? {} : { mark: markBytes(line.mark, readMark) }),
  };
}

/** Returns the line's encoded tags for FF4D. */
export function itemTags(line: ReceiptLine, ffd: Ffd, readMark: MarkReader): Buffer[] {
  // In format 1.2 FF67 carries the whole code, so the tags of the code need not be made.
  const { mark: _, ...unmarked } = line;
  const tags = positionTags(ffd === "1.2" ? unmarked : line, ffd, readMark).filter(({ tag }) => {
    if (tag === UNIT_CODE || tag === UNIT_NAME) return line.unit.code !== PIECES;
    return !CARRIED.has(tag);
  });
  return tags.map((requisite) => encodeRequisites([withinLimit(requisite)]));
}

/** Returns the marking code for a device: with separators, without the scanner's prefix. */
export function markBytes(mark: string, readMark: MarkReader): Buffer {
  return Buffer.from(codeTaken(mark, readMark).text, "latin1");
}

/** Returns the rate's byte. Undefined: the device does not know the rate, or may register a different rate. */
export function rateOf(vat: VatCode, { taxRows, vat20 }: Pick<Abilities, "taxRows" | "vat20">): number | undefined {
  if (REPLACED.includes(vat) && vat20 !== "kept") return undefined;
  if (ROWS[vat] <= taxRows) return RATES[vat];
  return vat20 === "replaced" ? STANDING_FOR[vat] : undefined;
}
