import { parseWallTime } from "../../kernel/moment.ts";
import { MAX_ORDER_LENGTH, textProblem } from "../../model/correction-limits.ts";
import type { SettlementSign } from "../../model/document.ts";
import { UsageError } from "../command.ts";
import { given } from "../option-values.ts";

export interface CorrectOptions {
  settledOn?: string;
  orderNumber?: string;
  /** The ФП and, if known, the ФД of the receipt to undo, when this receipt is not the receipt in the journal. */
  fiscalSign?: string;
  documentNumber?: number;
  /** The person takes responsibility for a fiscal sign that neither the journal nor the drive contains. */
  unknownSign: boolean;
  /** The file with the right data, and the settlement sign of these data if it differs from the sign of the wrong data. */
  right?: string;
  settles?: SettlementSign;
  out?: string;
  /** Registers the corrections. Without this option nothing changes. */
  yes: boolean;
}

interface CorrectTexts {
  right?: string | undefined;
  settles?: string | undefined;
  sign?: string | undefined;
  number?: string | undefined;
  "unknown-sign": boolean;
  date?: string | undefined;
  order?: string | undefined;
  out?: string | undefined;
  yes: boolean;
}

/** Throws `UsageError` for malformed or contradictory options. */
export function correctOptions(texts: CorrectTexts): CorrectOptions {
  const { right, settles, sign, number, date, order, out, yes } = texts;
  if (out !== undefined && !yes) throw new UsageError("--out writes what --yes registers: without it there is nothing to write");
  if (sign === undefined && number !== undefined) throw new UsageError("--number says where the receipt of --sign stands: both are needed");
  if (sign === undefined && texts["unknown-sign"]) throw new UsageError("--unknown-sign is about the receipt of --sign, which is missing");
  if (right === undefined && settles !== undefined) throw new UsageError("--settles is about the data of --right, which are missing");
  return {
    yes,
    unknownSign: texts["unknown-sign"],
    ...(date === undefined ? {} : { settledOn: readDay(date) }),
    ...(order === undefined ? {} : { orderNumber: readOrder(order) }),
    ...(sign === undefined ? {} : { fiscalSign: readSign(sign) }),
    ...(number === undefined ? {} : { documentNumber: readNumber(number) }),
    ...(right === undefined ? {} : { right: given("--right", right, "a file") }),
    ...(settles === undefined ? {} : { settles: readSettles(settles) }),
    ...(out === undefined ? {} : { out: given("--out", out, "a folder") }),
  };
}

/** The words for the settlement signs, tag 1054. */
export const SIGN_WORDS: Record<SettlementSign, string> = { 1: "sale", 2: "return", 3: "purchase", 4: "purchase-return" };

/** Reads a day as `2026-11-12`, or as printed on paper. */
function readDay(text: string): string {
  const day = text.trim().replace(/^(\d\d)\.(\d\d)\.(?:20)?(\d\d)$/, "20$3-$2-$1");
  if (parseWallTime(`${day} 00:00:00`) === undefined) throw new UsageError("--date expects 2026-11-12 or, as on paper, 12.11.26");
  return day;
}

function readOrder(text: string): string {
  const order = text.trim();
  if (order === "" || order.length > MAX_ORDER_LENGTH) throw new UsageError(`--order expects 1 to ${MAX_ORDER_LENGTH} characters`);
  const problem = textProblem(order, MAX_ORDER_LENGTH);
  if (problem !== undefined) throw new UsageError(`--order: ${problem}`);
  return order;
}

/** Fiscal signs are printed and stored with ten digits, 32 bits (fiscal-receipts 3.1). */
const SIGN_DIGITS = 10;
const MAX_32_BITS = 2 ** 32 - 1;

function readSign(text: string): string {
  if (!/^\d{1,10}$/.test(text) || Number(text) > MAX_32_BITS)
    throw new UsageError(`--sign: expected 1 to 10 digits, at most ${MAX_32_BITS}`);
  return text.padStart(SIGN_DIGITS, "0");
}

function readNumber(text: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_32_BITS) throw new UsageError(`--number expects the number of a fiscal document, 1 to ${MAX_32_BITS}`);
  return number;
}

function readSettles(text: string): SettlementSign {
  const found = ([1, 2, 3, 4] as const).find((sign) => SIGN_WORDS[sign] === text);
  if (found === undefined) throw new UsageError(`--settles expects one of ${Object.values(SIGN_WORDS).join(", ")}`);
  return found;
}
