import { type Kysely, sql, type Transaction } from "kysely";
import type { Clock } from "../kernel/clock.ts";
import { storeFailure } from "./failures.ts";
import { POSTGRES_DIALECT, SQLITE_DIALECT } from "./migrations/dialects.ts";
import type { PinnedMigration } from "./migrations/types.ts";
import type { Tables } from "./tables.ts";

/** How long a process waits for another migrating process: as long as one statement of a migration may take. */
const OTHERS_WORK_MS = 600_000;

export interface MigrationTarget {
  db: Kysely<Tables>;
  kind: "sqlite" | "postgres";
  /** PostgreSQL only. A missing schema is made. */
  schema?: string;
  /** A newer program may migrate during this run, because its migrations only add. */
  newerMayRun?: boolean;
}

interface Applied {
  version: number;
  name: string;
  /** Null: the migration ran before pins were recorded. */
  pin?: string | null;
}

/**
 * Migrates to the newest version in one transaction. Two migrating processes take turns. Refuses a database that is newer than the list,
 * was made by other migrations, or has its tables in a schema behind the first of the search path.
 */
export async function migrate(target: MigrationTarget, migrations: readonly PinnedMigration[], clock: Clock): Promise<void> {
  const { kind } = target;
  await target.db.transaction().execute(async (tx) => {
    if (kind === "postgres") {
      await prepareSchema(tx, target.schema);
      await refuseSchemaBefore(tx);
    }
    await prepareVersions(tx, kind);
    const applied = await appliedSteps({ ...target, db: tx });
    refuseOthers(applied, migrations, kind);
    await adopt(tx, applied, migrations, kind);
    const current = newestOf(applied);
    const steps = migrations.filter(({ version }) => version > current);
    for (const step of steps) {
      await step.up(tx, kind === "sqlite" ? SQLITE_DIALECT : POSTGRES_DIALECT);
      const appliedAt = new Date(clock.nowMs()).toISOString();
      await sql`insert into schema_version (version, name, applied_at, pin)
        values (${step.version}, ${step.name}, ${appliedAt}, ${step.pins[kind]})`.execute(tx);
    }
    if (steps.length > 0 && kind === "sqlite") await countChange(tx);
  });
}

/**
 * Returns the version of the tables; 0 before the first migration. Throws `database-differs`, and without `newerMayRun` also
 * `database-newer`.
 */
export async function schemaVersion(target: MigrationTarget, migrations: readonly PinnedMigration[]): Promise<number> {
  const { db, kind, newerMayRun = false } = target;
  const there =
    kind === "sqlite"
      ? await sql`select 1 from sqlite_master where type = 'table' and name = 'schema_version'`.execute(db)
      : await sql`select 1 where to_regclass('schema_version') is not null`.execute(db);
  if (there.rows.length === 0) return 0;
  const applied = await appliedSteps(target);
  const known = newestOf(migrations);
  refuseOthers(newerMayRun ? applied.filter(({ version }) => version <= known) : applied, migrations, kind);
  return newestOf(applied);
}

export function newestOf(steps: readonly { version: number }[]): number {
  return steps.reduce((newest, { version }) => Math.max(newest, version), 0);
}

/**
 * Throws `database-newer` when a newer version of this program has changed the tables, and `database-differs` when other migrations made
 * them.
 */
function refuseOthers(applied: readonly Applied[], migrations: readonly PinnedMigration[], kind: "sqlite" | "postgres"): void {
  const [version, known] = [newestOf(applied), newestOf(migrations)];
  if (version > known) {
    throw storeFailure(
      "database-newer",
      "caller",
      `The database has version ${version} and this program knows ${known}: start the newer program, or restore the copy made before it ran`,
    );
  }
  const wrong = migrations.filter((step) => step.version <= version && !isThere(step, applied, kind));
  const unknown = applied.filter((step) => migrations.every((one) => one.version !== step.version));
  const [first] = [...wrong, ...unknown];
  if (first === undefined) return;
  throw storeFailure(
    "database-differs",
    "caller",
    `Step ${first.version} (${first.name}) of the database's tables was another one than this program's: start the program that made them, or restore a copy from before. Nothing was changed`,
  );
}

function isThere(step: PinnedMigration, applied: readonly Applied[], kind: "sqlite" | "postgres"): boolean {
  const found = applied.find(({ version }) => version === step.version);
  return found?.name === step.name && (found.pin ?? step.pins[kind]) === step.pins[kind];
}

async function appliedSteps({ db }: Pick<MigrationTarget, "db">): Promise<Applied[]> {
  return (await sql<Applied>`select * from schema_version order by version`.execute(db)).rows;
}

/** Records the missing pins of early migrations, which had today's pins. */
async function adopt(
  tx: Transaction<Tables>,
  applied: readonly Applied[],
  migrations: readonly PinnedMigration[],
  kind: "sqlite" | "postgres",
): Promise<void> {
  for (const { version, pin } of applied) {
    const step = migrations.find((one) => one.version === version);
    if (typeof pin === "string" || step === undefined) continue;
    await sql`update schema_version set pin = ${step.pins[kind]} where version = ${version}`.execute(tx);
  }
}

/**
 * PostgreSQL only. Throws `store-misconfigured` when the tables are in another schema than the one in which new tables would be made. This
 * happens when somebody makes a schema with the name of the database user, which the search path names before `public`. Without this check
 * a second and empty journal would be begun there, and would hide the tables of the first.
 */
async function refuseSchemaBefore(tx: Transaction<Tables>): Promise<void> {
  const { rows } = await sql<{ found: string; first: string }>`
    select relnamespace::regnamespace::text as found, current_schema()::text as first from pg_class
    where oid = to_regclass('schema_version') and relnamespace::regnamespace::text <> quote_ident(current_schema())`.execute(tx);
  const [wrong] = rows;
  if (wrong === undefined) return;
  const { found, first } = wrong;
  throw storeFailure(
    "store-misconfigured",
    "caller",
    `The journal is in the schema ${found}, and the schema ${first} stands before it in the search path: rename or drop ${first}, or set the search path of the database's user to ${found}. Nothing was changed`,
  );
}

async function prepareVersions(tx: Transaction<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  await sql`create table if not exists schema_version (version integer primary key, name text not null, applied_at text not null)`.execute(
    tx,
  );
  // `add column if not exists` would wait for all readers of the table, even when the column exists. Commands read the table while a
  // server runs.
  const { rows } =
    kind === "sqlite"
      ? await sql`select 1 from pragma_table_info('schema_version') where name = 'pin'`.execute(tx)
      : await sql`select 1 from pg_attribute where attrelid = 'schema_version'::regclass and attname = 'pin'`.execute(tx);
  if (rows.length === 0) await sql`alter table schema_version add column pin text`.execute(tx);
}

/** Counts the migration like every other change of the file (dialects/sqlite-changes.ts). */
async function countChange(tx: Transaction<Tables>): Promise<void> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(tx);
  await sql.raw(`pragma user_version = ${((rows[0]?.user_version ?? 0) + 1) | 0}`).execute(tx);
}

/**
 * Locks migrations until the transaction ends, and makes a missing schema. Without the lock, `if not exists` fails in two simultaneous
 * processes.
 */
async function prepareSchema(tx: Transaction<Tables>, schema: string | undefined): Promise<void> {
  // Only here one process waits for the whole work of another.
  await sql`set local lock_timeout = ${sql.lit(OTHERS_WORK_MS)}`.execute(tx);
  await sql`select pg_advisory_xact_lock(hashtextextended(${`fiscal-solution migrate ${schema ?? ""}`}, 0))`.execute(tx);
  await sql`set local lock_timeout to default`.execute(tx);
  if (schema !== undefined) await sql`create schema if not exists ${sql.id(schema)}`.execute(tx);
}
