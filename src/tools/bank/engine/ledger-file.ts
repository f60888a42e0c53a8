import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Failure, messageOf } from "../../../kernel/failure.ts";
import { makeFolder } from "../../../kernel/folder.ts";
import { type FileLock, isLockTaken, lockFile } from "../../../kernel/folder-lock.ts";
import { makePrivate, OWNER_ONLY } from "../../../kernel/private-file.ts";
import { frameRecord, holdsRecord, type RecordFormat, unframeRecord } from "../../../kernel/record-file.ts";
import type { KeptAnswer } from "./kept-answer.ts";
import type { Payment } from "./payment.ts";

/** One change in a record. A change of a payment contains the whole payment, so only the last change of each payment counts. */
export type Change =
  | { readonly kind: "payment"; readonly payment: Payment }
  | { readonly kind: "answer"; readonly answer: KeptAnswer }
  | { readonly kind: "advanced"; readonly byMs: number };

/** The content of the first record. It identifies the bank of the folder. */
interface Head {
  readonly format: typeof FORMAT;
  readonly acquirer: string;
  readonly seed: number;
}

type Entry = { readonly head: Head } | { readonly changes: readonly Change[] };

/** Raise this number when the meaning of a record changes. */
const FORMAT = 1;
/**
 * The largest record holds the changes of all events that are due at one moment. The limit allows five kilobytes for each of the 100,000
 * payments that a bank may have. The record of one call has some kilobytes.
 */
const RECORD: RecordFormat = { mark: "BNK1", placed: true, maxBytes: 512 * 1024 * 1024 };
const FILE = "bank.log";
const LOCK = "bank.lock";
const DEFAULT_SEED = 1;

/** The file of changes. Without a folder `append` does nothing. */
export interface LedgerFile {
  append(changes: readonly Change[]): void;
  close(): void;
}

interface OpenedFile {
  readonly file: LedgerFile;
  readonly seed: number;
  readonly changes: readonly Change[];
}

/**
 * Opens or makes the folder of a bank. Written changes survive the end of the process, but not a power cut, because the file is not
 * flushed. An unfinished last record is cut off: no answer has revealed its changes. Throws a `Failure`: `folder-differs` for the folder of
 * another bank, seed or format; other codes for a folder that is in use, unusable or damaged.
 */
export function openLedgerFile(options: { folder: string | undefined; acquirer: string; seed: number | undefined }): OpenedFile {
  const { folder, acquirer } = options;
  if (folder === undefined)
    return { file: { append: () => undefined, close: () => undefined }, seed: options.seed ?? DEFAULT_SEED, changes: [] };
  const lock = lockFolder(folder);
  try {
    const path = join(folder, FILE);
    const { entries, end } = existsSync(path) ? readEntries(path) : { entries: [], end: 0 };
    const [first] = entries;
    const head = first !== undefined && "head" in first ? first.head : undefined;
    if (head !== undefined) mustMatch(head, { folder, acquirer, seed: options.seed });
    const file = new AppendedFile(path, end, entries.length, lock);
    const seed = head?.seed ?? options.seed ?? DEFAULT_SEED;
    if (head === undefined) file.write({ head: { format: FORMAT, acquirer, seed } });
    return { file, seed, changes: entries.flatMap((entry) => ("changes" in entry ? entry.changes : [])) };
  } catch (error) {
    lock.release();
    if (error instanceof Failure) throw error;
    throw new Failure("folder-unusable", "dependency", `--data: ${folder} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

class AppendedFile implements LedgerFile {
  readonly #descriptor: number;
  readonly #path: string;
  readonly #lock: FileLock;
  #records: number;

  constructor(path: string, end: number, records: number, lock: FileLock) {
    this.#path = path;
    makePrivate(path);
    this.#descriptor = openSync(path, "a", OWNER_ONLY);
    ftruncateSync(this.#descriptor, end);
    this.#records = records;
    this.#lock = lock;
  }

  append(changes: readonly Change[]): void {
    this.write({ changes });
  }

  write(entry: Entry): void {
    const record = frameRecord(RECORD, Buffer.from(JSON.stringify(entry)), this.#records);
    try {
      for (let at = 0; at < record.length; ) at += writeSync(this.#descriptor, record, at);
    } catch (error) {
      throw new Failure("ledger-write", "dependency", `${this.#path}: ${messageOf(error)}`, { cause: error });
    }
    this.#records += 1;
  }

  close(): void {
    closeSync(this.#descriptor);
    this.#lock.release();
  }
}

function readEntries(path: string): { entries: Entry[]; end: number } {
  const bytes = readFileSync(path);
  const entries: Entry[] = [];
  let at = 0;
  for (let found = unframeRecord(RECORD, bytes, at); found.kind === "record"; found = unframeRecord(RECORD, bytes, at)) {
    if (found.place !== entries.length) throw damaged(path, at);
    entries.push(JSON.parse(found.content.toString("utf8")) as Entry);
    at = found.end;
  }
  const isCut = at === bytes.length || (unframeRecord(RECORD, bytes, at).kind === "more" && !holdsRecord(RECORD, bytes, at + 1));
  if (!isCut) throw damaged(path, at);
  return { entries, end: at };
}

function damaged(path: string, at: number): Failure {
  return new Failure("ledger-damaged", "dependency", `${path} is damaged at byte ${at}: remove it to begin anew`);
}

function mustMatch(head: Head, wanted: { folder: string; acquirer: string; seed: number | undefined }): void {
  const differs = (what: string) => new Failure("folder-differs", "caller", `--data: the folder ${wanted.folder} ${what}`);
  if (head.format !== FORMAT) throw differs(`has format ${head.format}, this program reads ${FORMAT}`);
  if (head.acquirer !== wanted.acquirer) throw differs(`belongs to a bank ${head.acquirer}`);
  if (wanted.seed !== undefined && head.seed !== wanted.seed) throw differs(`was made with --seed ${head.seed}`);
}

function lockFolder(folder: string): FileLock {
  try {
    makeFolder(folder);
    return lockFile(join(folder, LOCK));
  } catch (error) {
    if (isLockTaken(error)) throw new Failure("folder-locked", "caller", `--data: the folder ${folder} is in use by another bank`);
    throw new Failure("folder-unusable", "dependency", `--data: ${folder} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
