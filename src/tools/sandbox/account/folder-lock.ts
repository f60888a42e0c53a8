import { join } from "node:path";
import { Failure, messageOf } from "../../../kernel/failure.ts";
import { makeFolder } from "../../../kernel/folder.ts";
import { type FileLock, isLockTaken, lockFile } from "../../../kernel/folder-lock.ts";

/** The file stays empty. Only its lock is used. */
const LOCK_FILE = "sandbox.lock";

/**
 * Makes the folder if needed and locks it for this process. Throws a `Failure` if another sandbox uses the folder or the folder is not
 * writable.
 */
export function lockFolder(folder: string): FileLock {
  try {
    makeFolder(folder);
    return lockFile(join(folder, LOCK_FILE));
  } catch (error) {
    if (isLockTaken(error)) {
      throw new Failure("folder-locked", "caller", `--data: the folder ${folder} is in use by another sandbox: stop that one first`);
    }
    throw new Failure("folder-unusable", "dependency", `--data: ${folder} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
