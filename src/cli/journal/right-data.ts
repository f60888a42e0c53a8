import { messageOf } from "../../kernel/failure.ts";
import { withTaxes } from "../../model/correction.ts";
import { isTrade, type TradeDocument } from "../../model/document.ts";
import { settlementProblem } from "../../model/settlement-problem.ts";
import { parseStoredReceipt } from "../../receipts/schema.ts";
import { UsageError } from "../command.ts";
import { readInput } from "../input-file.ts";

/**
 * Reads the right data from a file: the output of `journal show KEY --json` with corrected values. Computes taxes anew. Throws `UsageError`
 * when the file cannot be read or its data are wrong.
 */
export async function readRightData(file: string): Promise<TradeDocument> {
  const stored = parseStoredReceipt(await readJson(file));
  if (stored.kind === "wrong") throw new UsageError(`${file}: ${stored.problem}`);
  const { document } = stored.receipt;
  if (!isTrade(document)) throw new UsageError(`${file}: document.kind: expected a receipt`);
  const problem = settlementProblem(document);
  if (problem !== undefined) throw new UsageError(`${file}: document.${problem}`);
  return withTaxes(document);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readInput(file));
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  }
}
