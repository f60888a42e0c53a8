import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Failure } from "../kernel/failure.ts";
import { messageOf } from "../kernel/failure.ts";
import { makeFolder } from "../kernel/folder.ts";
import { type FileLock, isLockTaken, lockFile } from "../kernel/folder-lock.ts";
import { OWNER_ONLY, tighten, tightenFolder } from "../kernel/private-file.ts";
import { type EarlierUse, earlierUseOf, HOLDER_FILE, LOCK_FILE, REGISTERS_FOLDER } from "./earlier-use.ts";
import { storeFailure } from "./failures.ts";
import { HeldFiles } from "./held-files.ts";

/** The holder of a lock, as it is shown to a second server. */
export interface LockHolder {
  pid: number;
  host: string;
  /** RFC 3339. */
  since: string;
}

/**
 * A lock that is held until it is released or the process ends in any way. Keep a reference to it: garbage collection would free the lock.
 */
export interface Lock {
  readonly holder: LockHolder;
  release(): Promise<void>;
}

/** The lock of a data folder. It knows whether a server has worked in the folder before. */
interface FolderLock extends Lock {
  /** Undefined in a new folder, and in a folder whose first start ended before it had made a journal. */
  readonly earlierUse: EarlierUse | undefined;
  /** Notes that from now on a journal exists at this place. So a later start that does not find the journal knows that it is lost. */
  begun(journal: string): void;
}

/**
 * Makes the folder when it is missing and locks it for this process. Throws `store-locked`, with the holder's name, when another server has
 * it (also one in this process), and `database-failed` when the folder cannot be written.
 * The lock is SQLite's own lock on an empty file. The operating system frees it when the process ends, so a killed server leaves nothing to
 * clean up. The file beside it names the holder; its content is valid only while the lock is held.
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
    takeFromOthers(join(dir, REGISTERS_FOLDER));
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
 * Removes the rights of others from all files in the folder. An earlier start may have made files that others can read, also for registers
 * that this start does not open.
 */
function takeFromOthers(folder: string): void {
  try {
    tightenFolder(folder);
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

/** Reads the holder's name. Undefined when it cannot be read: the lock is valid nevertheless, and the message then has no name. */
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
