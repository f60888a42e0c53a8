import { messageOf } from "../../src/kernel/failure.ts";
import { openStore } from "../../src/store/database.ts";
import { administer, POSTGRES_URL, query } from "./postgres-admin.ts";

/** Schemas that no test of this process uses now. What is left of them is dropped after all tests (all-schemas.ts). */
const free: MigratedSchema[] = [];
let made = 0;

/**
 * A schema of PostgreSQL that has the newest tables and no rows. Making the tables takes seconds, so tests give a schema back, and the
 * next test gets it without rows.
 */
export class MigratedSchema {
  readonly name: string;
  readonly #asMade: string;

  private constructor(name: string, asMade: string) {
    this.name = name;
    this.#asMade = asMade;
  }

  static async take(): Promise<MigratedSchema> {
    const taken = free.pop();
    if (taken !== undefined) return taken;
    made += 1;
    const name = `${process.env.TEST_SCHEMAS ?? "test"}_${process.pid}_${made}`;
    const store = await openStore({ kind: "postgres", url: POSTGRES_URL, schema: name });
    await store.migrate();
    await store.close();
    await administer(withoutAutovacuum(name));
    return new MigratedSchema(name, await describe(name));
  }

  /** Removes all rows. A schema whose tables the test has changed is dropped. */
  async giveBack(): Promise<void> {
    const now = await emptied(this.name).catch(messageOf);
    if (now === this.#asMade) free.push(this);
    else await administer(`drop schema if exists ${this.name} cascade`);
  }
}

/**
 * Autovacuum would note that the tables are empty between two tests. PostgreSQL would then read the whole table in each check of a foreign
 * key, however many rows the next test inserts. It never finds a new schema so fast.
 */
function withoutAutovacuum(schema: string): string {
  return `
    do $$
    declare name text;
    begin
      for name in select oid::regclass from pg_class where relnamespace = '${schema}'::regnamespace and relkind = 'r'
      loop execute 'alter table ' || name || ' set (autovacuum_enabled = false)'; end loop;
    end $$`;
}

/** Removes all rows and the parts of tables that were made for days. Returns what the schema has then. */
async function emptied(schema: string): Promise<string> {
  await administer(`
    set lock_timeout = '10s';
    do $$
    declare
      name text;
      filled boolean;
      tables text[] := '{}';
    begin
      for name in select oid::regclass from pg_class
        where relnamespace = '${schema}'::regnamespace and relkind = 'r' and relispartition and relname not like '%_rest'
      loop execute 'drop table ' || name; end loop;
      for name in select oid::regclass from pg_class
        where relnamespace = '${schema}'::regnamespace and relkind = 'r' and relname <> 'schema_version'
      loop
        execute 'select exists (select from ' || name || ')' into filled;
        if filled then tables := tables || name; end if;
      end loop;
      if tables <> '{}' then execute 'truncate ' || array_to_string(tables, ', ') || ' cascade'; end if;
      perform setval(oid::regclass, 1, false) from pg_class where relnamespace = '${schema}'::regnamespace and relkind = 'S';
    end $$`);
  return describe(schema);
}

/** Everything in the schema that a test can change and that stays when the rows are removed. */
async function describe(schema: string): Promise<string> {
  const [row] = await query<{ found: string }>(`
    select string_agg(line, e'\n' order by line) as found from (
      select concat_ws(' ', oid, relname, relkind, relchecks, relhastriggers) as line
        from pg_class where relnamespace = '${schema}'::regnamespace
      union all
      select concat_ws(' ', attrelid, attname, atttypid, attnotnull, attisdropped)
        from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'p') and attnum > 0
      union all
      select proname from pg_proc where pronamespace = '${schema}'::regnamespace
      union all
      select concat_ws(' ', version, name, pin) from ${schema}.schema_version
    ) as lines`);
  return row?.found ?? "";
}
