/** A table with the columns that are filled. The other columns are null. */
export interface FillTable {
  name: string;
  texts: readonly string[];
  numbers: readonly string[];
}

export type FillRow = readonly (string | number | null)[];

/** Writes many rows into an empty database that no server has open. Indexes are made when all rows are there. */
export interface FillWriter {
  write(table: FillTable, rows: readonly FillRow[]): Promise<void>;
  /** Makes the indexes, and lets the database collect its statistics of the tables. */
  finish(): Promise<void>;
}
