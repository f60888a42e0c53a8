import { statSync } from "node:fs";
import { messageOf } from "../kernel/failure.ts";
import { storeFailure } from "./failures.ts";

/** Refuses a missing or empty file, which has no journal. Call this before opening the file, because opening makes the file. */
export function refuseFileWithoutJournal(file: string, why: string): void {
  const found = sizeOf(file);
  if (found === undefined) throw missing(`There is no database at ${file}`, why);
  if (found === 0) throw missing(`The database ${file} is empty`, why);
}

/** Throws `journal-missing`. Call this for an opened database without tables. */
export function refuseWithoutJournal(place: string, why: string): void {
  throw missing(`There is no journal in ${place}`, why);
}

function sizeOf(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size;
  } catch (error) {
    throw storeFailure("database-failed", "dependency", `Cannot open the database ${file}: ${messageOf(error)}`, { cause: error });
  }
}

function missing(what: string, why: string) {
  return storeFailure("journal-missing", "caller", `${what}: ${why}`);
}
