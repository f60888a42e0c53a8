import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { messageOf } from "../kernel/failure.ts";
import { makeFolder } from "../kernel/folder.ts";
import { OWNER_ONLY, tighten } from "../kernel/private-file.ts";
import { registerFailure } from "./failures.ts";
import { listenAlone, lockSocketName, stopListening } from "./lock-socket.ts";

/** A lock that ends with its release or with the process. */
export interface FolderLock {
  release(): Promise<void>;
}

const HOLDER_FILE = "holder.json";

/**
 * Locks a register's folder for this process, and makes the folder if it is missing. `sinceMs`: the current time, which the holder's name
 * contains. Throws a Failure: `register-locked`, with the holder's name if known, when any process holds the lock, also this process;
 * `register-folder` when the holder's name cannot be written. Throws other errors of the file system as they are.
 * The lock is a listening socket named after the folder's device and inode. On Linux it is an abstract socket: the kernel creates it
 * atomically and removes it with the process, even a killed process. A file in the folder names the holder. The file is valid only while
 * the lock is held.
 */
export async function lockFolder(folder: string, sinceMs: number): Promise<FolderLock> {
  makeFolder(folder);
  const server = await listenAlone(socketNameOf(folder));
  if (server === undefined) throw registerFailure("register-locked", "dependency", `${folder} is in use by ${readHolder(folder)}`);
  try {
    writeHolder(folder, sinceMs);
  } catch (error) {
    await stopListening(server);
    throw registerFailure("register-folder", "dependency", `cannot write to ${folder}: ${messageOf(error)}`, { cause: error });
  }
  return { release: () => stopListening(server) };
}

function socketNameOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return lockSocketName(`${dev}:${ino}`);
}

function writeHolder(folder: string, sinceMs: number): void {
  const unfinished = join(folder, `${HOLDER_FILE}.${process.pid}`);
  tighten(unfinished);
  writeFileSync(unfinished, JSON.stringify({ pid: process.pid, host: hostname(), since: new Date(sinceMs).toISOString() }), {
    mode: OWNER_ONLY,
  });
  renameSync(unfinished, join(folder, HOLDER_FILE));
}

/** Returns the holder's name. The lock holds even when the name cannot be read. */
function readHolder(folder: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(join(folder, HOLDER_FILE), "utf8")) as Record<string, unknown>;
    return `process ${pid} on ${host} since ${since}`;
  } catch (error) {
    if (error instanceof Error) return "another process";
    throw error;
  }
}
