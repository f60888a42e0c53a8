import { decodeCp1251, encodeCp1251 } from "./charset.ts";
import {
  type Field,
  fixedText,
  i16,
  millionths,
  minute,
  money,
  moneyOrNone,
  optional,
  padding,
  raw,
  rest,
  text,
  thousandths,
  times,
  u8,
  u16,
  u32,
} from "./fields.ts";
import { row } from "./table.ts";

const password = u32;
const operator = u8;

/** Time limits of answers, ms (shtrih-protocol 3.3). */
const RECEIPT_MS = 30_000;
const TAGS_MS = 35_000;
const CLOSE_MS = 60_000;
const X_REPORT_MS = 60_000;
const Z_REPORT_MS = 90_000;
const OPEN_SHIFT_MS = 120_000;

const receipt = { allowedMs: RECEIPT_MS, clause: "5.7" } as const;
const cash = { allowedMs: RECEIPT_MS, clause: "5.6", registers: true } as const;
const tags = { allowedMs: TAGS_MS, clause: "5.7" } as const;

/** Optional bytes after the tax system of FF45: a text of up to 64 bytes, zeros included. Four newer taxes may follow exactly 64 bytes. */
interface ClosingText {
  text: string;
  padding: number;
  /** Kopecks of 5 %, 7 %, 5/105, 7/107. Only one of the protocol's sources names them. */
  moreVat?: readonly number[];
}

const CLOSING_TEXT_BYTES = 64;
const moreVat = times(4, money);

const closingText: Field<ClosingText> = {
  bytes: 1,
  length: (left) => left.length,
  read(from) {
    const long = from.length === CLOSING_TEXT_BYTES + moreVat.bytes;
    const line = long ? from.subarray(0, CLOSING_TEXT_BYTES) : from;
    const length = text.length?.(line) ?? 0;
    const read = { text: decodeCp1251(line.subarray(0, length)), padding: line.length - length };
    return long ? { ...read, moreVat: moreVat.read(from.subarray(CLOSING_TEXT_BYTES)) } : read;
  },
  write: (value) =>
    Buffer.concat(
      [encodeCp1251(value.text), Buffer.alloc(value.padding), value.moreVat === undefined ? "" : moreVat.write(value.moreVat)].map((part) =>
        Buffer.from(part),
      ),
    ),
};

/** Registration commands of document formats before 1.05. The table has them so that a device can refuse them by name. */
const oldRegistration = {
  password,
  quantity: thousandths,
  price: money,
  department: u8,
  taxes: times(4, u8),
  text,
  padding,
};

/** The taxes of FF45 and FF4A: 20 %, 10 %, turnover at 0 %, turnover without VAT, 20/120, 10/110. */
const vat = times(6, money);

/** Commands of cash drawer, reports and receipts (shtrih-protocol 5.6, 5.7). */
export const RECEIPT_COMMANDS = {
  cashIn: row(0x50, "cash in", { password, sum: money }, { operator, document: u16 }, cash),
  cashOut: row(0x51, "cash out", { password, sum: money }, { operator, document: u16 }, cash),
  xReport: row(0x40, "X report", { password }, { operator }, { allowedMs: X_REPORT_MS, clause: "5.6" }),
  zReport: row(0x41, "Z report", { password }, { operator }, { allowedMs: Z_REPORT_MS, clause: "5.6", registers: true }),
  openShift: row(
    0xe0,
    "open shift",
    { password },
    { operator: optional(operator) },
    { allowedMs: OPEN_SHIFT_MS, clause: "5.6", registers: true },
  ),

  openReceipt: row(0x8d, "open receipt", { password, type: u8 }, { operator }, receipt),
  cancelReceipt: row(0x88, "cancel receipt", { password }, { operator }, receipt),
  subtotal: row(0x89, "subtotal", { password }, { operator, sum: money }, { ...receipt, repeat: "safe" }),
  operation: row(
    0xff46,
    "operation",
    {
      password,
      operation: u8,
      quantity: millionths,
      price: money,
      sum: moneyOrNone,
      taxSum: moneyOrNone,
      taxRate: u8,
      department: u8,
      method: u8,
      subject: u8,
      name: text,
      padding,
    },
    {},
    tags,
  ),
  closeReceipt: row(
    0xff45,
    "close receipt",
    { password, payments: times(16, money), rounding: u8, vat, taxSystem: u8, closing: optional(closingText) },
    { change: money, documentNumber: u32, fiscalSign: u32, time: optional(minute) },
    { allowedMs: CLOSE_MS, clause: "5.7", registers: true },
  ),
  itemTags: row(0xff4d, "tags of item", { password, tlv: rest }, {}, tags),
  documentTags: row(0xff0c, "tags of document", { password, tlv: rest }, {}, tags),
  loadData: row(0xdd, "load data", { password, type: u8, block: u8, data: raw(64) }, {}, { ...tags, repeat: "safe" }),
  loadedTags: row(0xff64, "loaded tags", { password }, {}, tags),

  beginCorrection: row(0xff35, "begin correction", { password }, {}, tags),
  correction: row(
    0xff4a,
    "correction receipt",
    { password, type: u8, sign: u8, total: money, payments: times(5, money), vat, taxSystem: u8 },
    { receipt: u16, documentNumber: u32, fiscalSign: u32, time: optional(minute) },
    { allowedMs: CLOSE_MS, clause: "5.7", registers: true },
  ),
  shortCorrection: row(
    0xff36,
    "short correction receipt",
    { password, total: money, sign: u8 },
    { receipt: u16, documentNumber: u32, fiscalSign: u32, time: optional(minute) },
    { allowedMs: CLOSE_MS, clause: "5.7", registers: true },
  ),

  oldSale: row(0x80, "sale (old)", oldRegistration, { operator }, receipt),
  oldBuy: row(0x81, "buy (old)", oldRegistration, { operator }, receipt),
  oldSaleReturn: row(0x82, "return of sale (old)", oldRegistration, { operator }, receipt),
  oldBuyReturn: row(0x83, "return of buy (old)", oldRegistration, { operator }, receipt),
  oldStorno: row(0x84, "storno (old)", oldRegistration, { operator }, receipt),
  oldClose: row(
    0x85,
    "close receipt (old)",
    { password, payments: times(4, money), discount: i16, taxes: times(4, u8), text: fixedText(40) },
    { operator, change: money },
    { allowedMs: CLOSE_MS, clause: "5.7", registers: true },
  ),
};
