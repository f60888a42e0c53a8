import { createReadStream } from "node:fs";
import { readAtMost } from "../kernel/files/bounded-read.ts";
import { UsageError } from "./command.ts";

/** The largest input file, unless the caller sets another limit. A receipt of a thousand lines needs a tenth of this size. */
export const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** Reads a text file or pipe that a person named. Throws `UsageError` above `most` bytes, and the file system's errors. */
export async function readInput(file: string, most = MAX_INPUT_BYTES): Promise<string> {
  const bytes = await readAtMost(createReadStream(file), most);
  if (bytes === undefined) throw new UsageError(`more than ${most} bytes`);
  return bytes.toString("utf8");
}

/** Whether the file system has refused something about a file that a person named. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
