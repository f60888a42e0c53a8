import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { present } from "../kernel/present.ts";

export const LOCK_FILE = "server.lock";
export const HOLDER_FILE = "server.lock.json";
const DATABASE_FILE = "fiscal.sqlite";
const WAL_FILE = `${DATABASE_FILE}-wal`;
/** The folder of the emulators' memories (registers/emulator). A server makes it after its journal exists. */
export const REGISTERS_FOLDER = "registers";

/** Evidence that a server has worked in this folder, so a journal must exist. */
export interface EarlierUse {
  /** In words: why a journal must exist, and what to do when it is missing. */
  why: string;
  /** The journal's place, if recorded. */
  journal?: string;
}

/**
 * Returns evidence that a server has worked in the folder. The lock's own file and a database prove nothing: a killed first start leaves
 * both, and so does a person who empties the database.
 */
export function earlierUseOf(dir: string): EarlierUse | undefined {
  const names = namesIn(dir);
  const holder = names.includes(HOLDER_FILE) ? readHolder(join(dir, HOLDER_FILE)) : undefined;
  const signs = names.filter(
    (name) =>
      (name === HOLDER_FILE && holder?.begins !== true) ||
      (name === REGISTERS_FOLDER && namesIn(join(dir, name)).length > 0) ||
      (name === WAL_FILE && holder?.begins !== true),
  );
  if (signs.length === 0) return undefined;
  const journal = typeof holder?.journal === "string" ? holder.journal : undefined;
  return { why: reason(dir, signs, journal), ...present({ journal }) };
}

function reason(dir: string, signs: readonly string[], journal: string | undefined): string {
  const was = journal === undefined ? "" : `; its journal was ${journal}`;
  const log = signs.includes(WAL_FILE) ? `, after moving ${WAL_FILE} and ${DATABASE_FILE}-shm away, which belong to the lost one` : "";
  return `a server has worked in ${resolve(dir)} before (${signs.join(", ")})${was}. Put that very file back, or restore a copy${log}; or set DATABASE_URL and DATA_DIR as they were. To begin a new journal move all of that folder away`;
}

/**
 * Returns the names in the folder. Empty: the folder is missing or unreadable. The caller then gets the error when it first uses the
 * folder.
 */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}

/**
 * Reads the holder's file. Undefined: the file is unreadable or has no JSON object. The file's existence still proves that a server wrote
 * it.
 */
function readHolder(file: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof read === "object" && read !== null ? { ...read } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return undefined;
    throw error;
  }
}
