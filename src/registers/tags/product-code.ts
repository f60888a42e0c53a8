import type { Ffd } from "../../model/facts.ts";
import type { MarkingCode } from "../../model/marks/marking-code.ts";
import { codeTaken, type MarkReader } from "../../model/marks/marks.ts";
import { decodeCp866, encodeCp866 } from "./cp866.ts";
import { requisite } from "./requisite.ts";
import type { Requisite } from "./tags.ts";

/**
 * Returns the product code of a marked position: for most shapes product and serial number. A receipt never stores the signature of a mark
 * that could be read (fiscal-receipts 4.7). In format 1.2 the code is a requisite inside tag 1163, in earlier formats it is tag 1162. An
 * unread mark is stored as unrecognised.
 */
export function productCode(mark: string, ffd: Ffd, read?: MarkReader): Requisite {
  const code = codeTaken(mark, read);
  return ffd === "1.2" ? requisite(1163, [structureOf(code)]) : requisite(1162, bytesOf(code));
}

/** The longest value of tag 1300. */
const UNRECOGNISED_BYTES = 32;

function structureOf(code: MarkingCode): Requisite {
  switch (code.shape) {
    case "gs1": {
      const value = `01${code.gtin}21${code.serial}`;
      return code.full ? requisite(1305, value) : requisite(1306, value);
    }
    case "tobacco-pack":
      return requisite(1306, code.gtin + code.serial);
    case "fur":
      return requisite(1307, code.text);
    case "ean-8":
      return requisite(1301, code.gtin);
    case "ean-13":
      return requisite(1302, code.gtin);
    case "itf-14":
      return requisite(1303, code.gtin);
    case "unrecognised":
      return requisite(1300, decodeCp866(cut(code.text, UNRECOGNISED_BYTES)));
  }
}

/** The type of the code: the first two bytes of tag 1162. */
const TYPES: Record<MarkingCode["shape"], number> = {
  gs1: 0x444d,
  "tobacco-pack": 0x444d,
  fur: 0x5246,
  "ean-8": 0x4508,
  "ean-13": 0x450d,
  "itf-14": 0x490e,
  unrecognised: 0x0000,
};
const TYPE_BYTES = 2;
const PRODUCT_BYTES = 6;
const MAX_BYTES = 32;

function bytesOf(code: MarkingCode): Buffer {
  const type = Buffer.alloc(TYPE_BYTES);
  type.writeUInt16BE(TYPES[code.shape]);
  switch (code.shape) {
    case "gs1":
      return Buffer.concat([type, productNumber(code.gtin), Buffer.from(code.serial, "ascii")]);
    case "tobacco-pack":
      return Buffer.concat([type, productNumber(code.gtin), Buffer.from(code.serial + code.price, "ascii")]);
    case "ean-8":
    case "ean-13":
    case "itf-14":
      return Buffer.concat([type, productNumber(code.gtin)]);
    case "fur":
    case "unrecognised":
      return Buffer.concat([type, cut(code.text, MAX_BYTES - TYPE_BYTES)]);
  }
}

function productNumber(gtin: string): Buffer {
  const bytes = Buffer.alloc(PRODUCT_BYTES);
  bytes.writeUIntBE(Number(gtin), 0, PRODUCT_BYTES);
  return bytes;
}

function cut(text: string, bytes: number): Buffer {
  return encodeCp866(text).subarray(0, bytes);
}
