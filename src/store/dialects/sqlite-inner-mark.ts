import type Database from "better-sqlite3";
import type { Mark } from "../changes.ts";

/**
 * Commands and earlier versions of this program write the first table. The process with the database's lock writes the other tables in
 * turn.
 */
const SHARED = "commit_marks";
const OWN = ["commit_marks_1", "commit_marks_2"] as const;
const ROW = 0;

/** The number of one of the two tables that the process with the database's lock writes. */
export type Turn = 0 | 1;

/**
 * Stores the mark a second time, in a page after the first page. Every change writes the mark of the first page and the mark in one of the
 * later pages, and a checkpoint copies both. So on disk the newest mark of the later pages equals the mark of the first page. The two marks
 * differ when some pages come from a copy, or when an earlier version of this program wrote last. No migration makes the tables: in SQLite
 * they belong to this module alone.
 *
 * Two tables take turns, so that the log has no newer mark for the page that a checkpoint copied last (sqlite-files.ts).
 */
export class SqliteInnerMark {
  readonly #database: Database.Database;
  readonly #find: Database.Statement;
  readonly #updates = new Map<string, Database.Statement>();

  constructor(database: Database.Database) {
    this.#database = database;
    this.#find = database.prepare("select rootpage from sqlite_schema where type = 'table' and name = ?").pluck();
  }

  /** Makes the missing tables. Call it inside a transaction. */
  make(): void {
    for (const table of [SHARED, ...OWN]) {
      this.#database.exec(
        `create table if not exists ${table} (slot integer primary key, token integer not null, count integer not null) strict;
         insert or ignore into ${table} (slot, token, count) values (${ROW}, 0, 0)`,
      );
    }
  }

  /**
   * Writes the mark inside the open transaction: into the table of this turn, into every table (`all`), or without `turn` into the shared
   * table. Skips a missing table.
   */
  write(mark: Mark, turn?: Turn | "all"): void {
    if (turn === "all") for (const table of [SHARED, ...OWN]) this.#update(table, mark);
    else this.#update(turn === undefined ? SHARED : OWN[turn], mark);
  }

  #update(table: string, { token, count }: Mark): void {
    let update = this.#updates.get(table);
    if (update === undefined) {
      if (this.#pageOf(table) === undefined) return;
      update = this.#database.prepare(`update ${table} set token = ?, count = ? where slot = ${ROW}`);
      this.#updates.set(table, update);
    }
    update.run(token, count);
  }

  /** Returns the numbers of the rows' pages, from 1. A table of one row has one page, which VACUUM may move. */
  pages(): number[] {
    return [SHARED, ...OWN].flatMap((table) => this.#pageOf(table) ?? []);
  }

  #pageOf(table: string): number | undefined {
    const found = this.#find.get(table);
    return typeof found === "number" ? found : undefined;
  }
}
