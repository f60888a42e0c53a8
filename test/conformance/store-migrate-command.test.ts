import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, describe, expect, it } from "vitest";
import { UsageError } from "../../src/cli/command.ts";
import { migrateCommand } from "../../src/cli/migrate.ts";
import { openStore, type StoreOptions } from "../../src/store/database.ts";
import { newestOf } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";

const NEWEST = newestOf(MIGRATIONS);

describe("the migrate command", () => {
  const folder = mkdtempSync(join(tmpdir(), "migrate-"));
  const options: StoreOptions = { kind: "sqlite", file: join(folder, "data", "fiscal.db") };
  afterAll(() => rmSync(folder, { recursive: true }));

  async function run(...args: string[]): Promise<{ code: number; out: string[] }> {
    const out: string[] = [];
    const io = { out: (text: string) => out.push(text), err: (text: string) => out.push(text), signal: new AbortController().signal };
    const code = await migrateCommand({ storePlace: () => ({ options }) }).run(args, io);
    return { code, out };
  }

  it("brings a new database to this version, finds nothing to do the second time, and refuses a newer one", async () => {
    expect(await run()).toEqual({ code: 0, out: [`The database went from version 0 to ${NEWEST}.`] });
    expect(await run()).toEqual({ code: 0, out: [`The database has version ${NEWEST} already.`] });
    const store = await openStore(options);
    await sql`insert into schema_version (version, name, applied_at) values (99, 'later', 'then')`.execute(store.db);
    await store.close();
    await expect(run()).rejects.toMatchObject({ code: "database-newer" });
  });

  it("takes no arguments", async () => {
    await expect(run("now")).rejects.toThrow(UsageError);
  });
});
