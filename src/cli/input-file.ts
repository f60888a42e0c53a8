import { readFile, stat } from "node:fs/promises";
import { UsageError } from "./command.ts";

/** The largest input file. A receipt of a thousand lines takes a tenth of it. */
export const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** Reads a text file that a person named. Throws `UsageError` for a file larger than any valid input. */
export async function readInput(file: string, most = MAX_INPUT_BYTES): Promise<string> {
  const { size } = await stat(file);
  if (size > most) throw new UsageError(`more than ${most} bytes`);
  return readFile(file, "utf8");
}
