import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "../../kernel/failure.ts";
import { readFileAtMost } from "../../kernel/files/bounded-read.ts";
import { type FileLock, isLockTaken, lockFile } from "../../kernel/folder-lock.ts";
import { tightenFilesIn } from "../../kernel/private-file.ts";
import { agentFailure } from "../failures.ts";
import { writeWhole } from "./durable-file.ts";
import { type AgentIdentity, readIdentity, readSettings, readStatus, type StoredStatus } from "./stored-schema.ts";

export interface DataFolder {
  path: string;
  key: string;
  identity: string;
  settings: string;
  record: string;
  status: string;
  lock: string;
}

export function dataFolder(path: string): DataFolder {
  const folder = resolve(path);
  const at = (name: string) => join(folder, name);
  return {
    path: folder,
    key: at("agent-key.pem"),
    identity: at("identity.json"),
    settings: at("agent.json"),
    record: at("record.sqlite"),
    status: at("status.json"),
    lock: at("agent.lock"),
  };
}

export function isThere({ path }: DataFolder): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Locks the folder for this process, and removes the rights of other users from the files in the folder. People or earlier versions of this
 * program may have made these files readable by others, and the settings may contain a device's password. Throws a one-line `Failure` when
 * the folder is missing or unusable, or when its lock is already taken.
 */
export function lockFolderOf(folder: DataFolder): FileLock {
  if (!isThere(folder))
    throw agentFailure("folder-gone", "caller", `there is no data folder ${folder.path}: run enrol first, or name it with --data`);
  try {
    tightenFilesIn(folder.path);
    return lockFile(folder.lock);
  } catch (error) {
    if (isLockTaken(error)) throw agentFailure("folder-held", "caller", `another process uses the data folder ${folder.path}`);
    throw agentFailure("folder-gone", "caller", `the data folder ${folder.path} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Whether any process holds the folder's lock. To find out, this function takes the lock for a moment. Throws a one-line `Failure` when the
 * lock's file is unusable.
 */
export function isHeld(folder: DataFolder): boolean {
  if (!isThere(folder)) return false;
  try {
    lockFile(folder.lock).release();
    return false;
  } catch (error) {
    if (isLockTaken(error)) return true;
    throw agentFailure("folder-gone", "caller", `the lock ${folder.lock} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the identity. Throws a one-line `Failure` when the agent is not enrolled or the identity is unreadable. */
export function identityIn(folder: DataFolder): AgentIdentity {
  const text = textIn(folder.identity);
  const identity = text === undefined ? undefined : readIdentity(text);
  if (identity !== undefined) return identity;
  const problem = text === undefined ? "is not enrolled: run enrol first" : `has an identity that cannot be read: ${folder.identity}`;
  throw agentFailure("not-enrolled", "caller", `the agent of ${folder.path} ${problem}`);
}

export function isEnrolled(folder: DataFolder): boolean {
  return textIn(folder.identity) !== undefined;
}

export function storeIdentity(folder: DataFolder, identity: AgentIdentity): void {
  writeWhole(folder.identity, `${JSON.stringify(identity, undefined, 2)}\n`, { durable: true });
}

/**
 * Returns the registers of `agent.json`, or none when the file is missing. Throws a one-line `Failure` when the file is unreadable or
 * invalid.
 */
export function registersIn(folder: DataFolder): Record<string, string> {
  const text = textIn(folder.settings);
  if (text === undefined) return {};
  const settings = readSettings(text);
  if ("problem" in settings) throw agentFailure("configuration", "caller", `${folder.settings} ${settings.problem}`);
  return settings.registers ?? {};
}

/**
 * Returns the agent's last stored status. Undefined: the agent has not run yet, or the file is invalid, for example truncated by a crash.
 * Throws a one-line `Failure` when the file is unreadable.
 */
export function statusIn(folder: DataFolder): StoredStatus | undefined {
  const text = textIn(folder.status);
  return text === undefined ? undefined : readStatus(text);
}

export function storeStatus(folder: DataFolder, status: StoredStatus): void {
  writeWhole(folder.status, JSON.stringify(status), { durable: false });
}

/** The limit of each JSON file in the folder. `status.json` with 20 registers has some kilobytes. */
const MAX_FILE_BYTES = 1024 * 1024;

function textIn(file: string): string | undefined {
  let bytes: Buffer | undefined;
  try {
    bytes = readFileAtMost(file, MAX_FILE_BYTES);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw agentFailure("folder-gone", "caller", `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (bytes === undefined) throw agentFailure("folder-gone", "caller", `${file} has more than ${MAX_FILE_BYTES} bytes`);
  return bytes.toString("utf8");
}
