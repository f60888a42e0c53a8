import { constants, existsSync, fstatSync, readFileSync, statSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure, messageOf } from "../../../kernel/failure.ts";
import { frameRecord, holdsRecord, unframeRecord } from "../../../kernel/record-file.ts";
import type { ChangeLog, Commit } from "./account.ts";
import { isUnfinished, LOG_RECORD } from "./log-record.ts";

/** First record of every log: what the rest stands on. */
export interface LogHeader {
  /** Grows when a record's meaning changes; other formats are refused. */
  readonly format: typeof LOG_FORMAT;
  readonly seed: number;
  readonly products: number;
}

export const LOG_FORMAT = 1;

/** One record: the head, the commits of one moment, or the place at which the seed's own products come in. */
export type LogEntry =
  | {
      readonly header: LogHeader;
      /** Records that were written at once with this one; undefined in a log that an earlier program has left. */
      readonly whole?: number;
    }
  | { readonly commits: readonly Commit[] }
  | { readonly generate: true };

/** What a log held when it was opened. */
interface OpenedLog {
  readonly log: LogFile;
  /** None: there was no log yet. */
  readonly entries: readonly LogEntry[];
  /** An unfinished last record that was taken out, and where it is kept. */
  readonly cut: { readonly path: string; readonly bytes: number } | undefined;
}

/** As many as the end of a record of commits may have. */
const END_BYTES = 40;

interface Waiting {
  readonly commit: Commit;
  readonly done: () => void;
  readonly failed: (error: Failure) => void;
}

/**
 * Commits in a file that only grows. One flush makes everything last that has come while the one before was
 * running. A write that failed is not repeated: the kernel may have dropped the pages and would report success.
 */
export class LogFile implements ChangeLog {
  readonly #path: string;
  #file: FileHandle;
  #end: number;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #failure: Failure | undefined;
  #closed: Promise<void> | undefined;
  /** Flushes so far: several commits of one moment share one. */
  flushes = 0;

  private constructor(path: string, file: FileHandle, end: number) {
    this.#path = path;
    this.#file = file;
    this.#end = end;
  }

  /**
   * Opens the log and returns what it holds; where there is none, the first `rewrite` makes it. An unfinished last record
   * is put aside into `PATH.cut`; anything else that cannot be read is a `Failure` in one line, and nothing is changed.
   */
  static async open(path: string): Promise<OpenedLog> {
    if (!existsSync(path)) return { log: new LogFile(path, await openBeside(path), 0), entries: [], cut: undefined };
    const file = await open(path, constants.O_RDWR | constants.O_APPEND);
    try {
      const bytes = readFileSync(path);
      const { entries, end } = readEntries(bytes, path);
      const cut = end < bytes.length ? await putAside(`${path}.cut`, bytes.subarray(end)) : undefined;
      await flushFolder(path);
      if (cut !== undefined) await file.truncate(end);
      // What a killed process wrote may be in the page cache only: it is told as a fact from now on.
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

  /** Writes the entries beside and puts them in the place of everything so far. Nothing may be on its way. */
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

  /** Takes no more; what is on its way gets its flush. Closing twice does nothing more. */
  async close(): Promise<void> {
    await this.#flushing;
    this.#failure ??= new Failure("log-closed", "caller", "the sandbox is closed");
    this.#closed ??= this.#file.close();
    await this.#closed;
  }

  async #flush(): Promise<void> {
    // One turn later: what other requests commit in this one goes along.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const taken = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#failure !== undefined) throw this.#failure;
        this.#mustBeOurs();
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

  /** What went into a file that was taken away, or between another's records, would be answered and lost. */
  #mustBeOurs(): void {
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
  // What was written at once took the log's place when all of it was on the disk: it is never unfinished.
  const isWhole = entries.length >= wholeOf(entries, broken);
  if (!isWhole || (broken && (holdsRecord(LOG_RECORD, bytes, at) || endsWhole(bytes) || !isUnfinished(bytes, at)))) {
    const text = `${path} is damaged at byte ${at}: restore it from a copy, or remove it to begin anew`;
    throw new Failure("log-damaged", "dependency", text);
  }
  return { entries, end: at };
}

/** Whether the last bytes are those of a record of commits: whatever is missing of it is missing before its end, which was written. */
function endsWhole(bytes: Buffer): boolean {
  return /"nextId":\d+\}\]\}$/.test(bytes.subarray(-END_BYTES).toString("latin1"));
}

/** A log without the number begins with three records, or with four when it was written anew: then its last may be one of them. */
function wholeOf([first]: readonly LogEntry[], broken: boolean): number {
  return (first !== undefined && "header" in first ? first.whole : undefined) ?? (broken ? 4 : 3);
}

function besidePath(path: string): string {
  return `${path}.new`;
}

function openBeside(path: string): Promise<FileHandle> {
  return open(besidePath(path), constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND, 0o600);
}

/** Behind what was put there before: it is for people, and nothing of it goes. */
async function putAside(path: string, bytes: Buffer): Promise<OpenedLog["cut"]> {
  const file = await open(path, "a", 0o600);
  try {
    await file.appendFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  return { path, bytes: bytes.length };
}

/** A new name is found after a power cut only when the folder that holds it is flushed too. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
