import type { ColumnDefinitionBuilder, CreateTableBuilder, Expression, RawBuilder, Transaction } from "kysely";
import type { Tables } from "../tables.ts";

/** One migration. A released migration never changes. */
export interface Migration {
  /** The version of the tables after this migration. */
  version: number;
  name: string;
  /** Runs in one transaction with the row that records the migration. */
  up(tx: Transaction<Tables>, dialect: MigrationDialect): Promise<void>;
}

/** A migration with a hash of its statements for each kind of database. */
export interface PinnedMigration extends Migration {
  pins: { sqlite: string; postgres: string };
}

export interface MigrationDialect {
  kind: "sqlite" | "postgres";
  int64: "bigint" | "integer";
  bytes: "bytea" | "blob";
  /** A primary key that numbers itself, in the order of insertion. */
  identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /**
   * The type of a column that numbers rows in the order of insertion, in a table whose key has a further column. `numbered` adds the
   * column's constraint.
   */
  numberType: "bigserial" | "integer";
  numbered(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /**
   * Ends the definition of a table that has a part for each day. In SQLite the table has no parts. `moment`: the column, in milliseconds,
   * that determines a row's day.
   */
  inDays<T extends string, C extends string>(table: CreateTableBuilder<T, C>, moment: C): CreateTableBuilder<T, C>;
  /** Makes the part for the days that have no part of their own (day-parts.ts). Does nothing in SQLite. */
  makeRest(tx: Transaction<Tables>, table: string, moment: string): Promise<void>;
  /** Returns the text at a path in a JSON column; null if there is none. */
  textWithin(column: string, path: readonly string[]): RawBuilder<string | null>;
  /** Ends the definition of a table. In SQLite: strict column types, and the rows of `by-key` stored in the primary key. */
  finish<T extends string, C extends string>(table: CreateTableBuilder<T, C>, rows: "by-id" | "by-key"): CreateTableBuilder<T, C>;
  /** Returns `documentNumber` from this program's JSON of facts; null if there is none. */
  documentNumberIn(facts: Expression<unknown>): RawBuilder<number | null>;
}
