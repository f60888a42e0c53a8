import { Kysely, sql } from "kysely";
import { openSqlite, sqliteDialect } from "./dialects/sqlite.ts";
import { storeFailure } from "./failures.ts";
import { SQLITE_DIALECT } from "./migrations/dialects.ts";
import type { Migration } from "./migrations/types.ts";
import type { Tables } from "./tables.ts";

/** The names of all parts of a database: `entries`, `entries.id` and `index entries_key`. */
export type Shape = ReadonlySet<string>;

type Db = Kysely<Tables>;

/** The computed shapes, by list of migrations. They are kept, because a list always has the same shape. */
const made = { sqlite: new WeakMap<readonly Migration[], Shape>(), postgres: new WeakMap<readonly Migration[], Shape>() };

/** Returns the shape after the migrations, by running them on a SQLite database in memory. Both kinds of database use the same names. */
export async function shapeAfter(migrations: readonly Migration[], kind: "sqlite" | "postgres"): Promise<Shape> {
  const known = made[kind].get(migrations);
  if (known !== undefined) return known;
  const db: Db = new Kysely<Tables>({ dialect: sqliteDialect(openSqlite(":memory:")) });
  try {
    await db.transaction().execute(async (tx) => {
      for (const { up } of migrations) await up(tx, { ...SQLITE_DIALECT, kind });
    });
    const shape = await shapeOf(db, "sqlite");
    made[kind].set(migrations, shape);
    return shape;
  } finally {
    await db.destroy();
  }
}

export async function shapeOf(db: Db, kind: "sqlite" | "postgres"): Promise<Shape> {
  const { rows } = await (kind === "sqlite" ? SQLITE_SHAPE : POSTGRES_SHAPE).execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Returns the missing names. Further names are ignored: they may belong to another program. */
function missingOf(expected: Shape, found: Shape): string[] {
  return [...expected].filter((name) => !found.has(name) && found.has(tableOf(name)) === name.includes("."));
}

/** Throws `database-damaged` with the missing names. */
export function refuseIncomplete(expected: Shape, found: Shape): void {
  const missing = missingOf(expected, found);
  if (missing.length === 0) return;
  const shown = missing.slice(0, SHOWN).join(", ");
  const rest = missing.length > SHOWN ? ` and ${missing.length - SHOWN} more` : "";
  throw storeFailure(
    "database-damaged",
    "caller",
    `The database lacks ${shown}${rest}, which this program made in it: restore the newest copy. Nothing was changed`,
  );
}

/** The internal numbers of PostgreSQL's tables by name. A restored table has another number. */
export type MadeTables = ReadonlyMap<string, number>;

/** PostgreSQL only. Returns the tables that an unqualified name finds. */
export async function madeTables(db: Db): Promise<MadeTables> {
  const { rows } = await POSTGRES_TABLES.execute(db);
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** Describes one difference from the expected shape, undefined for none. The journal's table comes first. */
export function changedIn(expected: Shape, made: MadeTables, now: MadeTables, found: Shape): string | undefined {
  const tables = ["entries", ...expected].filter((name) => made.has(name));
  const table = tables.find((name) => now.get(name) !== made.get(name));
  if (table !== undefined) return `the table ${table} was ${now.has(table) ? "replaced" : "dropped or renamed"}`;
  const [missing] = missingOf(expected, found);
  return missing === undefined ? undefined : `${missing} was dropped or renamed`;
}

const SHOWN = 5;

/** Returns the table of a column's name. A missing table is reported once, without its columns. */
function tableOf(name: string): string {
  return name.split(".", 1).join();
}

type Name = { name: string };

const SQLITE_SHAPE = sql<Name>`
  select name from sqlite_master where type = 'table'
  union all
  select found.name || '.' || place.name from sqlite_master as found join pragma_table_info(found.name) as place where found.type = 'table'
  union all
  select 'index ' || name from sqlite_master where type = 'index' and sql is not null`;

const POSTGRES_TABLES = sql<{ name: string; id: number }>`
  select relname as name, oid::int8 as id from pg_class
  where relkind in ('r', 'p') and relnamespace <> 'pg_catalog'::regnamespace and pg_table_is_visible(oid)`;

/** Selects the names of the parts that a statement finds without naming a schema: the parts in the connection's schema. */
const POSTGRES_SHAPE = sql<Name>`
  select relname as name from pg_class where relkind in ('r', 'p') and relnamespace <> 'pg_catalog'::regnamespace and pg_table_is_visible(oid)
  union all
  select found.relname || '.' || place.attname from pg_class as found join pg_attribute as place on place.attrelid = found.oid
    where found.relkind in ('r', 'p') and found.relnamespace <> 'pg_catalog'::regnamespace and pg_table_is_visible(found.oid)
      and place.attnum > 0 and not place.attisdropped
  union all
  select 'index ' || relname from pg_class where relkind in ('i', 'I') and relnamespace <> 'pg_catalog'::regnamespace and pg_table_is_visible(oid)`;
