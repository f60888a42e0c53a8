import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { describe } from "vitest";
import { messageOf } from "../../src/kernel/failure.ts";
import { openStore, type Store, type StoreOptions, type StoreServices } from "../../src/store/database.ts";

/** A kind of database that the conformance suites run on. */
export interface DatabaseKind {
  title: string;
  kind: StoreOptions["kind"];
  /** Whether several stores can be open on the same data, which outlives them. */
  shared: boolean;
  /** Why it cannot be used on this machine. */
  missing?: string;
  make(): Promise<TestDatabase>;
}

/** One empty database, made for a test file and dropped after it. */
export interface TestDatabase {
  options: StoreOptions;
  open(services?: StoreServices): Promise<Store>;
  /** Closes every store that was opened and removes the data. */
  drop(): Promise<void>;
}

export const POSTGRES_URL = process.env.TEST_DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/test";

const memory: DatabaseKind = {
  title: "SQLite in memory",
  kind: "sqlite",
  shared: false,
  make: async () => testDatabase({ kind: "sqlite", file: ":memory:" }),
};

const file: DatabaseKind = {
  title: "SQLite in a file",
  kind: "sqlite",
  shared: true,
  async make() {
    const folder = mkdtempSync(join(tmpdir(), "store-"));
    return testDatabase({ kind: "sqlite", file: join(folder, "fiscal.db") }, async () => rmSync(folder, { recursive: true }));
  },
};

const postgresMissing = await whyPostgresIsMissing();

const postgres: DatabaseKind = {
  title: "PostgreSQL",
  kind: "postgres",
  shared: true,
  ...(postgresMissing === undefined ? {} : { missing: postgresMissing }),
  async make() {
    const schema = `test_${randomUUID().replaceAll("-", "")}`;
    return testDatabase({ kind: "postgres", url: POSTGRES_URL, schema }, async () => {
      const store = await openStore({ kind: "postgres", url: POSTGRES_URL });
      await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(store.db);
      await store.close();
    });
  },
};

export const DATABASE_KINDS: readonly DatabaseKind[] = [memory, file, postgres];

/**
 * A suite on one kind of database: skipped with the reason where it is missing, and run all the same,
 * to fail, with REQUIRE_ALL=1.
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

async function whyPostgresIsMissing(): Promise<string | undefined> {
  try {
    const store = await openStore({ kind: "postgres", url: POSTGRES_URL });
    await store.close();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
