import { chmodSync, closeSync, openSync, readdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The rights of a file that only this user may read and change, whatever the folder and the umask allow. The server's files contain keys
 * and contacts of buyers.
 */
export const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/**
 * Creates an empty private file, or removes the rights of other users from an existing file. Throws the file system's errors. The function
 * never opens an existing file, because closing a file ends the locks of this process on it. If the name is a folder's, nothing is changed:
 * the name may be mistyped, and other users must keep their rights to the folder. A later write under this name fails.
 */
export function makePrivate(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (tighten(file)) return;
  try {
    closeSync(openSync(file, "wx", OWNER_ONLY));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    // Another process has made the file since the check above, or the name is a link to a missing file, which must be made now.
    if (!tighten(file)) closeSync(openSync(file, "a", OWNER_ONLY));
  }
}

/**
 * Removes the rights of other users, and from a file also the right to execute. Returns false when the file or folder is missing. A
 * device stays unchanged, because every program uses `/dev/null`.
 */
export function tighten(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.isCharacterDevice() || found.isBlockDevice()) return true;
  const wanted = found.mode & (found.isDirectory() ? ~OTHERS & 0o7777 : OWNER_ONLY);
  if ((found.mode & 0o7777) !== wanted) chmodSync(file, wanted);
  return true;
}

/**
 * Removes the rights of other users from SQLite's files beside an existing database. SQLite gives new files the database's rights, but
 * files of an earlier start may have other rights. SQLite names the files after the real database, not after a link to it.
 */
export function tightenBeside(database: string): void {
  const real = realpathSync(database);
  for (const ending of ["-wal", "-shm", "-journal"]) tighten(`${real}${ending}`);
}

/** The largest rights of a file that other users may read and only this user may change. The umask may forbid other users to read it. */
const CHANGED_BY_OWNER = 0o644;

/**
 * Writes a file on which other programs rely, such as a certificate that they trust, so that no other user can change it. Anything that is
 * no regular file, such as a device, keeps its rights. Throws the file system's errors.
 */
export function writeTrusted(file: string, text: string): void {
  writeFileSync(file, text, { mode: CHANGED_BY_OWNER });
  const found = statSync(file);
  const wanted = found.mode & CHANGED_BY_OWNER;
  if (found.isFile() && (found.mode & 0o7777) !== wanted) chmodSync(file, wanted);
}

/**
 * Removes the rights of other users from a folder and from all files and folders below it. Links in it are skipped: they may lead to files
 * of other people. Does nothing when the folder is missing.
 */
export function tightenFolder(folder: string): void {
  if (!tighten(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) tighten(join(entry.parentPath, entry.name));
  }
}

/**
 * Removes the rights of other users from this user's files directly in the folder: copies, logs and files of earlier versions. Everything
 * else stays unchanged, and so does a file that cannot be changed, such as an immutable copy.
 */
export function tightenFilesIn(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(folder, entry.name);
    if (statSync(file, { throwIfNoEntry: false })?.uid !== process.geteuid?.()) continue;
    try {
      tighten(file);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EPERM")) throw error;
    }
  }
}
