import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { present } from "../../src/kernel/present.ts";
import { openStore, type Store, type StoreOptions, type StoreServices } from "../../src/store/database.ts";
import { emptyTables, emptyTablesInMemory } from "./empty-tables.ts";
import { EXTENT } from "./extent.ts";
import { MigratedSchema } from "./migrated-schema.ts";
import { administer, POSTGRES_URL, postgresMissing } from "./postgres-admin.ts";

/** A kind of database that the conformance suites run on. */
export interface DatabaseKind {
  title: string;
  kind: StoreOptions["kind"];
  /** Whether several stores can be open on the same data, and the data stays when they are closed. */
  shared: boolean;
  /** Why the database cannot be used on this machine. */
  missing?: string;
  /** With the newest tables. */
  make(): Promise<TestDatabase>;
  /** Without tables. */
  makeEmpty(): Promise<TestDatabase>;
}

/** One database without rows, made for a test file and dropped after it. */
export interface TestDatabase {
  options: StoreOptions;
  open(services?: StoreServices): Promise<Store>;
  /** Closes every store that was opened and removes the data. */
  drop(): Promise<void>;
}

const memory: DatabaseKind = {
  title: "SQLite in memory",
  kind: "sqlite",
  shared: false,
  make: async () => testDatabase({ kind: "sqlite", file: ":memory:", content: await emptyTablesInMemory() }),
  makeEmpty: async () => testDatabase({ kind: "sqlite", file: ":memory:" }),
};

const file: DatabaseKind = {
  title: "SQLite in a file",
  kind: "sqlite",
  shared: true,
  make: async () => fileDatabase(await emptyTables()),
  makeEmpty: async () => fileDatabase(),
};

const missing = await postgresMissing();

const postgres: DatabaseKind = {
  title: "PostgreSQL",
  kind: "postgres",
  shared: true,
  ...present({ missing }),
  async make() {
    const schema = await MigratedSchema.take();
    return testDatabase({ kind: "postgres", url: POSTGRES_URL, schema: schema.name }, () => schema.giveBack());
  },
  async makeEmpty() {
    const schema = `test_${randomUUID().replaceAll("-", "")}`;
    return testDatabase({ kind: "postgres", url: POSTGRES_URL, schema }, () => administer(`drop schema if exists ${schema} cascade`));
  },
};

export const DATABASE_KINDS: readonly DatabaseKind[] = [memory, file, postgres];

/**
 * For suites about what stands in the tables, and not about how a database keeps it. `npm test` runs these on one kind. The suites of store,
 * journal and cluster run on every kind there too.
 */
export const TRIED_DATABASES: readonly DatabaseKind[] = EXTENT === "long" ? DATABASE_KINDS : [memory];

/**
 * Runs a suite on one kind of database. Where the database is missing the suite is skipped with the reason, but with
 * REQUIRE_ALL=1 it runs and fails.
 */
export function describeDatabase(what: string, kind: DatabaseKind, suite: () => void): void {
  const skipped = kind.missing !== undefined && process.env.REQUIRE_ALL !== "1";
  describe.skipIf(skipped)(`${what} on ${kind.title}${skipped ? ` (skipped: ${kind.missing})` : ""}`, suite);
}

function testDatabase(options: StoreOptions, remove: () => Promise<void> = async () => {}): TestDatabase {
  const opened: Store[] = [];
  return {
    options,
    async open(services) {
      const store = await openStore(options, services);
      opened.push(store);
      return store;
    },
    async drop() {
      for (const store of opened) await store.close();
      await remove();
    },
  };
}

function fileDatabase(content?: Buffer): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  const file = join(folder, "fiscal.db");
  if (content !== undefined) writeFileSync(file, content, { mode: 0o600 });
  return testDatabase({ kind: "sqlite", file }, async () => rmSync(folder, { recursive: true }));
}
