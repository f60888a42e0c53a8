import type Database from "better-sqlite3";
import type { Chance } from "../../kernel/clock.ts";
import { ahead, type Changes, type Counted, difference, type Mark } from "../changes.ts";
import type { HeldFiles } from "../held-files.ts";
import { SqliteFiles } from "./sqlite-files.ts";
import { SqliteInnerMark, type Turn } from "./sqlite-inner-mark.ts";

const NOT_COUNTED: Counted = { end() {} };

/**
 * Stores the mark in the database's header: the count of changes in `user_version`, the token in `application_id`. Both change only with a
 * commit, and can be read without SQLite. A later page has the mark too (sqlite-inner-mark.ts). All calls are synchronous and run inside
 * the open transaction of the only connection.
 */
export class SqliteChanges implements Changes {
  readonly #file: string;
  readonly #database: Database.Database;
  readonly #held: HeldFiles;
  readonly #chance: Chance;
  readonly #readCount: Database.Statement;
  readonly #readToken: Database.Statement;
  readonly #inner: SqliteInnerMark;
  /** The last mark that this process committed. Two marks when the newer commit is uncertain. */
  #newest: Mark[] | undefined;
  #files: SqliteFiles | undefined;
  #left = false;

  constructor(file: string, database: Database.Database, held: HeldFiles, chance: Chance) {
    this.#file = file;
    this.#database = database;
    this.#held = held;
    this.#chance = chance;
    this.#inner = new SqliteInnerMark(database);
    this.#readCount = database.prepare("pragma user_version").pluck();
    this.#readToken = database.prepare("pragma application_id").pluck();
  }

  async take(): Promise<void> {
    const now = this.#now();
    this.#inner.make();
    this.#files = new SqliteFiles(this.#file, () => this.#inner.pages());
    this.#newest = [now, this.#write(this.#following(now), "all")];
  }

  async next(): Promise<Counted> {
    const now = this.#now();
    if (this.#newest === undefined) {
      this.#write({ ...now, count: (now.count + 1) | 0 });
      return NOT_COUNTED;
    }
    if (!this.#isInPlace(now)) return NOT_COUNTED;
    const following = this.#write(this.#following(now), this.#files?.turn());
    this.#newest = [now, following];
    return {
      end: (how) => {
        if (how === "undone") this.#newest = [now];
        if (how === "unknown") this.#files?.uncertain();
        if (how !== "committed") return;
        this.#newest = [following];
        this.#files?.committed(following);
      },
    };
  }

  async compare(): Promise<void> {
    if (this.#newest !== undefined) this.#isInPlace(this.#now());
  }

  /** Stops copying the log into the database. Otherwise SQLite would copy the log when it closes the files, and mix two databases. */
  leaveAsItIs(): void {
    this.#left = true;
    if (this.#database.open) this.#database.pragma("wal_autocheckpoint = 0");
  }

  get isLeft(): boolean {
    return this.#left;
  }

  /** Call this after SQLite has closed its files. */
  close(): void {
    this.#files?.close();
    this.#files = undefined;
  }

  /**
   * Checks that the database has all changes of this process. Other processes count changes but keep the token, so the token of this
   * process proves that none of its changes is missing.
   */
  #isInPlace(now: Mark): boolean {
    const marks = this.#newest ?? [];
    const own = marks.some((mark) => mark.token === now.token && ahead(now, mark) >= 0);
    const problem = own ? this.#files?.problem(now) : `${this.#file} was overwritten (${difference(now, marks.at(-1) ?? now)})`;
    if (problem === undefined) {
      this.#newest = [now];
      return true;
    }
    this.leaveAsItIs();
    this.#held.giveUp(problem);
    return false;
  }

  #now(): Mark {
    return { count: Number(this.#readCount.get()), token: Number(this.#readToken.get()) };
  }

  #following({ count }: Mark): Mark {
    return { count: (count + 1) | 0, token: this.#chance.bytes(4).readInt32BE() };
  }

  /** Writes the mark inside the open transaction. A pragma has no parameters, so the text contains the numbers. */
  #write(mark: Mark, turn?: Turn | "all"): Mark {
    this.#database.exec(`pragma user_version = ${mark.count}; pragma application_id = ${mark.token}`);
    this.#inner.write(mark, turn);
    return mark;
  }
}
