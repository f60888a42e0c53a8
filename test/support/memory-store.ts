import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store, type StoreServices } from "../../src/store/database.ts";

/** Two bytes of the head of a database file say whether it has a write-ahead log, which a database in memory cannot have. */
const LOG_MODES = [18, 19];
const WITHOUT_LOG = 1;

let content: Promise<Buffer> | undefined;

/** A store in memory with the newest tables. They are made once for all: making them takes longer than most tests. */
export async function openMemoryStore(services?: StoreServices): Promise<Store> {
  content ??= emptyTables();
  const store = await openStore({ kind: "sqlite", file: ":memory:", content: await content }, services);
  await store.migrate();
  return store;
}

async function emptyTables(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  try {
    const file = join(folder, "fiscal.db");
    const store = await openStore({ kind: "sqlite", file });
    await store.migrate();
    await store.close();
    const bytes = readFileSync(file);
    for (const place of LOG_MODES) bytes[place] = WITHOUT_LOG;
    return bytes;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
