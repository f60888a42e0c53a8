import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Failure } from "../kernel/failure.ts";
import { messageOf } from "../kernel/failure.ts";
import { isSqliteBusy, type LockFile, openLockFile } from "./dialects/sqlite.ts";
import { storeFailure } from "./failures.ts";

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

const LOCK_FILE = "server.lock";
const HOLDER_FILE = "server.lock.json";

/**
 * Makes the folder when it is not there and locks it for this process. Throws `store-locked`, naming the
 * holder, when another server (also one in this process) has it, `database-failed` when it cannot be written.
 *
 * The lock is SQLite's own on a file that stays empty: the operating system frees it with the process, so
 * a server that was killed leaves nothing to clear away. The holder's name lies beside it and says nothing
 * while nobody holds the lock.
 */
export async function lockDataDir(dir: string, holder: LockHolder): Promise<Lock> {
  const holderFile = join(dir, HOLDER_FILE);
  const file = take(dir, holderFile);
  try {
    const unfinished = `${holderFile}.${holder.pid}`;
    writeFileSync(unfinished, JSON.stringify(holder));
    renameSync(unfinished, holderFile);
  } catch (error) {
    file.close();
    throw storeFailure("database-failed", "dependency", `Cannot write to ${dir}: ${messageOf(error)}`, { cause: error });
  }
  return {
    holder,
    release: async () => file.close(),
  };
}

export function lockedFailure(what: string, holder: LockHolder | undefined): Failure {
  const who = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  return storeFailure("store-locked", "caller", `${what} is in use by ${who}: stop that server first`);
}

function take(dir: string, holderFile: string): LockFile {
  try {
    makeFolder(dir);
    return openLockFile(join(dir, LOCK_FILE));
  } catch (error) {
    if (isSqliteBusy(error)) throw lockedFailure(`The folder ${dir}`, readHolder(holderFile));
    throw storeFailure("database-failed", "dependency", `Cannot lock the folder ${dir}: ${messageOf(error)}`, { cause: error });
  }
}

/** For this user alone: buyers' contacts lie in it. Step by step, since Node spins for ever on a recursive one below /proc. */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  const above = dirname(resolve(dir));
  if (above !== resolve(dir)) makeFolder(above);
  mkdirSync(dir, { mode: 0o700 });
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
