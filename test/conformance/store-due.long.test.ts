import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openStore, type Store } from "../../src/store/database.ts";
import { earlierUseOf } from "../../src/store/earlier-use.ts";
import { lockDataDir } from "../../src/store/lock.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";

const root = mkdtempSync(join(tmpdir(), "store-due-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
let file: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(root, "case-")), "data");
  file = join(folder, "fiscal.sqlite");
});

/** Starts as the server does, up to `until`, and ends. */
async function start(until: "locked" | "opened" | "begun" = "begun"): Promise<void> {
  const lock = await lockDataDir(folder, { pid: 1, host: "one", since: "2026-11-28T08:00:00.000Z" });
  let store: Store | undefined;
  try {
    if (until === "locked") return;
    store = await openStore({ kind: "sqlite", file }, lock.earlierUse === undefined ? {} : { journalDue: lock.earlierUse.why });
    if (until === "opened") return;
    await store.migrate();
    lock.begun(file);
  } finally {
    await store?.close();
    await lock.release();
  }
}

describe("a folder in which no journal was begun", () => {
  it("gets one: when it is not there, when it is empty, and after a first start that died on the way", async () => {
    await start();
    await start();
    for (const until of ["locked", "opened"] as const) {
      rmSync(folder, { recursive: true });
      await start(until);
      expect(earlierUseOf(folder)).toBeUndefined();
      await start();
      await start();
    }
    rmSync(folder, { recursive: true });
    mkdirSync(join(folder, "registers"), { recursive: true });
    await start();
  });

  it("gets one also when a killed start left a file without bytes", async () => {
    await start("locked");
    writeFileSync(file, "");
    await start();
  });
});

describe("a folder whose journal is gone", () => {
  beforeEach(() => start());

  const LOSSES: Record<string, () => Promise<void> | void> = {
    removed: () => rmSync(file),
    "cut to nothing": () => truncateSync(file, 0),
    "replaced by a database without tables": async () => {
      rmSync(file);
      await (await openStore({ kind: "sqlite", file })).close();
    },
  };

  it.each(Object.keys(LOSSES))("does not get a new one silently, however often the start is repeated: %s", async (loss) => {
    await LOSSES[loss]?.();
    const sizeNow = () => (existsSync(file) ? statSync(file).size : undefined);
    const before = sizeNow();
    for (const _ of [1, 2]) {
      await expect(start()).rejects.toMatchObject({ code: "journal-missing", kind: "caller" });
      await expect(start()).rejects.toThrow(`a server has worked in ${folder} before (server.lock.json); its journal was ${file}.`);
    }
    expect(sizeNow()).toBe(before);
  });

  it("gets a new one once everything else has been moved away", async () => {
    rmSync(file);
    await expect(start()).rejects.toMatchObject({ code: "journal-missing" });
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    await start();
  });

  it("shows it by each sign of itself", async () => {
    const signs: Record<string, () => void> = {
      registers: () => mkdirSync(join(folder, "registers", "till-1"), { recursive: true }),
      "fiscal.sqlite-wal": () => writeFileSync(`${file}-wal`, "commits"),
      "server.lock.json": () => writeFileSync(join(folder, "server.lock.json"), "torn {"),
    };
    for (const [sign, leave] of Object.entries(signs)) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      leave();
      expect(earlierUseOf(folder)?.why).toContain(`(${sign})`);
      await expect(start()).rejects.toMatchObject({ code: "journal-missing" });
    }
  });

  it("is one of an earlier program's too, whose lock did not say where the journal is", async () => {
    rmSync(file);
    writeFileSync(join(folder, "server.lock.json"), JSON.stringify({ pid: 1, host: "one", since: "2026-11-28T08:00:00.000Z" }));
    await expect(start()).rejects.toThrow("before (server.lock.json). Put");
  });
});

describe("a database file that is cut off or overwritten", () => {
  it.each(["to half of itself", "to a few bytes", "to another kind of file"])(
    "is refused in words, and is left as it is: %s",
    async (how) => {
      await start();
      const whole = readFileSync(file);
      const left =
        how === "to half of itself"
          ? whole.subarray(0, whole.length / 2)
          : Buffer.from(how === "to a few bytes" ? "SQLite f" : "x".repeat(9_000));
      writeFileSync(file, left);
      await expect(start()).rejects.toMatchObject({ code: "database-damaged", kind: "caller" });
      await expect(start()).rejects.toThrow(
        /^The database .*fiscal\.sqlite is damaged \(.*\): stop everything that uses it and restore the newest copy$/,
      );
      expect(readFileSync(file).equals(left)).toBe(true);
    },
  );
});

const DAMAGE: Record<string, string> = {
  moves: "drop table moves",
  "entries.facts": "alter table entries drop constraint if exists entries_done_has_facts cascade; alter table entries drop column facts",
  "index entries_key": "drop index entries_key",
  schema_version: "drop table schema_version",
};

/** A running store reports at once that PostgreSQL's tables have changed. */
function gone(missing: string) {
  const what = missing.includes(".") || missing.startsWith("index ") ? missing.replace(".", "\\.") : `the table ${missing}`;
  return { code: "database-gone", message: expect.stringMatching(new RegExp(`^In PostgreSQL at .* ${what} was dropped or renamed`)) };
}

for (const kind of DATABASE_KINDS.filter((one) => one.shared)) {
  describeDatabase("a database that lacks what was made in it", kind, () => {
    it.each(Object.keys(DAMAGE))(`is not ready, and no start begins with it: %s (${kind.title})`, async (missing) => {
      const database = await kind.makeEmpty();
      try {
        const store = await database.open();
        await store.migrate();
        await store.ping();
        for (const text of damage(missing, kind.kind)) await sql.raw(text).execute(store.db);
        const refused = {
          code: "database-damaged",
          kind: "caller",
          // When a table is dropped, its indexes are dropped too.
          message: expect.stringMatching(new RegExp(`The database lacks ${missing.replace(".", "\\.")}(, index [a-z_]+)*, which`)),
        };
        if (missing !== "schema_version")
          await expect(store.ping()).rejects.toMatchObject(kind.kind === "postgres" ? gone(missing) : refused);
        await expect(database.open().then((again) => again.migrate())).rejects.toMatchObject(refused);
      } finally {
        await database.drop();
      }
    });
  });
}

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("a folder whose journal was in another database than the one that is named", kind, () => {
    it("gets no new one there; one that is there is taken", async () => {
      const database = await kind.makeEmpty();
      try {
        await start();
        const why = earlierUseOf(folder)?.why ?? "";
        expect(why).toContain(`its journal was ${file}`);
        await expect(database.open({ journalDue: why })).rejects.toThrow(
          /^There is no journal in PostgreSQL at .*: a server has worked in/,
        );
        await (await database.open()).migrate();
        await (await database.open({ journalDue: why })).ping();
      } finally {
        await database.drop();
      }
    });
  });
}

/** SQLite cannot drop a column that a check names, so the column is renamed there. */
function damage(missing: string, kind: "sqlite" | "postgres"): string[] {
  const text = DAMAGE[missing] ?? "";
  return kind === "sqlite" && missing === "entries.facts" ? ["alter table entries rename column facts to facts_old"] : text.split("; ");
}
