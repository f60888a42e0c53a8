import type { ColumnDefinitionBuilder, CreateTableBuilder, Expression, RawBuilder, Transaction } from "kysely";
import type { Tables } from "../tables.ts";

/** One migration. A released migration never changes. */
export interface Migration {
  /** 1, 2, 3 …: the version of the tables after this migration. */
  version: number;
  name: string;
  /** Runs inside one transaction with the row that records it. */
  up(tx: Transaction<Tables>, dialect: MigrationDialect): Promise<void>;
}

/** A migration with a hash of the statements that it sends to each kind of database. */
export interface PinnedMigration extends Migration {
  pins: { sqlite: string; postgres: string };
}

/** The differences between the two databases. */
export interface MigrationDialect {
  kind: "sqlite" | "postgres";
  /** 64-bit integer. */
  int64: "bigint" | "integer";
  bytes: "bytea" | "blob";
  /** A primary key that numbers itself, in the order of insertion. */
  identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /**
   * The type of a column that numbers the rows of a table in the order of insertion. The key of such a table has another column too.
   * `numbered` adds the constraint of the column.
   */
  numberType: "bigserial" | "integer";
  numbered(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Ends the definition of a table of which old days are forgotten. `moment`: the column, in milliseconds, that tells the day of a row. */
  inDays<T extends string, C extends string>(table: CreateTableBuilder<T, C>, moment: C): CreateTableBuilder<T, C>;
  /** Makes the part for rows of days that have no part (day-parts.ts). */
  makeRest(tx: Transaction<Tables>, table: string, moment: string): Promise<void>;
  /** Returns the text at a path in a column of JSON text; null if there is none. */
  textWithin(column: string, path: readonly string[]): RawBuilder<string | null>;
  /** Ends the definition of a table: strict column types, and rows stored in the primary key if that saves an index. */
  finish<T extends string, C extends string>(table: CreateTableBuilder<T, C>, rows: "by-id" | "by-key"): CreateTableBuilder<T, C>;
  /** Returns `documentNumber` from facts (JSON that this program wrote); null if they have none. */
  documentNumberIn(facts: Expression<unknown>): RawBuilder<number | null>;
}
