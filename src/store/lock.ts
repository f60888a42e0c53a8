import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Failure } from "../kernel/failure.ts";
import { messageOf } from "../kernel/failure.ts";
import { makeFolder } from "../kernel/folder.ts";
import { type FileLock, isLockTaken, lockFile } from "../kernel/folder-lock.ts";
import { OWNER_ONLY, tighten, tightenFilesIn, tightenFolder } from "../kernel/private-file.ts";
import { type EarlierUse, earlierUseOf, HOLDER_FILE, LOCK_FILE, REGISTERS_FOLDER } from "./earlier-use.ts";
import { storeFailure } from "./failures.ts";
import { HeldFiles } from "./held-files.ts";

/** The holder of a lock, for the message to a second server. */
export interface LockHolder {
  pid: number;
  host: string;
  /** The time of the lock, RFC 3339. */
  since: string;
}

/** A lock, held until its release or the end of the process. Keep a reference to it: garbage collection would free the lock. */
export interface Lock {
  readonly holder: LockHolder;
  release(): Promise<void>;
}

interface FolderLock extends Lock {
  /** Undefined in a new folder, and in a folder whose first start ended before it made a journal. */
  readonly earlierUse: EarlierUse | undefined;
  /** Records the place of a new journal, so a later start notices its loss. */
  begun(journal: string): void;
}

/**
 * Makes a missing folder and locks it for this process. Throws `store-locked`, with the holder's name, when any process has the lock, even
 * this process. Throws `database-failed` when the folder cannot be written.
 *
 * The lock is SQLite's lock on an empty file. The operating system frees the lock when the process ends, even when the process is killed.
 * The file beside it names the holder. That file counts only while the lock is held.
 */
export async function lockDataDir(dir: string, holder: LockHolder, held = new HeldFiles()): Promise<FolderLock> {
  const holderFile = join(dir, HOLDER_FILE);
  const earlierUse = earlierUseOf(dir);
  const file = take(dir, holderFile);
  const write = (content: object) => {
    const unfinished = `${holderFile}.${holder.pid}`;
    try {
      writeFileSync(unfinished, JSON.stringify(content), { mode: OWNER_ONLY });
      tighten(unfinished);
      renameSync(unfinished, holderFile);
    } catch (error) {
      throw storeFailure("database-failed", "dependency", `Cannot write to ${dir}: ${messageOf(error)}`, { cause: error });
    }
  };
  try {
    takeFromOthers(dir);
    write({ ...holder, ...(earlierUse === undefined ? { begins: true } : { journal: earlierUse.journal }) });
  } catch (error) {
    file.release();
    throw error;
  }
  held.hold(join(dir, LOCK_FILE));
  return {
    holder,
    earlierUse,
    begun: (journal) => write({ ...holder, journal }),
    release: async () => file.release(),
  };
}

/**
 * Removes other users' rights from the files in the data folder and in its folder of registers. Earlier starts and people may have made
 * files there that other users can read, also files that this start does not open.
 */
function takeFromOthers(folder: string): void {
  try {
    tightenFilesIn(folder);
    tightenFolder(join(folder, REGISTERS_FOLDER));
  } catch (error) {
    throw storeFailure("database-failed", "dependency", `Cannot keep others out of ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

export function lockedFailure(what: string, holder: LockHolder | undefined): Failure {
  const who = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  return storeFailure("store-locked", "caller", `${what} is in use by ${who}: stop that server first`);
}

function take(dir: string, holderFile: string): FileLock {
  try {
    makeFolder(dir);
    return lockFile(join(dir, LOCK_FILE));
  } catch (error) {
    if (isLockTaken(error)) throw lockedFailure(`The folder ${dir}`, readHolder(holderFile));
    throw storeFailure("database-failed", "dependency", `Cannot lock the folder ${dir}: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads the holder's name. Undefined when unreadable: the lock is valid nevertheless. */
function readHolder(holderFile: string): LockHolder | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(holderFile, "utf8"));
    return isHolder(read) ? read : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return undefined;
    throw error;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== "object" || value === null) return false;
  return (
    "pid" in value &&
    typeof value.pid === "number" &&
    "host" in value &&
    typeof value.host === "string" &&
    "since" in value &&
    typeof value.since === "string"
  );
}
