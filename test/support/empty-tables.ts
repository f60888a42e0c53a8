import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/store/database.ts";

let made: Promise<Buffer> | undefined;

/**
 * The bytes of an SQLite file that has the newest tables and no rows. The tables are made once for all tests of a process, because making
 * them takes longer than most tests.
 */
export function emptyTables(): Promise<Buffer> {
  made ??= makeTables();
  return made;
}

/** The positions of two bytes at the beginning of an SQLite file that say whether it has a write-ahead log. */
const LOG_MODES = [18, 19];
const WITHOUT_LOG = 1;

/** The same for a database in memory, which cannot have a write-ahead log. */
export async function emptyTablesInMemory(): Promise<Buffer> {
  const bytes = Buffer.from(await emptyTables());
  for (const place of LOG_MODES) bytes[place] = WITHOUT_LOG;
  return bytes;
}

async function makeTables(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  try {
    const file = join(folder, "fiscal.db");
    const store = await openStore({ kind: "sqlite", file });
    await store.migrate();
    await store.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
