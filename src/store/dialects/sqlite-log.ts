import { closeSync, fstatSync, openSync, realpathSync } from "node:fs";
import { ahead, type Mark } from "../changes.ts";
import { storeFailure } from "../failures.ts";
import { damagedFile } from "./sqlite.ts";
import { bytesAt } from "./sqlite-files.ts";
import {
  bytesIn,
  FRAME_HEADER_BYTES,
  frameAt,
  frameIn,
  HEADER_BYTES,
  isDatabase,
  LOG_HEADER_BYTES,
  logIn,
  markIn,
  schemaIn,
} from "./sqlite-format.ts";

/**
 * A copy that SQLite's own backup has made as a new file has this count of schema changes. The pages of this copy have the same numbers as
 * in the copied database, so the log of that database continues the copy. A packed copy has a higher count.
 */
const OF_BACKUP = 1;

/** A mark, and the count of changes of the schema that the first page has beside it. */
interface Beginning extends Mark {
  schema: number;
}

/** The changes in a log, the oldest first. */
interface Logged {
  changes: readonly [Beginning, ...Beginning[]];
}

/** How a database and the log beside it fit. `cut`: the database has lost its end. */
type Fit = { kind: "fits" } | { kind: "foreign" } | { kind: "cut"; bytes: number; wholeBytes: number };

/**
 * Throws `database-damaged` when the log beside the database does not continue that database. This happens when a copy replaces the
 * database of a killed process; SQLite would mix the pages of both. Also throws when the database was cut off. SQLite reads missing pages
 * as zeros if a log is beside the database. Without a log, SQLite reads the missing end of the last page as zeros. Nothing is written.
 *
 * When a log begins, the database contains every earlier change. The log then gets all changes, and a checkpoint may copy some of them.
 * A packed copy (`vacuum into`) may have a mark of this log, but its pages have other numbers. Its count of schema changes shows this.
 * Call this before SQLite opens the files: closing a file here would free SQLite's locks on it.
 */
export function refuseForeignLog(file: string): void {
  // Another process may copy its log between the reads of the two files, so only two failed comparisons count.
  if (fitOf(file).kind === "fits") return;
  const fit = fitOf(file);
  if (fit.kind === "fits") return;
  if (fit.kind === "cut") throw damagedFile(file, new Error(`${fit.bytes} bytes instead of ${fit.wholeBytes}`));
  throw storeFailure(
    "database-damaged",
    "caller",
    `The log ${file}-wal does not continue the database ${file}, which is another copy: put back the database that it belongs to; or, to go on with this copy, move the log and ${file}-shm away. Nothing was changed`,
  );
}

function fitOf(file: string): Fit {
  const database = openedAt(file);
  if (database === undefined) return { kind: "fits" };
  // SQLite names the log after the real file, not after a link to it.
  const log = openedAt(`${realpathSync(file)}-wal`);
  try {
    const header = bytesAt(database, 0, HEADER_BYTES);
    const logged = log === undefined ? undefined : readLog(log);
    const { size: bytes } = fstatSync(database);
    // SQLite writes the header before the first log begins.
    if (header === undefined) return logged === undefined ? { kind: "fits" } : { kind: "cut", bytes, wholeBytes: HEADER_BYTES };
    if (logged === undefined && !isDatabase(header)) return { kind: "fits" };
    const inDatabase = beginningIn(header);
    if (logged !== undefined && !continues(logged, inDatabase)) return { kind: "foreign" };
    // As long as no change of the log was copied, the database is as it was when the log began. Its length is then the length that its header
    // names. A process that was killed while it copied may leave a newer header in a shorter file.
    const isCopied = logged !== undefined && ahead(inDatabase, logged.changes[0]) >= 0;
    return isCopied || bytes >= bytesIn(header) ? { kind: "fits" } : { kind: "cut", bytes, wholeBytes: bytesIn(header) };
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

function continues({ changes }: Logged, inDatabase: Beginning): boolean {
  const [first] = changes;
  const newest = changes.at(-1) ?? first;
  const fromFirst = ahead(inDatabase, first);
  if (fromFirst < -1 || ahead(newest, inDatabase) < 0) return false;
  const known = changes.filter(({ count }) => count === inDatabase.count);
  if (known.some(({ token }) => token !== inDatabase.token)) return false;
  if (inDatabase.schema === OF_BACKUP || known.some(({ schema }) => schema === inDatabase.schema)) return true;
  // Perhaps no change of this log is in the database yet. The log's first change may be a VACUUM, which raises the count of schema changes
  // and not the count of the mark.
  return fromFirst <= 0 && inDatabase.schema <= first.schema;
}

function beginningIn(firstPage: Buffer): Beginning {
  return { ...markIn(firstPage), schema: schemaIn(firstPage) };
}

/** Reads the log. Undefined when it contains no change. Each change writes the database's first page, which contains the count. */
function readLog(log: number): Logged | undefined {
  const header = bytesAt(log, 0, LOG_HEADER_BYTES);
  const begin = header === undefined ? undefined : logIn(header);
  if (begin === undefined) return undefined;
  const { pageSize, salt } = begin;
  const changes: Beginning[] = [];
  let pending: Beginning | undefined;
  for (let frame = 1; ; frame += 1) {
    const bytes = bytesAt(log, frameAt(frame, pageSize), FRAME_HEADER_BYTES + HEADER_BYTES);
    const found = bytes === undefined ? undefined : frameIn(bytes);
    // SQLite begins the log anew over the old one. The frames from here on are left from before that.
    if (bytes === undefined || found?.salt !== salt) break;
    if (found.page === 1) pending = beginningIn(bytes.subarray(FRAME_HEADER_BYTES));
    if (!found.ends) continue;
    if (pending !== undefined) changes.push(pending);
    pending = undefined;
  }
  const [first, ...others] = changes;
  return first === undefined ? undefined : { changes: [first, ...others] };
}
