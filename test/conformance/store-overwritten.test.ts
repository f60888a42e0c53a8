import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openStore, type Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { sample } from "../support/extent.ts";
import { copyFiles, elsewhere, overwrite, pragma } from "../support/overwritten.ts";

const root = mkdtempSync(join(tmpdir(), "store-overwritten-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
let file: string;
let copy: string;
let reasons: string[];
let store: Store;
let number = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(root, "case-"));
  file = join(folder, "fiscal.sqlite");
  copy = join(folder, "copy.sqlite");
  reasons = [];
  store = await served(file);
  await changes(5);
});

/** Opens the database as the process does that holds the lock. */
async function served(path: string): Promise<Store> {
  const opened = await openStore({ kind: "sqlite", file: path }, { held: new HeldFiles((reason) => reasons.push(reason)) });
  onTestFinished(() => opened.close());
  await opened.migrate();
  return opened;
}

function change(to: Store = store, what?: "outcome"): Promise<unknown> {
  number += 1;
  const row = { register: "r", drive_number: "9999", shift_number: number, id_type: "t", shift_id: "s".repeat(500) };
  return to.commit((tx) => tx.insertInto("shift_links").values(row).execute(), what);
}

async function changes(count: number, to: Store = store): Promise<void> {
  for (let made = 0; made < count; made += 1) await change(to);
}

/** Copies the whole database into another file by SQLite's own backup. */
async function backup(of: string, to: string): Promise<void> {
  const database = new Database(of);
  await database.backup(to);
  database.close();
}

const checkpoint = () => pragma(store, "wal_checkpoint(passive)");

/** Overwrites pages of the database without SQLite. Pages are counted from 0, and by default page 0 stays. */
function writePages(page: (bytes: number) => Buffer, from = 1, to = statSync(file).size / 4096): void {
  const open = openSync(file, "r+");
  for (let at = from; at < to; at += 1) writeSync(open, page(4096), 0, 4096, at * 4096);
  closeSync(open);
}

const OVERWRITINGS: Record<string, () => Promise<void>> = {
  "all of it by its state of one change ago": async () => {
    copyFiles(file, copy);
    await change();
    overwrite(file, copy);
  },
  "all of it by its state of long ago": async () => {
    copyFiles(file, copy);
    for (let round = 0; round < 3; round += 1) {
      await changes(20);
      await checkpoint();
    }
    overwrite(file, copy);
  },
  "the database by an older one, the log left": async () => {
    copyFiles(file, copy, [""]);
    await checkpoint();
    await change();
    overwrite(file, copy, [""]);
  },
  "the database by an older one right after its log was copied into it": async () => {
    await checkpoint();
    copyFiles(file, copy, [""]);
    await changes(5);
    await pragma(store, "wal_autocheckpoint = 1");
    await change();
    overwrite(file, copy, [""]);
  },
  "the database by its own backup of one change ago, the log left": async () => {
    await backup(file, copy);
    await change();
    overwrite(file, copy, [""]);
  },
  "the database by a backup that was made smaller, the log left": async () => {
    elsewhere(file, `vacuum into '${copy}'`);
    await change();
    overwrite(file, copy, [""]);
  },
  "the database by itself, packed": async () => {
    await pragma(store, "wal_autocheckpoint = 1");
    await change();
    elsewhere(file, `vacuum into '${copy}'`);
    overwrite(file, copy, [""]);
  },
  "database and log by older ones, the index left": async () => {
    copyFiles(file, copy);
    await changes(3);
    await checkpoint();
    await changes(3);
    overwrite(file, copy, ["", "-wal"]);
  },
  "the log by an older one": async () => {
    copyFiles(file, copy, ["-wal"]);
    await change();
    overwrite(file, copy, ["-wal"]);
  },
  "the log by one of the same length, of before it began anew": async () => {
    copyFiles(file, copy, ["-wal"]);
    await checkpoint();
    await change();
    overwrite(file, copy, ["-wal"]);
  },
  "the log is emptied": async () => truncateSync(`${file}-wal`),
  "the log loses its last byte": async () => truncateSync(`${file}-wal`, readFileSync(`${file}-wal`).length - 1),
  "the log becomes zeros": async () => writeFileSync(`${file}-wal`, Buffer.alloc(readFileSync(`${file}-wal`).length), { flag: "r+" }),
  "the database is emptied": async () => truncateSync(file),
  "the database loses its last page": async () => {
    await checkpoint();
    await change();
    truncateSync(file, readFileSync(file).length - 4096);
  },
  "the database grows": async () => appendFileSync(file, Buffer.alloc(4096)),
  "the database by something else": async () => writeFileSync(file, Buffer.alloc(200_000, "x"), { flag: "r+" }),
  "its pages behind the first by zeros": async () => {
    await checkpoint();
    await change();
    writePages((bytes) => Buffer.alloc(bytes));
  },
  "its pages behind the first by chance": async () => {
    await checkpoint();
    await change();
    writePages(randomBytes);
  },
  "a page by zeros": async () => {
    await checkpoint();
    await change();
    writePages((bytes) => Buffer.alloc(bytes), 5, 6);
  },
  "the middle of a text longer than a page by zeros": async () => {
    const long = "long".repeat(10_000);
    const row = { register: "r", drive_number: "9999", shift_number: 7_777, id_type: "t", shift_id: long };
    await store.commit((tx) => tx.insertInto("shift_links").values(row).execute());
    await checkpoint();
    await change();
    await store.mustBeInPlace();
    const last = Math.floor(readFileSync(file).lastIndexOf("longlong") / 4096);
    writePages((bytes) => Buffer.alloc(bytes), last - 3, last - 2);
  },
  "all of it, by SQLite itself": async () => {
    await backup(file, copy);
    await change();
    await backup(copy, file);
  },
  "all of it by another that has as many changes": async () => {
    await backup(file, copy);
    const other = await served(copy);
    await change(other);
    const again = await served(file);
    await change(again);
    overwrite(file, copy);
    store = again;
  },
  "all of it, without what a command changed beside the server": async () => {
    copyFiles(file, copy);
    const command = await openStore({ kind: "sqlite", file });
    await command.migrate();
    await change(command);
    await store.mustBeInPlace();
    overwrite(file, copy);
  },
};

const gone = { code: "database-gone", kind: "dependency", retrySafe: true };

describe("a database that is overwritten under a running server", () => {
  it.each(sample(Object.keys(OVERWRITINGS), 8))("takes no change from then on and is not ready: %s", async (how) => {
    await store.ping();
    await OVERWRITINGS[how]?.();
    expect(reasons).toEqual([]);
    await expect(change()).rejects.toMatchObject(gone);
    await expect(store.ping()).rejects.toMatchObject(gone);
    expect(reasons).toEqual([
      expect.stringMatching(/^\/.* was (overwritten|cut off).* under the running server: nothing more is .* start the server again$/),
    ]);
  });

  it.each(Object.keys(OVERWRITINGS).filter((_how, at) => at % 5 === 0))("is missed by a look alone: %s", async (how) => {
    await OVERWRITINGS[how]?.();
    await expect(store.mustBeInPlace()).rejects.toMatchObject(gone);
    expect(reasons).toHaveLength(1);
  });

  it("still takes what has happened already, and that does not hide it", async () => {
    copyFiles(file, copy);
    await change();
    overwrite(file, copy);
    await change(store, "outcome");
    await expect(change()).rejects.toMatchObject(gone);
    const ends = await Promise.allSettled([change(), change(store, "outcome"), change()]);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
    expect(reasons).toHaveLength(1);
  });

  it("keeps the copy that was put there as it is, whatever is still to be written and closed", async () => {
    copyFiles(file, copy, [""]);
    await checkpoint();
    await changes(3);
    overwrite(file, copy, [""]);
    await expect(change()).rejects.toMatchObject(gone);
    await Promise.allSettled([pragma(store, "wal_autocheckpoint = 1")]);
    await store.close();
    expect(readFileSync(file).equals(readFileSync(copy))).toBe(true);
  });
});

const REPLACEMENTS: Record<string, [RegExp, () => void]> = {
  "by a folder": [/was replaced by a folder/, () => [rmSync(file), mkdirSync(file)]],
  "by a link to itself, elsewhere": [/was replaced by a link/, () => [renameSync(file, copy), symlinkSync(copy, file)]],
  "by a copy under its name": [/was replaced by another file/, () => [copyFiles(file, copy, [""]), renameSync(copy, file)]],
};

describe("a database file that is replaced under a running server", () => {
  it.each(Object.keys(REPLACEMENTS))("%s takes no change from then on", async (how) => {
    const [reason, replace] = REPLACEMENTS[how] ?? [/never/, () => {}];
    replace();
    await expect(change()).rejects.toMatchObject(gone);
    expect(reasons).toEqual([expect.stringMatching(reason)]);
  });

  it("behind a link is missed like one under its own name, with its log", async () => {
    const link = join(folder, "link.sqlite");
    symlinkSync(copy, link);
    const linked = await served(link);
    await changes(2, linked);
    rmSync(`${copy}-wal`);
    await expect(change(linked)).rejects.toMatchObject(gone);
    const other = join(folder, "other.sqlite");
    symlinkSync(other, join(folder, "second.sqlite"));
    const second = await served(join(folder, "second.sqlite"));
    rmSync(join(folder, "second.sqlite"));
    writeFileSync(join(folder, "third.sqlite"), "");
    symlinkSync(join(folder, "third.sqlite"), join(folder, "second.sqlite"));
    await expect(change(second)).rejects.toMatchObject(gone);
  });
});

describe("a database that nobody has overwritten", () => {
  it("takes changes through any number of checkpoints and new beginnings of its log", async () => {
    await pragma(store, "wal_autocheckpoint = 20");
    await Promise.all(Array.from({ length: 40 }, () => change()));
    for (let round = 0; round < 60; round += 1) await change();
    await pragma(store, "wal_checkpoint(truncate)");
    await changes(3);
    await pragma(store, "wal_checkpoint(restart)");
    await changes(3);
    expect(reasons).toEqual([]);
  });

  it("takes changes beside another process that changes, copies, empties the log and packs", async () => {
    const row = (shift: number) => `insert into shift_links values ('r', '9', ${shift}, 't', 's')`;
    elsewhere(file, row(1), "pragma wal_checkpoint(passive)", row(2));
    await change();
    elsewhere(file, "pragma wal_checkpoint(truncate)");
    await changes(2);
    elsewhere(file, "pragma wal_autocheckpoint = 1", ...[3, 4, 5].map(row));
    await store.mustBeInPlace();
    elsewhere(file, "delete from shift_links", "vacuum", "pragma wal_checkpoint(passive)");
    await change();
    elsewhere(file, row(6), "pragma wal_checkpoint(truncate)", row(7));
    elsewhere(file, "pragma wal_checkpoint(restart)");
    await change();
    await store.ping();
    expect(reasons).toEqual([]);
  });

  // A checkpoint leaves out each page whose newest frame is behind the reader, although an earlier frame of the page could be copied. So it
  // copies marks that were not written again since, and leaves out the first page, which every change writes. `sqlite3 .backup` is a reader.
  it("takes changes while a reader lets a checkpoint copy no more than the first changes after a start", async () => {
    // From now on the second of the two pages has the newest mark.
    await checkpoint();
    await changes(2);
    await store.close();
    store = await served(file);
    await changes(2);
    const reader = new Database(file, { readonly: true });
    onTestFinished(() => void reader.close());
    reader.exec("begin");
    reader.prepare("select count(*) from shift_links").get();
    await changes(3);
    await checkpoint();
    await change();
    expect(reasons).toEqual([]);
  });

  // While a reader holds the log, a log that was copied completely grows further instead of beginning again.
  it("takes changes after a command has copied and begun anew a log that grew once more after its complete copy", async () => {
    const reader = new Database(file, { readonly: true });
    onTestFinished(() => void reader.close());
    reader.exec("begin");
    reader.prepare("select count(*) from shift_links").get();
    await checkpoint();
    await change();
    reader.exec("commit");
    const command = await openStore({ kind: "sqlite", file });
    await pragma(command, "wal_checkpoint(passive)");
    await change(command);
    await change();
    await command.close();
    expect(reasons).toEqual([]);
  });

  it("takes changes beside commands, which count theirs", async () => {
    const command = await openStore({ kind: "sqlite", file });
    await command.migrate();
    await pragma(command, "wal_autocheckpoint = 1");
    for (let round = 0; round < 5; round += 1) {
      await change(command);
      await change();
    }
    await command.close();
    await change();
    expect(reasons).toEqual([]);
  });

  it("takes changes after its file was touched, linked, and had its rights changed", async () => {
    utimesSync(file, 1, 1);
    chmodSync(file, 0o640);
    linkSync(file, `${file}.linked`);
    await change();
    await store.ping();
    expect(reasons).toEqual([]);
  });

  it("takes changes after some that failed", async () => {
    const fails = () => store.commit(() => Promise.reject(new RangeError("changed its mind")));
    for (let round = 0; round < 3; round += 1) {
      await expect(fails()).rejects.toThrow("changed its mind");
      expect((await Promise.allSettled([change(), fails(), change()])).map(({ status }) => status)).toEqual([
        "fulfilled",
        "rejected",
        "fulfilled",
      ]);
    }
    await change();
    expect(reasons).toEqual([]);
  });

  it("is another one's from the moment that somebody else takes it", async () => {
    const other = await served(file);
    await change(other);
    await expect(change()).rejects.toMatchObject(gone);
  });
});
