import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openStore, type Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { copyFiles, elsewhere, overwriteElsewhere, pragma } from "../support/overwritten.ts";

const root = mkdtempSync(join(tmpdir(), "store-overwritten-inside-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PAGE_BYTES = 4096;

let file: string;
let copy: string;
let reasons: string[];
let store: Store;
let number = 0;

beforeEach(async () => {
  const folder = mkdtempSync(join(root, "case-"));
  file = join(folder, "fiscal.sqlite");
  copy = join(folder, "copy.sqlite");
  reasons = [];
  store = await served();
  await changes(5);
});

/** Opens the database as the process does that holds the lock. */
async function served(): Promise<Store> {
  const opened = await openStore({ kind: "sqlite", file }, { held: new HeldFiles((reason) => reasons.push(reason)) });
  onTestFinished(() => opened.close());
  await opened.migrate();
  return opened;
}

async function changes(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    number += 1;
    const row = { register: "r", drive_number: "9999", shift_number: number, id_type: "t", shift_id: "s".repeat(500) };
    await store.commit((tx) => tx.insertInto("shift_links").values(row).execute());
  }
}

const checkpoint = () => pragma(store, "wal_checkpoint(passive)");

/** Puts pages of the copy over those of the database, counted from 0. */
function putBack(from: number, to = Number.POSITIVE_INFINITY): void {
  const older = readFileSync(copy).subarray(from * PAGE_BYTES, to === Number.POSITIVE_INFINITY ? undefined : to * PAGE_BYTES);
  const open = openSync(file, "r+");
  writeSync(open, older, 0, older.length, from * PAGE_BYTES);
  closeSync(open);
}

/** Another process copies the log into the database between two looks: then a write to the database is nothing unusual. */
const OVERWRITINGS: Record<string, () => Promise<void>> = {
  "its pages behind the first by older ones": async () => {
    await checkpoint();
    copyFiles(file, copy, [""]);
    await changes(3);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    putBack(1);
  },
  "its pages behind the first by those of long ago, after the log began anew": async () => {
    await changes(40);
    await checkpoint();
    copyFiles(file, copy, [""]);
    for (let round = 0; round < 2; round += 1) {
      await changes(40);
      elsewhere(file, "pragma wal_checkpoint(truncate)");
    }
    putBack(1);
  },
  "its pages behind the first by older ones, while newer changes are in the log": async () => {
    await checkpoint();
    copyFiles(file, copy, [""]);
    await changes(3);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    await changes(1);
    putBack(1);
  },
  "its last page by nothing: it is cut off": async () => {
    await checkpoint();
    await changes(3);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    truncateSync(file, statSync(file).size - PAGE_BYTES);
  },
  "its last page by nothing, while newer changes are in the log": async () => {
    await checkpoint();
    await changes(3);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    await changes(1);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    truncateSync(file, statSync(file).size - PAGE_BYTES);
  },
  "its first page by an older one that was given the newest mark": async () => {
    await checkpoint();
    copyFiles(file, copy, [""]);
    await changes(3);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    putBack(0, 1);
  },
  "all of it by an older one that was given the newest mark": async () => {
    await checkpoint();
    copyFiles(file, copy, [""]);
    await changes(3);
    elsewhere(file, "pragma wal_checkpoint(truncate)");
    const header = readFileSync(file).subarray(0, 100);
    const older = readFileSync(copy);
    header.copy(older, 60, 60, 64);
    header.copy(older, 68, 68, 72);
    writeFileSync(file, older, { flag: "r+" });
  },
};

describe("a database that is overwritten inside, right after another process copied its log", () => {
  it.each(Object.keys(OVERWRITINGS))("takes no change from then on: %s", async (how) => {
    await store.ping();
    await OVERWRITINGS[how]?.();
    expect(reasons).toEqual([]);
    const gone = { code: "database-gone", kind: "dependency", retrySafe: true };
    await expect(changes(1)).rejects.toMatchObject(gone);
    await expect(store.ping()).rejects.toMatchObject(gone);
    expect(reasons).toEqual([expect.stringMatching(/^\/.* was overwritten .* under the running server/)]);
  });
});

/** How the log is copied, and the number of changes since the copy. */
const COPYINGS = [
  ...[1, 2, 5, 40].map((since) => ({ how: "passive", since })),
  ...["full", "restart", "truncate"].map((how) => ({ how, since: 3 })),
];

describe("a database that an older copy replaces, and into which another process then copies the log", () => {
  it.each(COPYINGS)("takes no change from then on: $how, $since changes since the copy", async ({ how, since }) => {
    elsewhere(file, "pragma wal_checkpoint(passive)");
    overwriteElsewhere(copy, file);
    await changes(since);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    await changes(1);
    overwriteElsewhere(file, copy);
    elsewhere(file, `pragma wal_checkpoint(${how})`);
    expect(reasons).toEqual([]);
    await expect(changes(1)).rejects.toMatchObject({ code: "database-gone" });
    expect(reasons).toEqual([expect.stringContaining("was overwritten (its pages are of different moments)")]);
  });

  it("takes no change from then on, though the log was copied many times since the copy", async () => {
    await checkpoint();
    overwriteElsewhere(copy, file);
    for (let round = 0; round < 7; round += 1) {
      await changes(1 + (round % 2));
      await checkpoint();
    }
    await changes(1);
    overwriteElsewhere(file, copy);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    await expect(changes(1)).rejects.toMatchObject({ code: "database-gone" });
  });

  it("takes changes when the copy is of now, because it lacks nothing", async () => {
    await changes(3);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    overwriteElsewhere(copy, file);
    await changes(2);
    overwriteElsewhere(file, copy);
    elsewhere(file, "pragma wal_checkpoint(passive)");
    await changes(2);
    await store.ping();
    expect(reasons).toEqual([]);
  });
});

/** What other processes do by SQLite's own means. A number is that many changes of the server between them. */
const ORDINARY: Record<string, (number | string[])[]> = {
  "an emptied log was filled, copied and begun anew": [
    ["pragma wal_checkpoint(passive)"],
    2,
    ["pragma wal_checkpoint(truncate)"],
    2,
    ["pragma wal_checkpoint(passive)"],
    ["create table x(a)"],
  ],
  "an emptied log was emptied again": [["pragma wal_checkpoint(truncate)"], 2, ["pragma wal_checkpoint(truncate)"], ["create table x(a)"]],
  "a log was copied between single changes": [
    ["pragma wal_checkpoint(passive)"],
    1,
    ["pragma wal_checkpoint(passive)"],
    1,
    ["pragma wal_checkpoint(restart)", "create table x(a)"],
    1,
  ],
  "its pages were moved twice between two looks": [
    3,
    ["pragma wal_checkpoint(passive)"],
    ["create table a_first(a)", "vacuum", "pragma wal_checkpoint(truncate)", "drop table a_first", "vacuum"],
  ],
};

describe("a database that others change by SQLite's own means", () => {
  it.each(Object.keys(ORDINARY))("takes changes after it: %s", async (name) => {
    for (const step of ORDINARY[name] ?? []) {
      if (typeof step === "number") await changes(step);
      else elsewhere(file, ...step);
    }
    await changes(2);
    await store.ping();
    expect(reasons).toEqual([]);
  });

  it("takes changes though it is new and its pages were moved before the first of them", async () => {
    file = join(mkdtempSync(join(root, "new-")), "fiscal.sqlite");
    store = await served();
    await checkpoint();
    elsewhere(file, "vacuum");
    await changes(2);
    await checkpoint();
    await store.ping();
    expect(reasons).toEqual([]);
  });
});

describe("a database whose log others have begun anew", () => {
  it("takes changes though its log began twice since it was looked at, and the newest changes in it are not copied", async () => {
    const row = (shift: number) => `insert into shift_links values ('r', '9', ${shift}, 't', '${"s".repeat(5_000)}')`;
    await checkpoint();
    await changes(1);
    await checkpoint();
    await store.ping();
    // Each first change begins the log anew, because all of it was copied. None of them is a change of this program.
    elsewhere(file, row(1), "vacuum", "pragma wal_checkpoint(passive)", row(2), "pragma wal_checkpoint(passive)", row(3));
    await changes(1);
    await store.ping();
    expect(reasons).toEqual([]);
  });
});

describe("a database with a mark in two pages", () => {
  it("takes changes after an earlier version of the program has changed it, which knows the mark of the first page only", async () => {
    await store.close();
    elsewhere(file, "pragma user_version = 77", "pragma application_id = 99");
    store = await served();
    for (let round = 0; round < 3; round += 1) {
      await changes(2);
      await checkpoint();
      await store.ping();
    }
    await store.close();
    elsewhere(file, "drop table commit_marks");
    store = await served();
    await changes(2);
    await checkpoint();
    await store.ping();
    expect(reasons).toEqual([]);
  });

  it("takes changes after the page behind the first was moved", async () => {
    await changes(40);
    for (let round = 0; round < 3; round += 1) {
      elsewhere(file, `delete from shift_links where shift_number % 3 = ${round}`, "vacuum");
      await changes(1);
      await checkpoint();
      await store.ping();
    }
    expect(reasons).toEqual([]);
  });
});
