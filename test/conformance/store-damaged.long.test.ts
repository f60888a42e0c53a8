import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../src/kernel/failure.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { isSqliteBroken } from "../../src/store/dialects/sqlite.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { pragma } from "../support/overwritten.ts";

const root = mkdtempSync(join(tmpdir(), "store-damaged-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ROWS = 300;

function change(store: Store, number: number, what?: "outcome"): Promise<unknown> {
  const row = { register: "r", drive_number: "9999", shift_number: number, id_type: "t", shift_id: "s".repeat(500) };
  return store.commit((tx) => tx.insertInto("shift_links").values(row).execute(), what);
}

const readAll = (store: Store) => store.read((db) => db.selectFrom("shift_links").selectAll().execute());

describe("a SQLite file whose pages are damaged while it is used", () => {
  let file: string;
  let reasons: string[];
  let store: Store;

  beforeEach(async () => {
    file = join(mkdtempSync(join(root, "case-")), "fiscal.sqlite");
    reasons = [];
    store = await openStore({ kind: "sqlite", file }, { held: new HeldFiles((reason) => reasons.push(reason)) });
    await store.migrate();
    await Promise.all(Array.from({ length: ROWS }, (_, number) => change(store, number)));
    await pragma(store, "wal_checkpoint(truncate)");
    // SQLite's log has the newest change, as it nearly always does.
    await change(store, ROWS);
  });
  afterEach(() => store.close());

  /** Overwrites all pages after the first, as a disk or a person may do. SQLite no longer has them in memory. */
  async function damage(pageOf: (bytes: number) => Buffer): Promise<void> {
    const open = openSync(file, "r+");
    for (let at = 4_096; at < statSync(file).size; at += 4_096) writeSync(open, pageOf(4_096), 0, 4_096, at);
    closeSync(open);
    await pragma(store, "shrink_memory");
  }

  const DAMAGES: [string, (bytes: number) => Buffer][] = [
    ["zeros", (bytes) => Buffer.alloc(bytes)],
    ["chance", (bytes) => randomBytes(bytes)],
    ["ones", (bytes) => Buffer.alloc(bytes, 0xff)],
  ];
  const WORK: [string, () => Promise<unknown>][] = [
    ["a look", () => readAll(store)],
    ["a change", () => change(store, ROWS + 1)],
    ["an outcome", () => change(store, ROWS + 1, "outcome")],
    ["changes of one moment", () => Promise.all([1, 2, 3].map((more) => change(store, ROWS + more)))],
    ["a look of a change", () => store.commit((tx) => tx.selectFrom("shift_links").selectAll().execute())],
  ];

  const pairs = DAMAGES.flatMap(([what, pageOf]) => WORK.map(([name, work]) => [what, name, pageOf, work] as const));
  it.each(pairs)("by %s is given up once at %s, and its log is left as it is", async (_what, _name, pageOf, work) => {
    await damage(pageOf);
    const log = readFileSync(`${file}-wal`).length;
    await expect(work()).rejects.toMatchObject({ code: expect.stringMatching(/^database-(failed|gone)$/) });
    await expect(readAll(store)).rejects.toThrow();
    await expect(change(store, ROWS + 9)).rejects.toMatchObject({ code: "database-gone", retrySafe: true });
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(/^.*fiscal\.sqlite was (damaged|overwritten).* under the running server: nothing more is registered/);
    expect(reasons[0]).not.toContain("\n");
    const damaged = readFileSync(file);
    await store.close();
    expect(readFileSync(file).equals(damaged)).toBe(true);
    expect(readFileSync(`${file}-wal`).length).toBeGreaterThanOrEqual(log);
  });
});

describe("a SQLite file that is cut off while nobody uses it, and has a log", () => {
  it.each(["a server", "a command"])("is refused by %s with what to do, wherever the cut is", async (who) => {
    const folder = mkdtempSync(join(root, "cut-"));
    const whole = join(folder, "whole.sqlite");
    const made = await openStore({ kind: "sqlite", file: whole }, { held: new HeldFiles() });
    await made.migrate();
    await Promise.all(Array.from({ length: ROWS }, (_, number) => change(made, number)));
    await pragma(made, "wal_checkpoint(truncate)");
    await change(made, ROWS);
    const [bytes, log] = [readFileSync(whole), readFileSync(`${whole}-wal`)];
    await made.close();
    const accepted: unknown[] = [];
    for (let at = 0; at < bytes.length / PAGE_BYTES; at += CUT_STEP) {
      const file = join(folder, `cut-${at}.sqlite`);
      writeFileSync(file, bytes.subarray(0, at * PAGE_BYTES));
      writeFileSync(`${file}-wal`, log);
      const thrown = await thrownBy(file, who === "a server" ? new HeldFiles() : undefined);
      const isRefused =
        thrown instanceof Failure && thrown.code === "database-damaged" && thrown.message.includes("restore the newest copy");
      if (!isRefused) accepted.push({ at, thrown });
    }
    expect(accepted).toEqual([]);
  });
});

const PAGE_BYTES = 4_096;
/** So few pages apart are the cuts. */
const CUT_STEP = 3;

/** What a start on the file throws before it counts changes. A command reads on. */
async function thrownBy(file: string, held?: HeldFiles): Promise<unknown> {
  let store: Store | undefined;
  try {
    store = await openStore({ kind: "sqlite", file }, held === undefined ? {} : { held });
    await store.migrate();
    if (held === undefined) await readAll(store);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await store?.close();
  }
}

describe("what SQLite says", () => {
  const said = (code: string) => new Database.SqliteError("said", code);

  it.each([
    ["SQLITE_CORRUPT", true],
    ["SQLITE_CORRUPT_INDEX", true],
    ["SQLITE_NOTADB", true],
    ["SQLITE_IOERR", true],
    ["SQLITE_IOERR_READ", true],
    ["SQLITE_IOERR_SHORT_READ", true],
    ["SQLITE_IOERR_FSYNC", true],
    ["SQLITE_IOERR_SHMMAP", true],
    ["SQLITE_IOERR_WRITE", false],
    ["SQLITE_IOERR_SHMSIZE", false],
    ["SQLITE_FULL", false],
    ["SQLITE_BUSY", false],
    ["SQLITE_READONLY", false],
    ["SQLITE_CONSTRAINT_PRIMARYKEY", false],
    ["SQLITE_ERROR", false],
  ])("by %s tells of damage: %s", (code, broken) => {
    expect(isSqliteBroken(said(code))).toBe(broken);
  });

  it("is not all: a file that cannot be read past SQLite is damaged too", () => {
    expect(isSqliteBroken(Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" }))).toBe(true);
    expect(isSqliteBroken(new Error("of the work"))).toBe(false);
  });
});

for (const kind of DATABASE_KINDS.filter((each) => each.kind === "postgres")) {
  describeDatabase("a server that tells of damage", kind, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await kind.make();
    });
    afterAll(() => database.drop());

    /** Makes the server end a statement with this code, as for an invalid page. */
    const fails = (code: string) => sql.raw(`do $$ begin raise exception 'invalid page in block 7' using errcode = '${code}'; end $$`);

    it.each([
      ["XX001", true],
      ["XX002", true],
      ["58030", true],
      ["58P01", true],
      ["XX000", false],
      ["22012", false],
      ["23505", false],
    ])("is given up at %s: %s", async (code, broken) => {
      for (const how of ["look", "change"] as const) {
        const reasons: string[] = [];
        const store = await database.open({ held: new HeldFiles((reason) => reasons.push(reason)) });
        await store.migrate();
        const work = () => (how === "look" ? store.read((db) => fails(code).execute(db)) : store.commit((tx) => fails(code).execute(tx)));
        await expect(work()).rejects.toMatchObject({ code: "database-failed", message: expect.stringContaining("invalid page") });
        await expect(work()).rejects.toThrow();
        expect(reasons).toHaveLength(broken ? 1 : 0);
        if (!broken) await change(store, 1);
        else await expect(change(store, 1)).rejects.toMatchObject({ code: "database-gone" });
        await store.commit((tx) => tx.deleteFrom("shift_links").execute(), "outcome");
        await store.close();
      }
    });
  });
}
