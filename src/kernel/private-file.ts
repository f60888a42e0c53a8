import { chmodSync, closeSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** For this user alone, whatever the folder's mode and the umask: buyers' contacts and keys lie in what we keep. */
export const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/**
 * Sees that nobody else can read the file or write to it: makes it empty where it is not there, and takes the rights of
 * others from one that is. Throws what the file system says. A file that is there is never opened: closing it would end
 * the locks that this process has on it.
 */
export function makePrivate(file: string): void {
  if (tighten(file)) return;
  try {
    closeSync(openSync(file, "wx", OWNER_ONLY));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    // Somebody else makes it at this moment; or it is a link to what is not there yet.
    if (!tighten(file)) closeSync(openSync(file, "a", OWNER_ONLY));
  }
}

/** The same for a file that may be missing; false when it is. */
export function tighten(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if ((found.mode & OTHERS) !== 0) chmodSync(file, found.mode & ~OTHERS & 0o7777);
  return true;
}

/** The same for a folder and all that lies in it. A link in it leads to what somebody else keeps, and is left alone. */
export function tightenFolder(folder: string): void {
  if (!tighten(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) tighten(join(entry.parentPath, entry.name));
  }
}
