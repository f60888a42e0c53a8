import { type Compilable, type CompiledQuery, type DialectAdapter, type Kysely, type QueryResult, type RawBuilder, sql } from "kysely";
import type { Tables } from "./tables.ts";

/** Placeholders for the values while a statement is built. */
export type Placeholders<Values> = { [Name in keyof Values]: RawBuilder<Exclude<Values[Name], undefined>> };

type ValuesOf<Holders> = { [Name in keyof Holders]: NonNullable<Holders[Name]> extends RawBuilder<infer Value> ? Value : never };

interface Template<Row> {
  compiled: CompiledQuery<Row>;
  /** For each placeholder among the parameters: the index of its value. */
  places: ReadonlyMap<unknown, number>;
}

/**
 * Returns a statement that is built once for each database and each set of given names. Later calls only fill in values, because building
 * takes ten times as long as running the statement in SQLite. The result of `build` is stored, so it may depend only on which placeholders
 * are given, not on their values.
 */
export function statement<Holders extends object, Row>(
  build: (db: Kysely<Tables>, placeholders: Holders) => Compilable<Row>,
): (db: Kysely<Tables>, values: ValuesOf<Holders>) => Promise<QueryResult<Row>> {
  // An adapter exists as long as its database, and all transactions of the database share it.
  const known = new WeakMap<DialectAdapter, Map<string, Template<Row>>>();
  return (db, values) => {
    const { adapter } = db.getExecutor();
    const templates = known.get(adapter) ?? new Map<string, Template<Row>>();
    known.set(adapter, templates);
    const names = Object.keys(values);
    const shape = names.join();
    const template = templates.get(shape) ?? templateOf((holders: Holders) => build(db, holders), names);
    templates.set(shape, template);
    return db.executeQuery(filled(template, Object.values(values)));
  };
}

/**
 * The largest number of rows for which a statement is stored. Each number of rows needs another statement, so statements with more rows are
 * built each time.
 */
const MOST_KEPT_ROWS = 50;

/** Like `statement`, for several rows with the same columns: built once for each database and number of rows. */
export function rowsStatement<Row extends object, Result>(
  build: (db: Kysely<Tables>, rows: readonly Placeholders<Row>[]) => Compilable<Result>,
): (db: Kysely<Tables>, rows: readonly Row[]) => Promise<QueryResult<Result>> {
  const known = new WeakMap<DialectAdapter, Map<string, Template<Result>>>();
  return (db, rows) => {
    const { adapter } = db.getExecutor();
    const templates = known.get(adapter) ?? new Map<string, Template<Result>>();
    known.set(adapter, templates);
    const names = Object.keys(rows[0] ?? {});
    const shape = `${rows.length}/${names.join()}`;
    const cells = rows.flatMap((_, row) => names.map((name) => ({ row, name })));
    const inRows = (holders: object) =>
      rows.map((_, row) => Object.fromEntries(names.map((name) => [name, Reflect.get(holders, `${row}/${name}`)])) as Placeholders<Row>);
    const template =
      templates.get(shape) ??
      templateOf(
        (holders: object) => build(db, inRows(holders)),
        cells.map(({ row, name }) => `${row}/${name}`),
      );
    if (rows.length <= MOST_KEPT_ROWS) templates.set(shape, template);
    const values = cells.map(({ row, name }) => Reflect.get(rows[row] ?? {}, name));
    return db.executeQuery(filled(template, values));
  };
}

function templateOf<Holders, Row>(build: (placeholders: Holders) => Compilable<Row>, names: readonly string[]): Template<Row> {
  const marks = names.map((name) => ({ name }));
  const placeholders = Object.fromEntries(marks.map((mark) => [mark.name, sql`${mark}`])) as Holders;
  return { compiled: build(placeholders).compile(), places: new Map(marks.map((mark, place) => [mark, place])) };
}

function filled<Row>({ compiled, places }: Template<Row>, values: readonly unknown[]): CompiledQuery<Row> {
  const fill = (parameter: unknown) => {
    const place = places.get(parameter);
    return place === undefined ? parameter : values[place];
  };
  return { ...compiled, parameters: compiled.parameters.map(fill) };
}
