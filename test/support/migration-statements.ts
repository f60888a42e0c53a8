import { createHash } from "node:crypto";
import {
  type DatabaseIntrospector,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { POSTGRES_DIALECT, SQLITE_DIALECT } from "../../src/store/migrations/dialects.ts";
import type { Migration } from "../../src/store/migrations/types.ts";
import type { Tables } from "../../src/store/tables.ts";

export type DialectKind = "sqlite" | "postgres";

/** The statements that a migration sends to a database, in the form that `plain` gives them. */
export async function statementsOf(migration: Pick<Migration, "up">, kind: DialectKind): Promise<string[]> {
  const sent: string[] = [];
  const db = new Kysely<Tables>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createQueryCompiler: () => (kind === "sqlite" ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
      createAdapter: () => (kind === "sqlite" ? new SqliteAdapter() : new PostgresAdapter()),
      createIntrospector: (of: Kysely<unknown>): DatabaseIntrospector =>
        kind === "sqlite" ? new SqliteIntrospector(of) : new PostgresIntrospector(of),
    },
    log: ({ query }) => {
      const values = query.parameters.length === 0 ? "" : ` ${JSON.stringify(query.parameters)}`;
      sent.push(`${plain(query.sql)}${values}`);
    },
  });
  await db.transaction().execute((tx) => migration.up(tx, kind === "sqlite" ? SQLITE_DIALECT : POSTGRES_DIALECT));
  await db.destroy();
  return sent;
}

/** The fixed hash of a migration: half of a SHA-256 over its statements. */
export async function pinOf(migration: Pick<Migration, "up">, kind: DialectKind): Promise<string> {
  const statements = await statementsOf(migration, kind);
  return createHash("sha256").update(statements.join("\n")).digest("hex").slice(0, 32);
}

/** The parts of a statement: quoted names and texts, comments, white space, everything else. */
const PARTS = /('(?:[^']|'')*'|"(?:[^"]|"")*")|(--[^\n]*|\/\*[\s\S]*?\*\/)|(\s+)|([^'"\s/-]+|[/-])/g;

/** Removes comments, makes any white space one blank, and makes unquoted words lower case. */
export function plain(sql: string): string {
  const written = sql.replace(PARTS, (part, quoted?: string, comment?: string, blank?: string) => {
    if (quoted !== undefined) return quoted;
    return comment !== undefined || blank !== undefined ? " " : part.toLowerCase();
  });
  return squeezed(written);
}

/** Makes several blanks one, and removes blanks inside brackets. Quoted texts stay as they are. */
function squeezed(sql: string): string {
  return sql
    .split(/('(?:[^']|'')*'|"(?:[^"]|"")*")/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/ +/g, " ").replace(/ ?([(),]) ?/g, "$1")))
    .join("")
    .trim();
}
