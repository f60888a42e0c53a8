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

/** What a migration sends to a database, one statement a line, without what does not change its meaning. */
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

/** The pin of a migration: half of a SHA-256 over its statements. */
export async function pinOf(migration: Pick<Migration, "up">, kind: DialectKind): Promise<string> {
  const statements = await statementsOf(migration, kind);
  return createHash("sha256").update(statements.join("\n")).digest("hex").slice(0, 32);
}

/** Names and texts in quotes; comments; white space; everything else. */
const PARTS = /('(?:[^']|'')*'|"(?:[^"]|"")*")|(--[^\n]*|\/\*[\s\S]*?\*\/)|(\s+)|([^'"\s/-]+|[/-])/g;

/** Comments go, any white space is one blank, and words without quotes are small. */
export function plain(sql: string): string {
  const written = sql.replace(PARTS, (part, quoted?: string, comment?: string, blank?: string) => {
    if (quoted !== undefined) return quoted;
    return comment !== undefined || blank !== undefined ? " " : part.toLowerCase();
  });
  return squeezed(written);
}

/** Blanks beside each other are one, outside quotes, and none stand inside of brackets' edges. */
function squeezed(sql: string): string {
  return sql
    .split(/('(?:[^']|'')*'|"(?:[^"]|"")*")/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/ +/g, " ").replace(/ ?([(),]) ?/g, "$1")))
    .join("")
    .trim();
}
