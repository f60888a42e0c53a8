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

/** Who holds a lock, told to whoever comes second. */
export interface LockHolder {
  pid: number;
  host: string;
  /** RFC 3339. */
  since: string;
}

/** Held until released or until the process ends, however it ends. Keep it referenced: the lock goes with it. */
export interface Lock {
  readonly holder: LockHolder;
  release(): Promise<void>;
}

/** The lock of a data folder, which knows whether a server has worked in it before. */
interface FolderLock extends Lock {
  /** Undefined in a new folder, and in one whose first start did not come as far as a journal. */
  readonly earlierUse: EarlierUse | undefined;
  /** There is a journal from now on, at that place: a later start that does not find it has lost it. */
  begun(journal: string): void;
}

/**
 * Makes the folder when it is not there and locks it for this process. Throws `store-locked`, naming the
 * holder, when another server (also one in this process) has it, `database-failed` when it cannot be written.
 *
 * The lock is SQLite's own on a file that stays empty: the operating system frees it with the process, so
 * a server that was killed leaves nothing to clear away. The holder's name lies beside it and says nothing
 * while nobody holds the lock.
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

/** An earlier start may have let others in, also to registers that this one does not open. */
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

/** The lock stands whether or not its holder can be read: undefined then, and the message does without a name. */
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
