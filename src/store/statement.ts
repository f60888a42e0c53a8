import { type Compilable, type CompiledQuery, type DialectAdapter, type Kysely, type QueryResult, type RawBuilder, sql } from "kysely";
import type { Tables } from "./tables.ts";

/** Placeholders that stand for the values while a statement is built. */
export type Placeholders<Values> = { [Name in keyof Values]: RawBuilder<Exclude<Values[Name], undefined>> };

type ValuesOf<Holders> = { [Name in keyof Holders]: NonNullable<Holders[Name]> extends RawBuilder<infer Value> ? Value : never };

interface Template<Row> {
  compiled: CompiledQuery<Row>;
  /** For each placeholder among the parameters: the index of its value. */
  places: ReadonlyMap<unknown, number>;
}

/**
 * Returns a statement that the query builder builds once for each database and each set of given names. Later calls only fill in values,
 * because building a statement takes ten times as long as running it in SQLite. `build` may depend only on which placeholders are given,
 * because its result is kept.
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
