import type { ColumnDefinitionBuilder, CreateTableBuilder, Expression, RawBuilder, Transaction } from "kysely";
import type { Tables } from "../tables.ts";

/** One step of the tables' history. A step that was ever released is never changed. */
export interface Migration {
  /** 1, 2, 3 …: the version of the tables afterwards. */
  version: number;
  name: string;
  /** Runs inside one transaction with the row that records it. */
  up(tx: Transaction<Tables>, dialect: MigrationDialect): Promise<void>;
}

/** A step with what stands for the statements that it sends to either database. */
export interface PinnedMigration extends Migration {
  pins: { sqlite: string; postgres: string };
}

/** Where the two databases spell the same thing differently. */
export interface MigrationDialect {
  kind: "sqlite" | "postgres";
  /** 64-bit integer. */
  int64: "bigint" | "integer";
  bytes: "bytea" | "blob";
  /** A primary key that numbers itself, in the order of insertion. */
  identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Text at a place in a column of JSON text; null where there is none. */
  textWithin(column: string, path: readonly string[]): RawBuilder<string | null>;
  /** Ends a table's definition: strict column types, rows stored in the primary key where that saves an index. */
  finish<T extends string, C extends string>(table: CreateTableBuilder<T, C>, rows: "by-id" | "by-key"): CreateTableBuilder<T, C>;
  /** `documentNumber` of facts, JSON that we have written ourselves; null where they have none. */
  documentNumberIn(facts: Expression<unknown>): RawBuilder<number | null>;
}
