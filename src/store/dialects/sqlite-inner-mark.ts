import type Database from "better-sqlite3";
import type { Mark } from "../changes.ts";

const TABLE = "commit_marks";
const ROW = 0;

/**
 * Stores the mark a second time, in a page behind the first page. Every change writes both marks, and a checkpoint copies both, so they are
 * equal on disk. They differ when some pages come from a copy, or when an earlier version of this program wrote last. No migration makes
 * the table: in SQLite it belongs to this module alone.
 */
export class SqliteInnerMark {
  readonly #database: Database.Database;
  readonly #find: Database.Statement;
  #update: Database.Statement | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#find = database.prepare("select rootpage from sqlite_schema where type = 'table' and name = ?").pluck();
  }

  /** Makes the missing table. Call it inside a transaction. */
  make(): void {
    this.#database.exec(
      `create table if not exists ${TABLE} (slot integer primary key, token integer not null, count integer not null) strict;
       insert or ignore into ${TABLE} (slot, token, count) values (${ROW}, 0, 0)`,
    );
  }

  /** Writes the mark inside the open transaction. Does nothing before `make`. */
  write({ token, count }: Mark): void {
    if (this.#update === undefined && this.page() === undefined) return;
    this.#update ??= this.#database.prepare(`update ${TABLE} set token = ?, count = ? where slot = ${ROW}`);
    this.#update.run(token, count);
  }

  /** Returns the number of the row's page, from 1. A table of one row has one page. VACUUM may move it. */
  page(): number | undefined {
    const found = this.#find.get(TABLE);
    return typeof found === "number" ? found : undefined;
  }
}
