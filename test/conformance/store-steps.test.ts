import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Store } from "../../src/store/database.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";

interface Step {
  version: number;
  name: string;
  pin: string | null;
}

for (const kind of DATABASE_KINDS.filter(({ shared }) => shared)) {
  describeDatabase("the steps that made a database's tables", kind, () => {
    let database: TestDatabase;
    let store: Store;

    beforeAll(async () => {
      database = await kind.makeEmpty();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());
    beforeEach(async () => {
      await sql`delete from schema_version`.execute(store.db);
      for (const { version, name, pins } of MIGRATIONS) {
        await sql`insert into schema_version (version, name, applied_at, pin) values (${version}, ${name}, 'then', ${pins[kind.kind]})`.execute(
          store.db,
        );
      }
    });

    async function steps(): Promise<Step[]> {
      return (await sql<Step>`select version, name, pin from schema_version order by version`.execute(store.db)).rows;
    }

    const pinned = MIGRATIONS.map(({ version, name, pins }) => ({ version, name, pin: pins[kind.kind] }));

    it(`are written down with what they were (${kind.title})`, async () => {
      const other = await kind.makeEmpty();
      const fresh = await other.open();
      await fresh.migrate();
      expect((await sql<Step>`select version, name, pin from schema_version order by version`.execute(fresh.db)).rows).toEqual(pinned);
      await other.drop();
    });

    it(`are adopted where a database is older than their pins (${kind.title})`, async () => {
      await sql`alter table schema_version drop column pin`.execute(store.db);
      const again = await database.open();
      await again.migrate();
      expect(await steps()).toEqual(pinned);
    });

    it.each([
      ["one that was another", 1, "update schema_version set pin = 'another' where version = 1"],
      ["one of another name, before there were pins", 2, "update schema_version set name = 'other', pin = null where version = 2"],
      ["one that was left out", 1, "delete from schema_version where version = 1"],
      ["one that this program does not know", -1, "insert into schema_version (version, name, applied_at) values (-1, 'unknown', 'then')"],
    ])(`are refused in one line, with nothing changed: %s (${kind.title})`, async (_what, version, text) => {
      await sql.raw(text).execute(store.db);
      const before = await steps();
      const line = {
        code: "database-differs",
        kind: "caller",
        message: expect.stringMatching(`^Step ${version} \\(\\w+\\) of the database's tables was another one .*Nothing was changed$`),
      };
      await expect(database.open()).rejects.toMatchObject(line);
      await expect(store.migrate()).rejects.toMatchObject(line);
      expect(await steps()).toEqual(before);
    });
  });
}
