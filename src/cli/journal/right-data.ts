import { readFile } from "node:fs/promises";
import { messageOf } from "../../kernel/failure.ts";
import { formatKopecks, scaleKopecks } from "../../kernel/money.ts";
import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import { withTaxes } from "../../model/correction.ts";
import type { TradeDocument } from "../../model/document.ts";
import { parseStoredReceipt } from "../../receipts/schema.ts";
import { UsageError } from "../command.ts";
import { isTrade } from "./comparison.ts";

/**
 * What should have been registered, out of a file as `journal show KEY --json` writes it, with the data put
 * right in it. Taxes are computed anew. Throws `UsageError` for what no register would take.
 */
export async function readRightData(file: string): Promise<TradeDocument> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  }
  const stored = parseStoredReceipt(value);
  if (stored.kind === "wrong") throw new UsageError(`${file}: ${stored.problem}`);
  const { document } = stored.receipt;
  if (!isTrade(document)) throw new UsageError(`${file}: document.kind: expected a receipt`);
  const problem = problemOf(document);
  if (problem !== undefined) throw new UsageError(`${file}: document.${problem}`);
  return withTaxes(document);
}

/** The total may lie below the positions by kopecks only. */
const MAX_ROUNDING_KOPECKS = 99;

/** The first sum that does not follow from the others. */
function problemOf({ lines, totalKopecks, roundingKopecks, tenders }: TradeDocument): string | undefined {
  if (lines.length === 0) return "lines: a receipt has at least one";
  for (const [at, { priceKopecks, quantityMillionths, sumKopecks }] of lines.entries()) {
    const product = scaleKopecks(priceKopecks, BigInt(quantityMillionths), BigInt(ONE_MILLIONTHS));
    if (quantityMillionths <= 0 || Math.abs(product - sumKopecks) > 1) {
      return `lines.${at}.sumKopecks: price × quantity is ${formatKopecks(product)}, not ${formatKopecks(sumKopecks)}`;
    }
  }
  const linesKopecks = lines.reduce((sum, line) => sum + line.sumKopecks, 0);
  if (roundingKopecks < 0 || roundingKopecks > MAX_ROUNDING_KOPECKS) return "roundingKopecks: expected 0 to 99";
  if (linesKopecks - roundingKopecks !== totalKopecks) {
    return `totalKopecks: the lines come to ${formatKopecks(linesKopecks)}, less ${formatKopecks(roundingKopecks)} of rounding, not to ${formatKopecks(totalKopecks)}`;
  }
  const paid = Object.values(tenders).reduce((sum: number, kopecks: number) => sum + kopecks, 0);
  if (Object.values(tenders).some((kopecks: number) => kopecks < 0) || paid !== totalKopecks) {
    return `tenders: they come to ${formatKopecks(paid)}, not to the total of ${formatKopecks(totalKopecks)}`;
  }
  return undefined;
}
