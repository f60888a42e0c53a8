import Database from "better-sqlite3";
import { makePrivate, tightenBeside } from "./private-file.ts";

/** The lock of a file, which this process has until it calls `release` or ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes SQLite's write lock on the file without waiting, or throws. `isLockTaken` recognises the error of a lock that another process or
 * this process already has. The function makes a missing file. The file stays empty and private to this user. The operating system frees
 * the lock when the process ends, even when the process is killed.
 */
export function lockFile(file: string): FileLock {
  makePrivate(file);
  tightenBeside(file);
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec("begin immediate");
    return { release: () => void database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether this is the error of `lockFile` for a lock that somebody already has. */
export function isLockTaken(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && (thrown.code.startsWith("SQLITE_BUSY") || thrown.code.startsWith("SQLITE_LOCKED"));
}
