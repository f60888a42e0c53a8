import { copyFileSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openStore, type Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { lockDataDir } from "../../src/store/lock.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { sample } from "../support/extent.ts";
import { openMemoryStore } from "../support/memory-store.ts";

const root = mkdtempSync(join(tmpdir(), "store-gone-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
let file: string;
let reasons: string[];
let store: Store;

beforeEach(async () => {
  folder = join(mkdtempSync(join(root, "case-")), "data");
  file = join(folder, "fiscal.sqlite");
  reasons = [];
  const held = new HeldFiles((reason) => reasons.push(reason));
  const lock = await lockDataDir(folder, { pid: 1, host: "one", since: "2026-11-28T08:00:00.000Z" }, held);
  store = await openStore({ kind: "sqlite", file }, { held });
  await store.migrate();
  await change(store);
  onTestFinished(async () => {
    await store.close();
    await lock.release();
  });
});

function change(to: Store, what?: "outcome"): Promise<unknown> {
  const row = { register: "r", drive_number: "9999", shift_number: 1, id_type: "t", shift_id: "s" };
  return to.commit(
    (tx) =>
      tx
        .insertInto("shift_links")
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    what,
  );
}

function replace(path: string): void {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

const TROUBLES: Record<string, () => void> = {
  "the database is removed": () => rmSync(file),
  "the database is replaced by a copy of itself": () => replace(file),
  "the log of its newest commits is removed": () => rmSync(`${file}-wal`),
  "the log of its newest commits is replaced": () => replace(`${file}-wal`),
  "its shared memory is removed": () => rmSync(`${file}-shm`),
  "the lock file is removed": () => rmSync(join(folder, "server.lock")),
  "the folder is removed": () => rmSync(folder, { recursive: true }),
  "the folder is renamed": () => renameSync(folder, `${folder}-old`),
  "the folder is replaced by its backup": () => {
    cpSync(folder, `${folder}-backup`, { recursive: true });
    renameSync(folder, `${folder}-old`);
    renameSync(`${folder}-backup`, folder);
  },
  "the folder becomes a file": () => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
  },
};

describe("a database that is taken away under a running server", () => {
  it.each(sample(Object.keys(TROUBLES), 5))("takes no commit from then on and is not ready: %s", async (trouble) => {
    await store.ping();
    TROUBLES[trouble]?.();
    const refused = { code: "database-gone", kind: "dependency", retrySafe: true };
    await expect(change(store)).rejects.toMatchObject(refused);
    await expect(store.ping()).rejects.toMatchObject(refused);
    await expect(store.mustBeInPlace()).rejects.toMatchObject(refused);
    expect(reasons).toEqual([expect.stringMatching(/^\/.* was (removed or renamed|replaced by another file) under the running server/)]);
  });

  it("takes each of what comes at once as one alone, and an outcome with them", async () => {
    renameSync(folder, `${folder}-old`);
    const ends = await Promise.allSettled([change(store), change(store, "outcome"), change(store)]);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
  });

  it("still takes what has happened already, which is found where the database went", async () => {
    await store.db.deleteFrom("shift_links").execute();
    renameSync(folder, `${folder}-old`);
    await change(store, "outcome");
    await store.close();
    const moved = await openStore({ kind: "sqlite", file: join(`${folder}-old`, "fiscal.sqlite") });
    expect(await moved.db.selectFrom("shift_links").selectAll().execute()).toHaveLength(1);
    await moved.close();
  });

  it("leaves the files of the one in its place alone when it is closed", async () => {
    renameSync(folder, `${folder}-old`);
    mkdirSync(dirname(file), { recursive: true });
    const other = await openStore({ kind: "sqlite", file });
    await other.migrate();
    await change(other);
    await store.close();
    await change(other);
    await other.ping();
    await other.close();
  });

  it("is not noticed when it comes back before anybody looks", async () => {
    renameSync(folder, `${folder}-old`);
    renameSync(`${folder}-old`, folder);
    await change(store);
    await store.ping();
    expect(reasons).toEqual([]);
  });

  it("is no loss for a database in memory", async () => {
    const memory = await openMemoryStore();
    await memory.migrate();
    await change(memory);
    await memory.ping();
    await memory.close();
  });
});

const POSTGRES_TROUBLES: Record<string, (schema: string) => string> = {
  "the schema is renamed": (schema) => `alter schema ${schema} rename to ${schema}_x`,
  "the schema is dropped": (schema) => `drop schema ${schema} cascade`,
  "the journal is restored in its place": (schema) =>
    `alter table ${schema}.entries rename to old; create table ${schema}.entries (like ${schema}.old including all)`,
  "another table is restored in its place": (schema) =>
    `alter table ${schema}.settings rename to old; create table ${schema}.settings (like ${schema}.old including all)`,
  "a table is dropped": (schema) => `drop table ${schema}.shift_links`,
  "a table is renamed": (schema) => `alter table ${schema}.answers rename to answers_x`,
  "a column is renamed": (schema) => `alter table ${schema}.shift_links rename column shift_id to id`,
  "a column is dropped": (schema) => `alter table ${schema}.settings drop column sealed`,
  "an index is dropped": (schema) => `drop index ${schema}.moves_documents`,
};

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("tables that are taken away under a running server", kind, () => {
    it.each(sample(Object.keys(POSTGRES_TROUBLES), 1))("are missed at the next look, once, and for ever: %s", async (trouble) => {
      const database = await kind.make();
      const held = new HeldFiles((reason) => reasons.push(reason));
      const served = await database.open({ held });
      await served.migrate();
      await served.ping();
      const schema = database.options.kind === "postgres" ? (database.options.schema ?? "") : "";
      onTestFinished(async () => {
        await sql`drop schema if exists ${sql.id(`${schema}_x`)} cascade`.execute(served.db);
        await database.drop();
      });
      for (const text of (POSTGRES_TROUBLES[trouble]?.(schema) ?? "").split("; ")) await sql.raw(text).execute(served.db);
      await expect(served.mustBeInPlace()).rejects.toMatchObject({ code: "database-gone" });
      await expect(served.ping()).rejects.toMatchObject({ code: "database-gone" });
      await expect(change(served)).rejects.toMatchObject({ retrySafe: expect.any(Boolean) });
      expect(reasons).toEqual([expect.stringMatching(/^In PostgreSQL at .* [a-z_. ]+ was (dropped or renamed|replaced) under/)]);
    });
  });
}
