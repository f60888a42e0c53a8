import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Store, StoreOptions } from "../../src/store/database.ts";
import { type LockHolder, lockDataDir } from "../../src/store/lock.ts";
import { lockSchema } from "../../src/store/schema-lock.ts";
import { type Child, startChild } from "../support/child.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const HOLDER: LockHolder = { pid: 4711, host: "server-one", since: "2026-03-02T08:00:00.000Z" };
const SECOND: LockHolder = { pid: 4712, host: "server-two", since: "2026-03-02T09:00:00.000Z" };

describe("the lock of a data folder", () => {
  const root = mkdtempSync(join(tmpdir(), "lock-"));
  afterAll(() => rmSync(root, { recursive: true }));

  it("makes the folder, and names its holder to whoever comes second", async () => {
    const folder = join(root, "new", "data");
    const lock = await lockDataDir(folder, HOLDER);
    const second = lockDataDir(folder, SECOND);
    await expect(second).rejects.toMatchObject({ code: "store-locked", kind: "caller" });
    await expect(lockDataDir(folder, SECOND)).rejects.toThrow("process 4711 on server-one since 2026-03-02T08:00:00.000Z");
    await lock.release();
  });

  it("can be taken by another once it was released, however often it is released", async () => {
    const folder = join(root, "released");
    const first = await lockDataDir(folder, HOLDER);
    await first.release();
    const second = await lockDataDir(folder, SECOND);
    await first.release();
    await expect(lockDataDir(folder, HOLDER)).rejects.toThrow("process 4712 on server-two");
    await second.release();
  });

  it("leaves a lock file without bytes, so that nothing in it can be damaged", async () => {
    const folder = join(root, "empty");
    const lock = await lockDataDir(folder, HOLDER);
    expect(statSync(join(folder, "server.lock")).size).toBe(0);
    await lock.release();
  });

  it("is held against other processes and is free the moment its process was killed", async () => {
    const folder = join(root, "killed");
    const child = await holdingChild("folder", folder);
    await expect(lockDataDir(folder, HOLDER)).rejects.toThrow(`process ${child.pid} on till-back-room since 2026-03-02T10:15:00.000Z`);
    await child.kill();
    const lock = await lockDataDir(folder, HOLDER);
    await lock.release();
  });

  it("says in one line what is wrong with a folder that cannot be made", async () => {
    writeFileSync(join(root, "file"), "");
    await expect(lockDataDir(join(root, "file", "data"), HOLDER)).rejects.toMatchObject({ code: "database-failed", kind: "dependency" });
  });
});

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("the lock of a schema", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let address: StoreOptions & { kind: "postgres" };

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      if (database.options.kind !== "postgres") throw new Error("this suite is about PostgreSQL");
      address = database.options;
    });
    afterAll(() => database.drop());

    it("names its holder to whoever comes second and is free after its release", async () => {
      const services = { clock: systemClock, onLost: unexpected };
      const lock = await lockSchema(address, HOLDER, services);
      await expect(lockSchema(address, SECOND, services)).rejects.toMatchObject({ code: "store-locked", kind: "caller" });
      await expect(lockSchema(address, SECOND, services)).rejects.toThrow("process 4711 on server-one since 2026-03-02T08:00:00.000Z");
      await lock.release();
      await lock.release();
      const second = await lockSchema(address, SECOND, services);
      await second.release();
    });

    it("leaves another schema of the same database free", async () => {
      const services = { clock: systemClock, onLost: unexpected };
      const lock = await lockSchema(address, HOLDER, services);
      const other = await lockSchema({ ...address, schema: `${address.schema}_x` }, SECOND, services);
      await Promise.all([lock.release(), other.release()]);
    });

    it("is free soon after its process was killed", async () => {
      const child = await holdingChild("schema", address.url, address.schema ?? "");
      await expect(lockSchema(address, HOLDER, { clock: systemClock, onLost: unexpected })).rejects.toThrow(
        `process ${child.pid} on till-back-room`,
      );
      await child.kill();
      await goneFromServer(store, child.pid);
      const lock = await lockSchema(address, HOLDER, { clock: systemClock, onLost: unexpected });
      await lock.release();
    });

    it("tells its owner, once, when the server ends the connection that holds it", async () => {
      const lost = Promise.withResolvers<string>();
      const clock = new VirtualClock(0);
      const lock = await lockSchema(address, { ...HOLDER, pid: 815 }, { clock, onLost: lost.resolve });
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'fiscal 815 %'`.execute(store.db);
      expect(await lost.promise).toMatch(/terminat/);
      await lock.release();
      await goneFromServer(store, 815);
    });

    it("stays with its owner through hours of silence, and nothing is said after its release", async () => {
      const clock = new VirtualClock(0);
      const lost: string[] = [];
      const lock = await lockSchema(address, { ...HOLDER, pid: 816 }, { clock, onLost: (reason) => lost.push(reason) });
      await clock.advance(60_000);
      expect(lost).toEqual([]);
      await lock.release();
      await clock.advance(60_000);
      expect(lost).toEqual([]);
    });
  });
}

async function holdingChild(...args: string[]): Promise<Child> {
  const child = startChild("lock-holder.ts", ...args);
  expect(await child.lines.next()).toEqual({ done: false, value: "held" });
  return child;
}

/** Waits until PostgreSQL has noticed that the connection of this process is closed. The time limit of the test ends the waiting. */
async function goneFromServer(store: Store, pid: number): Promise<void> {
  for (;;) {
    const { rows } = await sql`select 1 from pg_stat_activity where application_name like ${`fiscal ${pid} %`}`.execute(store.db);
    if (rows.length === 0) return;
  }
}

function unexpected(reason: string): void {
  throw new Error(`the lock was lost: ${reason}`);
}
