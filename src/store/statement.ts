import { type Compilable, type CompiledQuery, type DialectAdapter, type Kysely, type QueryResult, type RawBuilder, sql } from "kysely";
import type { Tables } from "./tables.ts";

/** What stands for the values while a statement is built. */
export type Placeholders<Values> = { [Name in keyof Values]: RawBuilder<Exclude<Values[Name], undefined>> };

type ValuesOf<Holders> = { [Name in keyof Holders]: NonNullable<Holders[Name]> extends RawBuilder<infer Value> ? Value : never };

interface Template<Row> {
  compiled: CompiledQuery<Row>;
  /** Name of the value that each placeholder among the parameters stands for. */
  names: ReadonlyMap<unknown, string>;
}

/**
 * A statement that the query builder makes once for each database and each set of names given, and that is
 * only filled with values from then on: building one anew takes ten times as long as SQLite takes to run it.
 * Values that are undefined count as not given, so `build` may look at which placeholders are there, and
 * at nothing else: what it returns is kept.
 */
export function statement<Holders extends object, Row>(
  build: (db: Kysely<Tables>, placeholders: Holders) => Compilable<Row>,
): (db: Kysely<Tables>, values: ValuesOf<Holders>) => Promise<QueryResult<Row>> {
  // An adapter lives as long as its database and is shared by its transactions.
  const known = new WeakMap<DialectAdapter, Map<string, Template<Row>>>();
  return (db, values) => {
    const given = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
    const { adapter } = db.getExecutor();
    const templates = known.get(adapter) ?? new Map<string, Template<Row>>();
    known.set(adapter, templates);
    const names = [...given.keys()];
    const template = templates.get(names.join()) ?? templateOf((holders: Holders) => build(db, holders), names);
    templates.set(names.join(), template);
    return db.executeQuery(filled(template, given));
  };
}

function templateOf<Holders, Row>(build: (placeholders: Holders) => Compilable<Row>, names: readonly string[]): Template<Row> {
  const marks = new Map(names.map((name) => [{ name }, name]));
  const placeholders = Object.fromEntries([...marks].map(([mark, name]) => [name, sql`${mark}`])) as Holders;
  return { compiled: build(placeholders).compile(), names: marks };
}

function filled<Row>({ compiled, names }: Template<Row>, values: ReadonlyMap<string, unknown>): CompiledQuery<Row> {
  const fill = (parameter: unknown) => {
    const name = names.get(parameter);
    return name === undefined ? parameter : values.get(name);
  };
  return { ...compiled, parameters: compiled.parameters.map(fill) };
}
