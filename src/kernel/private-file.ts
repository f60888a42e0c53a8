import { chmodSync, closeSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The rights of a file that only this user may read. The folder's rights and the umask do not change them. The server's files contain
 * contacts of buyers and keys.
 */
export const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/**
 * Makes the file inaccessible to other users: creates an empty file, or removes their rights from an existing file. Throws the file
 * system's errors. An existing file is never opened, because closing it would end the locks that this process has on it.
 */
export function makePrivate(file: string): void {
  if (tighten(file)) return;
  try {
    closeSync(openSync(file, "wx", OWNER_ONLY));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    // Another process made the file at this moment, or the name is a link to a missing file.
    if (!tighten(file)) closeSync(openSync(file, "a", OWNER_ONLY));
  }
}

/** Removes the rights of other users from a file or folder, and the right to execute from a file. False when it is missing. */
export function tighten(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const wanted = found.mode & (found.isDirectory() ? ~OTHERS & 0o7777 : OWNER_ONLY);
  if ((found.mode & 0o7777) !== wanted) chmodSync(file, wanted);
  return true;
}

/**
 * Removes the rights of other users from a folder and everything in it. Links are skipped, because they may lead to files of other people.
 */
export function tightenFolder(folder: string): void {
  if (!tighten(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) tighten(join(entry.parentPath, entry.name));
  }
}
