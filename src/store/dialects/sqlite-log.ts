import { closeSync, openSync, realpathSync } from "node:fs";
import { ahead, type Mark } from "../changes.ts";
import { storeFailure } from "../failures.ts";
import { bytesAt } from "./sqlite-files.ts";
import { FRAME_HEADER_BYTES, frameAt, frameIn, HEADER_BYTES, LOG_HEADER_BYTES, logIn, markIn } from "./sqlite-format.ts";

/** The changes in a log: the first, the newest, and each change's token by its count. */
interface Logged {
  first: Mark;
  newest: Mark;
  tokens: ReadonlyMap<number, number>;
}

/**
 * Throws `database-damaged` when the log beside the database does not continue that database. This happens when a copy replaces the
 * database of a killed process; SQLite would mix the pages of both. Nothing is written.
 *
 * When a log begins, the database contains every earlier change. The log then gets all changes, and a checkpoint may copy some of them.
 * Call this before SQLite opens the files: closing a file here would free SQLite's locks on it.
 */
export function refuseForeignLog(file: string): void {
  // Another process may copy its log between the reads of the two files, so only two failed comparisons count.
  if (belongTogether(file) || belongTogether(file)) return;
  throw storeFailure(
    "database-damaged",
    "caller",
    `The log ${file}-wal does not continue the database ${file}, which is another copy: put back the database that it belongs to; or, to go on with this copy, move the log and ${file}-shm away. Nothing was changed`,
  );
}

function belongTogether(file: string): boolean {
  const database = openedAt(file);
  if (database === undefined) return true;
  // SQLite names the log after the real file, not after a link to it.
  const log = openedAt(`${realpathSync(file)}-wal`);
  try {
    const header = bytesAt(database, 0, HEADER_BYTES);
    const logged = log === undefined ? undefined : readLog(log);
    // A file without a header is no database. SQLite reports that itself.
    return header === undefined || logged === undefined || continues(logged, markIn(header));
  } finally {
    closeSync(database);
    if (log !== undefined) closeSync(log);
  }
}

function openedAt(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw storeFailure("database-failed", "dependency", `Cannot open the database ${file}: ${String(error)}`, { cause: error });
  }
}

function continues({ first, newest, tokens }: Logged, inDatabase: Mark): boolean {
  const known = tokens.get(inDatabase.count);
  return ahead(inDatabase, first) >= -1 && ahead(newest, inDatabase) >= 0 && (known === undefined || known === inDatabase.token);
}

/** Reads the log. Undefined when it contains no change. Each change writes the database's first page, which contains the count. */
function readLog(log: number): Logged | undefined {
  const header = bytesAt(log, 0, LOG_HEADER_BYTES);
  const begin = header === undefined ? undefined : logIn(header);
  if (begin === undefined) return undefined;
  const { pageSize, salt } = begin;
  const marks: Mark[] = [];
  let pending: Mark | undefined;
  for (let frame = 1; ; frame += 1) {
    const bytes = bytesAt(log, frameAt(frame, pageSize), FRAME_HEADER_BYTES + HEADER_BYTES);
    const found = bytes === undefined ? undefined : frameIn(bytes);
    // All later frames are older than the log's present beginning.
    if (bytes === undefined || found?.salt !== salt) break;
    if (found.page === 1) pending = markIn(bytes.subarray(FRAME_HEADER_BYTES));
    if (!found.ends) continue;
    if (pending !== undefined) marks.push(pending);
    pending = undefined;
  }
  const [first, newest] = [marks[0], marks.at(-1)];
  if (first === undefined || newest === undefined) return undefined;
  return { first, newest, tokens: new Map(marks.map(({ count, token }) => [count, token])) };
}
