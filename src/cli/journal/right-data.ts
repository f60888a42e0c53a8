import { readFile, stat } from "node:fs/promises";
import { messageOf } from "../../kernel/failure.ts";
import { withTaxes } from "../../model/correction.ts";
import { isTrade, type TradeDocument } from "../../model/document.ts";
import { settlementProblem } from "../../model/settlement-problem.ts";
import { parseStoredReceipt } from "../../receipts/schema.ts";
import { UsageError } from "../command.ts";

/** A receipt of a thousand lines takes a tenth of it. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * What should have been registered, out of a file as `journal show KEY --json` writes it, with the data put
 * right in it. Taxes are computed anew. Throws `UsageError` for what no register would take.
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
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) throw new UsageError(`more than ${MAX_FILE_BYTES} bytes`);
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  }
}
