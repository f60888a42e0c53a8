import { type Kysely, sql, type Transaction } from "kysely";
import type { Clock } from "../kernel/clock.ts";
import { storeFailure } from "./failures.ts";
import { POSTGRES_DIALECT, SQLITE_DIALECT } from "./migrations/dialects.ts";
import type { Migration } from "./migrations/types.ts";
import type { Tables } from "./tables.ts";

export interface MigrationTarget {
  db: Kysely<Tables>;
  kind: "sqlite" | "postgres";
  /** Of PostgreSQL: made when it is not there. */
  schema?: string;
}

/**
 * Brings the tables to the newest version, all steps in one transaction: afterwards the database is
 * new or as it was. Two that migrate at once take turns. A database newer than the list is refused.
 */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[], clock: Clock): Promise<void> {
  await target.db.transaction().execute(async (tx) => {
    if (target.kind === "postgres") await prepareSchema(tx, target.schema);
    await sql`create table if not exists schema_version (version integer primary key, name text not null, applied_at text not null)`.execute(
      tx,
    );
    const current = await newestVersion(tx);
    refuseNewer(current, migrations);
    for (const migration of migrations) {
      if (migration.version <= current) continue;
      await migration.up(tx, target.kind === "sqlite" ? SQLITE_DIALECT : POSTGRES_DIALECT);
      const appliedAt = new Date(clock.nowMs()).toISOString();
      await sql`insert into schema_version (version, name, applied_at) values (${migration.version}, ${migration.name}, ${appliedAt})`.execute(
        tx,
      );
    }
  });
}

/** Version of the tables; 0 before the first migration. */
export async function schemaVersion({ db, kind }: MigrationTarget): Promise<number> {
  const there =
    kind === "sqlite"
      ? await sql`select 1 from sqlite_master where type = 'table' and name = 'schema_version'`.execute(db)
      : await sql`select 1 where to_regclass('schema_version') is not null`.execute(db);
  return there.rows.length === 0 ? 0 : await newestVersion(db);
}

/** Throws `database-newer` when a later program has changed the tables. */
export function refuseNewer(version: number, migrations: readonly Migration[]): void {
  const known = newestOf(migrations);
  if (version <= known) return;
  throw storeFailure(
    "database-newer",
    "caller",
    `The database has version ${version} and this program knows ${known}: start the newer program, or restore the copy made before it ran`,
  );
}

export function newestOf(migrations: readonly Migration[]): number {
  return migrations.reduce((newest, { version }) => Math.max(newest, version), 0);
}

async function newestVersion(db: Kysely<Tables>): Promise<number> {
  const found = await sql<{ version: number | null }>`select max(version) as version from schema_version`.execute(db);
  return found.rows[0]?.version ?? 0;
}

/** Under a lock for the length of the transaction: `if not exists` alone fails when two ask at once. */
async function prepareSchema(tx: Transaction<Tables>, schema: string | undefined): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`fiscal-solution migrate ${schema ?? ""}`}, 0))`.execute(tx);
  if (schema !== undefined) await sql`create schema if not exists ${sql.id(schema)}`.execute(tx);
}
