import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../src/kernel/failure.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { copyFiles, elsewhere, pragma } from "../support/overwritten.ts";

const root = mkdtempSync(join(tmpdir(), "store-log-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The files of a killed process, and earlier copies of its database. */
interface Scene {
  /** The database of a process that was killed with changes in its log. The log began after `older` was copied. */
  file: string;
  older: string;
  /** The database without its log, from the moment at which the log began. */
  alone: string;
  /** The first change of the log in a copy that `vacuum into` made: its pages have other numbers. */
  packed: string;
  /** A copy by SQLite's own backup, with the first change of the log. */
  backup: string;
  /** The packed copy of the moment at which the log began. */
  packedAlone: string;
}

let scene: Scene;
let shift = 0;

beforeEach(async () => {
  const folder = mkdtempSync(join(root, "case-"));
  const path = (name: string) => join(folder, `${name}.sqlite`);
  scene = {
    file: path("killed"),
    older: path("older"),
    alone: path("alone"),
    backup: path("backup"),
    packed: path("packed"),
    packedAlone: path("packed-alone"),
  };
  const store = await openStore({ kind: "sqlite", file: path("live") }, { held: new HeldFiles() });
  await store.migrate();
  await change(store);
  await pragma(store, "wal_checkpoint(passive)");
  await change(store);
  copyFiles(path("live"), scene.older, [""]);
  await change(store);
  await pragma(store, "wal_checkpoint(truncate)");
  copyFiles(path("live"), scene.alone, [""]);
  elsewhere(path("live"), `vacuum into '${scene.packedAlone}'`);
  await change(store);
  elsewhere(path("live"), `vacuum into '${scene.packed}'`);
  await backup(path("live"), scene.backup);
  await change(store);
  copyFiles(path("live"), scene.file);
  await store.close();
});

async function backup(of: string, to: string): Promise<void> {
  const database = new Database(of);
  await database.backup(to);
  database.close();
}

function change(store: Store): Promise<unknown> {
  shift += 1;
  const row = { register: "r", drive_number: "9", shift_number: shift, id_type: "t", shift_id: "s" };
  return store.commit((tx) => tx.insertInto("shift_links").values(row).execute());
}

/** Returns the number of changes in the file. Afterwards the file has one more, and no log beside it. */
async function changesIn(file: string): Promise<number> {
  const store = await openStore({ kind: "sqlite", file }, { held: new HeldFiles() });
  await store.migrate();
  await change(store);
  const rows = await store.db.selectFrom("shift_links").selectAll().execute();
  await store.close();
  return rows.length - 1;
}

const refused = {
  code: "database-damaged",
  kind: "caller",
  message: expect.stringMatching(/^The log .*-wal does not continue the database .*Nothing was changed$/),
};

const MIXTURES: Record<string, () => Promise<void> | void> = {
  "an older copy in the place of a database whose process was killed": () => copyFiles(scene.older, scene.file, [""]),
  "a newer database beside a log of before": async () => {
    const log = readFileSync(`${scene.file}-wal`);
    await changesIn(scene.file);
    writeFileSync(`${scene.file}-wal`, log);
  },
  "another database with as many changes": async () => {
    await changesIn(scene.alone);
    copyFiles(scene.alone, scene.file, [""]);
  },
  "a packed copy, with the newest change that it has in the log": () => copyFiles(scene.packed, scene.file, [""]),
  "a packed copy of the moment at which the log began": () => copyFiles(scene.packedAlone, scene.file, [""]),
};

describe("a log that lies beside a database which it does not continue", () => {
  it.each(Object.keys(MIXTURES))("is refused, and nothing is touched: %s", async (what) => {
    await MIXTURES[what]?.();
    const before = ["", "-wal"].map((suffix) => readFileSync(`${scene.file}${suffix}`));
    await expect(openStore({ kind: "sqlite", file: scene.file })).rejects.toMatchObject(refused);
    expect(["", "-wal"].every((suffix, at) => before[at]?.equals(readFileSync(`${scene.file}${suffix}`)))).toBe(true);
    rmSync(`${scene.file}-wal`);
    rmSync(`${scene.file}-shm`, { force: true });
    expect(await changesIn(scene.file)).toBeGreaterThan(0);
  });
});

describe("a log that continues its database", () => {
  it("is taken up after its process was killed", async () => {
    expect(await changesIn(scene.file)).toBe(5);
  });

  it("is taken up beside a copy of the same moments that SQLite's own backup has made", async () => {
    copyFiles(scene.backup, scene.file, [""]);
    expect(await changesIn(scene.file)).toBe(5);
  });

  it("is taken up when it was cut off: what was whole in it counts", async () => {
    truncateSync(`${scene.file}-wal`, readFileSync(`${scene.file}-wal`).length - 100);
    expect(await changesIn(scene.file)).toBe(4);
  });

  it.each(["", "nonsense", "\0".repeat(10_000)])("is none where it holds nothing that SQLite knows", async (content) => {
    writeFileSync(`${scene.file}-wal`, content);
    rmSync(`${scene.file}-shm`);
    expect(await changesIn(scene.file)).toBe(3);
  });

  it("is none where an older copy was put in the place of all: the server begins with it", async () => {
    expect(await changesIn(scene.older)).toBe(1);
  });
});

describe("a database without a log that was cut off while nobody used it", () => {
  it("is refused with what to do, wherever the cut is, also inside the last page", async () => {
    await changesIn(scene.file);
    const whole = readFileSync(scene.file);
    const accepted: unknown[] = [];
    for (const bytes of [50, 100, 4_095, 4_097, whole.length / 2, whole.length - 4_096, whole.length - 4_095, whole.length - 1]) {
      writeFileSync(scene.file, whole.subarray(0, bytes));
      const thrown: unknown = await changesIn(scene.file).catch((error: unknown) => error);
      const isRefused =
        thrown instanceof Failure && thrown.code === "database-damaged" && thrown.message.includes("restore the newest copy");
      if (!isRefused) accepted.push({ bytes, thrown });
    }
    expect(accepted).toEqual([]);
    writeFileSync(scene.file, whole);
    expect(await changesIn(scene.file)).toBe(6);
  });
});
