import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { openStore, type Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { copyFiles, overwriteElsewhere, pragma, SUFFIXES, type Suffix } from "../support/overwritten.ts";

const root = mkdtempSync(join(tmpdir(), "store-overwritten-closed-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ROWS_OF_THE_COPY = 3;
/** Enough for some new pages. */
const FURTHER_ROWS = 20;

let file: string;
let copy: string;
let reasons: string[];
let store: Store;

beforeEach(async () => {
  const folder = mkdtempSync(join(root, "case-"));
  [file, copy, reasons] = [join(folder, "fiscal.sqlite"), join(folder, "copy.sqlite"), []];
  store = await served(file);
});

/** Opens the database as the process does that holds the lock. */
async function served(path: string): Promise<Store> {
  const opened = await openStore({ kind: "sqlite", file: path }, { held: new HeldFiles((reason) => reasons.push(reason)) });
  onTestFinished(() => opened.close());
  await opened.migrate();
  return opened;
}

async function change(count: number): Promise<void> {
  for (let made = 1; made <= count; made += 1) {
    const row = { register: "r", drive_number: "9999", shift_number: made, id_type: `t${count}`, shift_id: "s".repeat(500) };
    await store.commit((tx) => tx.insertInto("shift_links").values(row).execute());
  }
}

/** Copies the files, and goes on until the log has begun anew, so that it lacks some changes since the copy. */
async function copyAndGoOn(): Promise<void> {
  await change(ROWS_OF_THE_COPY);
  copyFiles(file, copy);
  await change(FURTHER_ROWS);
  await pragma(store, "wal_checkpoint(passive)");
  await change(1);
}

const OVERWRITTEN: Record<string, { suffixes: readonly Suffix[]; next: RegExp }> = {
  "the database, the log left": { suffixes: [""], next: /does not continue the database/ },
  "the log": { suffixes: ["-wal"], next: /does not continue the database/ },
  "the log and its index": { suffixes: ["-wal", "-shm"], next: /does not continue the database/ },
  "database and log": { suffixes: ["", "-wal"], next: /^begins with 3 rows$/ },
  "all files": { suffixes: SUFFIXES, next: /^begins with 3 rows$/ },
};

it.each(Object.keys(OVERWRITTEN))(
  "a database that is overwritten directly before its server stops is not mixed with its log: %s",
  async (how) => {
    const { suffixes = [], next = /never/ } = OVERWRITTEN[how] ?? {};
    await copyAndGoOn();
    for (const suffix of suffixes) overwriteElsewhere(`${file}${suffix}`, `${copy}${suffix}`);
    const bytes = readFileSync(file);
    await store.close();
    expect(reasons).toEqual([expect.stringMatching(/ was overwritten.* under the running server: /)]);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    // The next process begins without the memory that this process shares with SQLite.
    const later = join(mkdtempSync(join(root, "later-")), "fiscal.sqlite");
    copyFiles(file, later, ["", "-wal"]);
    expect(await beginning(later)).toMatch(next);
  },
);

async function beginning(path: string): Promise<string> {
  try {
    const rows = await (await served(path)).read((db) => db.selectFrom("shift_links").selectAll().execute());
    return `begins with ${rows.length} rows`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

it("a database that nobody has overwritten is whole without its log after its server has stopped", async () => {
  await copyAndGoOn();
  await store.close();
  expect(reasons).toEqual([]);
  const later = join(mkdtempSync(join(root, "later-")), "fiscal.sqlite");
  copyFiles(file, later, [""]);
  expect(await beginning(later)).toBe(`begins with ${ROWS_OF_THE_COPY + FURTHER_ROWS + 1} rows`);
});
