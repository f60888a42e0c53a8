import { constants, existsSync, fstatSync, readFileSync, statSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure, messageOf } from "../../../kernel/failure.ts";
import { OWNER_ONLY, tighten } from "../../../kernel/private-file.ts";
import { frameRecord, holdsRecord, unframeRecord } from "../../../kernel/record-file.ts";
import type { ChangeLog, Commit } from "./account.ts";
import { isUnfinished, LOG_RECORD } from "./log-record.ts";

/** The first record of every log: the settings that the following records depend on. */
export interface LogHeader {
  /** Increases when the meaning of a record changes. Other formats are refused. */
  readonly format: typeof LOG_FORMAT;
  readonly seed: number;
  readonly products: number;
}

export const LOG_FORMAT = 1;

/** One record: the header, the commits of one flush, or the mark where the generated products are added. */
export type LogEntry =
  | {
      readonly header: LogHeader;
      /** How many records were written together, including this record. Logs of an earlier version of this program have no `whole`. */
      readonly whole?: number;
    }
  | { readonly commits: readonly Commit[] }
  | { readonly generate: true };

interface OpenedLog {
  readonly log: LogFile;
  /** Empty for a new log. */
  readonly entries: readonly LogEntry[];
  /** An unfinished last record, cut from the log, and the file that keeps it. */
  readonly cut: { readonly path: string; readonly bytes: number } | undefined;
}

/** The number of bytes in which `endsWhole` looks for the end of a commit record. */
const END_BYTES = 40;

interface Waiting {
  readonly commit: Commit;
  readonly done: () => void;
  readonly failed: (error: Failure) => void;
}

/**
 * Keeps commits in an append-only file; `rewrite` makes a new file.
 * One flush writes all commits that arrived during the previous flush. A failed write is not repeated: the kernel may have dropped the
 * pages and would then report success. After a failed write every commit is refused.
 */
export class LogFile implements ChangeLog {
  readonly #path: string;
  #file: FileHandle;
  #end: number;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #failure: Failure | undefined;
  #closed: Promise<void> | undefined;
  /** Number of flushes so far. Commits can share a flush. */
  flushes = 0;

  private constructor(path: string, file: FileHandle, end: number) {
    this.#path = path;
    this.#file = file;
    this.#end = end;
  }

  /**
   * Opens the log and reads it. For a new log, the first `rewrite` makes the file. An unfinished last record moves to `PATH.cut`. Any other
   * unreadable content throws a `Failure`, and the file stays as it is.
   */
  static async open(path: string): Promise<OpenedLog> {
    if (!existsSync(path)) return { log: new LogFile(path, await openBeside(path), 0), entries: [], cut: undefined };
    tighten(path);
    const file = await open(path, constants.O_RDWR | constants.O_APPEND);
    try {
      const bytes = readFileSync(path);
      const { entries, end } = readEntries(bytes, path);
      const cut = end < bytes.length ? await putAside(`${path}.cut`, bytes.subarray(end)) : undefined;
      await flushFolder(path);
      if (cut !== undefined) await file.truncate(end);
      // Bytes of a killed process may be in the page cache only. Answers rely on these bytes from now on, so they are flushed.
      await file.datasync();
      return { log: new LogFile(path, file, end), entries, cut };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  append(commit: Commit): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((done, failed) => {
      this.#waiting.push({ commit, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  /** Replaces the log with a new file of these entries. No `append` may be running. */
  async rewrite(entries: readonly LogEntry[]): Promise<void> {
    const file = await openBeside(this.#path);
    for (const entry of entries) await file.appendFile(encode("header" in entry ? { ...entry, whole: entries.length } : entry));
    await file.datasync();
    await rename(besidePath(this.#path), this.#path);
    await flushFolder(this.#path);
    await this.#file.close();
    this.#file = file;
    this.#end = fstatSync(file.fd).size;
  }

  /** Waits until the given commits are flushed, then refuses further commits. May be called twice. */
  async close(): Promise<void> {
    await this.#flushing;
    this.#failure ??= new Failure("log-closed", "caller", "the sandbox is closed");
    this.#closed ??= this.#file.close();
    await this.#closed;
  }

  async #flush(): Promise<void> {
    // Commits from the same turn of the event loop join this flush.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const taken = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#failure !== undefined) throw this.#failure;
        this.#mustBeUnchanged();
        const record = encode({ commits: taken.map(({ commit }) => commit) });
        await this.#file.appendFile(record);
        await this.#file.datasync();
        this.#end += record.length;
        this.flushes += 1;
        for (const { done } of taken) done();
      } catch (error) {
        const failure = new Failure("log-write", "dependency", `${this.#path}: ${messageOf(error)}`, { cause: error });
        this.#failure ??= failure;
        for (const { failed } of taken) failed(failure);
      }
    }
    this.#flushing = undefined;
  }

  /** Throws if the file was removed, replaced or written by another process. A commit in such a file would be answered and then lost. */
  #mustBeUnchanged(): void {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    const { dev, ino, size } = fstatSync(this.#file.fd);
    if (found?.ino !== ino || found.dev !== dev) throw new Error("the file was removed, renamed or replaced under the sandbox");
    if (size !== this.#end) throw new Error(`the file has ${size} bytes instead of ${this.#end}: somebody else writes to it`);
  }
}

function encode(entry: LogEntry): Buffer {
  return frameRecord(LOG_RECORD, Buffer.from(JSON.stringify(entry)));
}

function readEntries(bytes: Buffer, path: string): { entries: LogEntry[]; end: number } {
  const entries: LogEntry[] = [];
  let at = 0;
  for (let found = unframeRecord(LOG_RECORD, bytes, at); found.kind === "record"; found = unframeRecord(LOG_RECORD, bytes, at)) {
    entries.push(JSON.parse(found.content.toString("utf8")) as LogEntry);
    at = found.end;
  }
  const broken = at < bytes.length;
  // The records that were written together replaced the log only when all of them were on disk. So a missing record means damage.
  const isWhole = entries.length >= wholeOf(entries, broken);
  if (!isWhole || (broken && (holdsRecord(LOG_RECORD, bytes, at) || endsWhole(bytes) || !isUnfinished(bytes, at)))) {
    const text = `${path} is damaged at byte ${at}: restore it from a copy, or remove it to begin anew`;
    throw new Failure("log-damaged", "dependency", text);
  }
  return { entries, end: at };
}

/**
 * Whether the file ends with the end of a commit record. If it does, a broken record before this end is damage, not an unfinished write.
 */
function endsWhole(bytes: Buffer): boolean {
  return /"nextId":\d+\}\]\}$/.test(bytes.subarray(-END_BYTES).toString("latin1"));
}

/**
 * Returns the least number of records in an undamaged log. A log without `whole` began with three records, or with four if it was
 * rewritten. If a record is broken, it may be the fourth record of a rewrite, so four whole records are required.
 */
function wholeOf([first]: readonly LogEntry[], broken: boolean): number {
  return (first !== undefined && "header" in first ? first.whole : undefined) ?? (broken ? 4 : 3);
}

function besidePath(path: string): string {
  return `${path}.new`;
}

function openBeside(path: string): Promise<FileHandle> {
  tighten(besidePath(path));
  return open(besidePath(path), constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND, OWNER_ONLY);
}

/** Appends the bytes to the file of cut-off records. Earlier content stays, because the file is for people. */
async function putAside(path: string, bytes: Buffer): Promise<OpenedLog["cut"]> {
  tighten(path);
  const file = await open(path, "a", OWNER_ONLY);
  try {
    await file.appendFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  return { path, bytes: bytes.length };
}

/** Flushes the folder. Otherwise a new file name may be lost in a power cut. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
