import { statSync } from "node:fs";
import Database from "better-sqlite3";
import type { Chance, Clock } from "../kernel/clock.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import { makePrivate, tightenBeside } from "../kernel/private-file.ts";
import { MAX_ATTEMPTS } from "../registers/agent/wire/frames-schema.ts";
import { agentOutcomeSchema } from "../registers/agent/wire/register-schema.ts";
import type { Outcome } from "../registers/register.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { agentFailure } from "./failures.ts";
import { RecordMark } from "./record-mark.ts";

/** An attempt in the record. `intent`: begun, without a known outcome. `void`: it was not made and never will be. */
export interface StoredAttempt {
  attempt: string;
  hash: string;
  register: string;
  /** When the attempt was stored, ISO 8601. */
  at: string;
  state: "intent" | "done" | "refused" | "in-doubt" | "void";
  outcome?: Outcome;
  /** The server has told the agent that no unfinished operation needs this attempt. The server will not ask about the attempt again. */
  settled: boolean;
}

interface RecordServices {
  clock: Pick<Clock, "nowMs">;
  chance: Chance;
}

/** How long an attempt is kept after it was settled, so that a person can still ask about it. */
const KEPT_MS = 30 * 86_400_000;

const TABLES = `
  create table if not exists attempts (
    attempt text primary key, hash text not null, register text not null, at text not null, state text not null,
    outcome text, settled_at integer, ordinal integer not null
  ) strict, without rowid;
  create unique index if not exists attempts_ordinal on attempts (ordinal);
  create index if not exists attempts_unsettled on attempts (register, ordinal) where settled_at is null;
  create index if not exists attempts_settled on attempts (settled_at) where settled_at is not null;
  create table if not exists fences (register text primary key, fence integer not null) strict, without rowid;
  create table if not exists own (name text primary key, value text not null) strict, without rowid;
`;

/** Caches prepared statements. Preparing a statement takes longer than running it. */
class Statements {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  of(text: string): Database.Statement {
    const prepared = this.#prepared.get(text) ?? this.#database.prepare(text);
    this.#prepared.set(text, prepared);
    return prepared;
  }
}

/** Reads a record, also while another process writes it. */
export class RecordReader {
  readonly #statements: Statements;

  constructor(database: Database.Database) {
    this.#statements = new Statements(database);
  }

  /**
   * Lets `read` use an existing record. Throws a `Failure` when the record is missing or damaged. SQLite notices damage only at a
   * statement.
   */
  static read<T>(file: string, read: (record: RecordReader) => T): T {
    let database: Database.Database | undefined;
    try {
      database = new Database(file, { readonly: true, fileMustExist: true });
      return read(new RecordReader(database));
    } catch (error) {
      throw agentFailure("folder-gone", "caller", `the record ${file} cannot be read: ${messageOf(error)}`, { cause: error });
    } finally {
      database?.close();
    }
  }

  get epoch(): number {
    return Number(this.own("epoch") ?? 0);
  }

  find(attempt: string): StoredAttempt | undefined {
    const row = this.#statements.of("select * from attempts where attempt = ?").get(attempt) as Row | undefined;
    return row === undefined ? undefined : attemptOf(row);
  }

  /** Returns the newest attempts, the newest first. */
  list(limit: number): StoredAttempt[] {
    return (this.#statements.of("select * from attempts order by ordinal desc limit ?").all(limit) as Row[]).map(attemptOf);
  }

  counts(): { unsettled: number; kept: number } {
    const counted = "select count(*) as kept, count(*) - count(settled_at) as unsettled from attempts";
    return this.#statements.of(counted).get() as { unsettled: number; kept: number };
  }

  own(name: string): string | undefined {
    const row = this.#statements.of("select value from own where name = ?").get(name) as { value: string } | undefined;
    return row?.value;
  }
}

/**
 * The agent's durable record. It stores every attempt before the document begins, and later the outcome. Each write is on the disk on
 * return (WAL, synchronous FULL). A failed write throws a `Failure`: `record-failed`, or `folder-gone` when the file was removed or
 * replaced. Then nothing was changed, with one exception: a new attempt stays stored when only the mark (`RecordMark`) could not be
 * written. Nothing is sent to the device for that attempt.
 */
export class AttemptRecord {
  readonly #database: Database.Database;
  readonly #statements: Statements;
  readonly #reader: RecordReader;
  readonly #file: string;
  readonly #services: RecordServices;
  readonly #inode: bigint;
  readonly #reserve: DiskReserve;
  readonly #mark: RecordMark;
  /** True: the record was a copy or an older version, and got a new id. */
  readonly wasCopied: boolean;

  private constructor(file: string, database: Database.Database, services: RecordServices) {
    this.#file = file;
    this.#database = database;
    this.#statements = new Statements(database);
    this.#reader = new RecordReader(database);
    this.#services = services;
    this.#inode = inodeOf(file);
    this.#reserve = new DiskReserve(`${file}-reserve`, services.chance);
    this.#mark = new RecordMark(`${file}-mark`);
    this.wasCopied = this.#checkPlace();
    this.#removeOld();
  }

  /** Opens the record, and creates it if it is missing. `maxPages` bounds the file, for tests of a full disk. */
  static open(file: string, services: RecordServices, { maxPages }: { maxPages?: number } = {}): AttemptRecord {
    try {
      makePrivate(file);
      tightenBeside(file);
      const database = new Database(file);
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = FULL");
      database.exec(TABLES);
      if (maxPages !== undefined) database.pragma(`max_page_count = ${maxPages}`);
      return new AttemptRecord(file, database, services);
    } catch (error) {
      throw agentFailure("folder-gone", "caller", `the record ${file} cannot be used: ${messageOf(error)}`, { cause: error });
    }
  }

  get epoch(): number {
    return this.#reader.epoch;
  }

  storeEpoch(epoch: number): void {
    const { folder } = this;
    this.#write(() => {
      this.#setOwn("epoch", String(epoch));
      this.#setOwn("welcomed", folder);
    });
  }

  /** The id of this folder. A copy of the folder gets a new id, because the copy lacks the attempts that the original stores later. */
  get folder(): string {
    return this.#reader.own("folder") ?? "";
  }

  /** True: the server has worked with another copy of this record. This record may then lack attempts that were made. */
  get mayLackAttempts(): boolean {
    return this.#reader.own("forked") === this.folder;
  }

  /**
   * Stores that the server refused this copy (close code 4409). A folder that never got a `welcome` under its id is not marked, because it
   * never received an attempt under this id.
   */
  noteFork(): void {
    const { folder } = this;
    if (this.#reader.own("welcomed") === folder) this.#write(() => this.#setOwn("forked", folder));
  }

  fenceOf(register: string): number {
    const row = this.#statements.of("select fence from fences where register = ?").get(register) as { fence: number } | undefined;
    return row?.fence ?? 0;
  }

  storeFence(register: string, fence: number): void {
    const put = "insert into fences (register, fence) values (?, ?) on conflict do update set fence = max(fence, excluded.fence)";
    this.#write(() => this.#statements.of(put).run(register, fence));
  }

  find(attempt: string): StoredAttempt | undefined {
    return this.#reader.find(attempt);
  }

  /**
   * Stores a new attempt as begun, and returns undefined. Returns a known attempt as it is stored. On return the disk has room for the
   * outcome.
   */
  begin(attempt: Pick<StoredAttempt, "attempt" | "hash" | "register">): StoredAttempt | undefined {
    this.#demandPlace();
    try {
      this.#reserve.keep();
    } catch (error) {
      throw recordFailed(error);
    }
    return this.#insert({ ...attempt, state: "intent" });
  }

  /** Stores a new attempt as refused, and returns undefined. Returns a known attempt as it is stored. */
  refuse(attempt: Pick<StoredAttempt, "attempt" | "hash" | "register">, outcome: Outcome): StoredAttempt | undefined {
    return this.#insert({ ...attempt, state: "refused", outcome });
  }

  /** Stores a new attempt as void, so that it is never made, and returns undefined. Returns a known attempt as it is stored. */
  forbid(attempt: string, register: string): StoredAttempt | undefined {
    return this.#insert({ attempt, hash: "", register, state: "void" });
  }

  finish(attempt: string, outcome: Outcome): void {
    this.#end(attempt, outcome.kind, JSON.stringify(outcome));
  }

  cancel(attempt: string): void {
    this.#end(attempt, "void", null);
  }

  settle(register: string, attempts: readonly string[]): void {
    const settle = this.#statements.of("update attempts set settled_at = ? where attempt = ? and register = ? and settled_at is null");
    const now = this.#services.clock.nowMs();
    this.#write(() => {
      for (const attempt of attempts) settle.run(now, attempt, register);
    });
    this.#removeOld();
  }

  /** Returns the register's unsettled attempts, the oldest first, at most MAX_ATTEMPTS. */
  unsettled(register: string): string[] {
    const rows = this.#statements
      .of("select attempt from attempts where register = ? and settled_at is null order by ordinal limit ?")
      .all(register, MAX_ATTEMPTS) as { attempt: string }[];
    return rows.map(({ attempt }) => attempt);
  }

  /** Whether the path still leads to the opened file. Writes to a removed or replaced file are lost. */
  inPlace(): boolean {
    return inodeOf(this.#file) === this.#inode;
  }

  close(): void {
    if (this.#database.open) this.#mark.close();
    this.#database.close();
  }

  /**
   * Gives a new, copied or older record a new id. Returns true for a copy or an older record. A copied file has a different inode or
   * creation time. If an older record was copied over the newest record, inode and creation time are the same, but the older record lacks
   * attempts that the mark counts.
   */
  #checkPlace(): boolean {
    const { ino, birthtimeNs } = statSync(this.#file, { bigint: true });
    const place = `${ino}/${birthtimeNs}`;
    const known = this.#reader.own("place");
    const newest = this.#newestOrdinal();
    if (known === place && this.#mark.ordinal <= newest) return false;
    this.#write(() => {
      this.#setOwn("folder", this.#services.chance.uuid());
      this.#setOwn("place", place);
    });
    this.#mark.keep(newest);
    return known !== undefined;
  }

  #insert(given: Omit<StoredAttempt, "at" | "settled">): StoredAttempt | undefined {
    const { attempt, hash, register, state, outcome } = given;
    const at = new Date(this.#services.clock.nowMs()).toISOString();
    const insert = `insert into attempts (attempt, hash, register, at, state, outcome, ordinal)
      values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing`;
    const text = outcome === undefined ? null : JSON.stringify(outcome);
    const stored = this.#write(() => {
      const ordinal = this.#newestOrdinal() + 1;
      const { changes } = this.#statements.of(insert).run(attempt, hash, register, at, state, text, ordinal);
      return changes === 1 ? ordinal : undefined;
    });
    if (stored === undefined) return this.find(attempt);
    try {
      this.#mark.keep(stored);
    } catch (error) {
      throw recordFailed(error);
    }
    return undefined;
  }

  #end(attempt: string, state: StoredAttempt["state"], outcome: string | null): void {
    const update = "update attempts set state = ?, outcome = ? where attempt = ? and state = 'intent'";
    const end = () => this.#write(() => this.#statements.of(update).run(state, outcome, attempt));
    try {
      end();
    } catch (error) {
      if (!(error instanceof Failure && error.code === "record-failed")) throw error;
      // On a full disk the outcome needs the reserved space.
      this.#reserve.give();
      end();
    }
  }

  #removeOld(): void {
    const before = this.#services.clock.nowMs() - KEPT_MS;
    try {
      this.#write(() => {
        const newest = this.#newestOrdinal();
        const { changes } = this.#statements.of("delete from attempts where settled_at < ?").run(before);
        if (changes > 0) this.#setOwn("newest", String(newest));
      });
    } catch (error) {
      // After a failed write the old attempts stay until the next call, which is harmless.
      if (!(error instanceof Failure && error.code === "record-failed")) throw error;
    }
  }

  /** Returns the highest number of any attempt so far. Removing old attempts does not lower it. */
  #newestOrdinal(): number {
    const row = this.#statements.of("select coalesce(max(ordinal), 0) as newest from attempts").get() as { newest: number };
    return Math.max(row.newest, Number(this.#reader.own("newest") ?? 0));
  }

  #setOwn(name: string, value: string): void {
    this.#statements.of("insert into own (name, value) values (?, ?) on conflict do update set value = excluded.value").run(name, value);
  }

  #demandPlace(): void {
    if (!this.inPlace()) throw agentFailure("folder-gone", "caller", `the record ${this.#file} was removed or replaced`);
  }

  #write<T>(change: () => T): T {
    this.#demandPlace();
    try {
      return this.#database.transaction(change).immediate();
    } catch (error) {
      throw recordFailed(error);
    }
  }
}

interface Row {
  attempt: string;
  hash: string;
  register: string;
  at: string;
  state: StoredAttempt["state"];
  outcome: string | null;
  settled_at: number | null;
}

function attemptOf({ outcome, settled_at, attempt, hash, register, at, state }: Row): StoredAttempt {
  const read = outcome === null ? {} : { outcome: agentOutcomeSchema.parse(JSON.parse(outcome)) };
  return { attempt, hash, register, at, state, ...read, settled: settled_at !== null };
}

function inodeOf(file: string): bigint {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? -1n;
}

function recordFailed(error: unknown): Failure {
  return agentFailure("record-failed", "dependency", `the record could not be written: ${messageOf(error)}`, { cause: error });
}
