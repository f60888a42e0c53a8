import Database from "better-sqlite3";
import { makePrivate, tighten } from "./private-file.ts";

/** A file that this process has to itself until it gives it back or ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes SQLite's write lock on the file, which stays empty and is this user's alone, at once or not at all: `isLockTaken`
 * tells of what is thrown whether somebody else, also in this process, has it. The operating system frees it with the
 * process, so one that was killed leaves nothing to clear away.
 */
export function lockFile(file: string): FileLock {
  makePrivate(file);
  tighten(`${file}-journal`);
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec("begin immediate");
    return { release: () => void database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

export function isLockTaken(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && (thrown.code.startsWith("SQLITE_BUSY") || thrown.code.startsWith("SQLITE_LOCKED"));
}
