import { join } from "node:path";
import Database from "better-sqlite3";
import { Failure, messageOf } from "../../../kernel/failure.ts";
import { makeFolder } from "../../../kernel/folder.ts";
import { makePrivate, tighten } from "../../../kernel/private-file.ts";

/** Empty for ever: only its lock is used, which the operating system frees with the process, however it ends. */
const LOCK_FILE = "sandbox.lock";

interface FolderLock {
  release(): void;
}

/**
 * Makes the folder when it is not there and locks it for this process. A folder that another sandbox works in, or
 * that cannot be written, is a `Failure` in one line.
 */
export function lockFolder(folder: string): FolderLock {
  try {
    makeFolder(folder);
    const file = join(folder, LOCK_FILE);
    makePrivate(file);
    tighten(`${file}-journal`);
    const database = new Database(file, { timeout: 0 });
    try {
      database.exec("begin immediate");
    } catch (error) {
      database.close();
      throw error;
    }
    return { release: () => database.close() };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") {
      throw new Failure("folder-locked", "caller", `--data: the folder ${folder} is in use by another sandbox: stop that one first`);
    }
    throw new Failure("folder-unusable", "dependency", `--data: ${folder} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
