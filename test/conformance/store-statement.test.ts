import { afterAll, beforeAll, expect, it } from "vitest";
import type { Store } from "../../src/store/database.ts";
import { type Placeholders, statement } from "../../src/store/statement.ts";
import type { SettingsTable } from "../../src/store/tables.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";

function setting(name: string, storeId = "*"): SettingsTable {
  return { app_id: "app", account_id: "account", store_id: storeId, name, value: `of ${name}`, sealed: 0, updated_at_ms: 1 };
}

interface Wanted {
  storeId?: string;
  name?: string;
}

/** A statement that counts how often it is built. */
function countedSelect() {
  const built: string[][] = [];
  const select = statement((db, wanted: Placeholders<Wanted>) => {
    built.push(Object.keys(wanted));
    let query = db.selectFrom("settings").select("name").where("app_id", "=", "app").orderBy("name");
    if (wanted.storeId !== undefined) query = query.where("store_id", "=", wanted.storeId);
    if (wanted.name !== undefined) query = query.where("name", "=", wanted.name);
    return query;
  });
  return { built, select };
}

for (const kind of DATABASE_KINDS) {
  describeDatabase("a statement", kind, () => {
    let database: TestDatabase;
    let store: Store;
    const insert = statement((db, row: Placeholders<SettingsTable>) => db.insertInto("settings").values(row));

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      for (const name of ["paper", "place"]) await insert(store.db, setting(name));
      await insert(store.db, setting("register", "store"));
    });
    afterAll(() => database.drop());

    it("is built once for the names given and filled with the values of each call", async () => {
      const { built, select } = countedSelect();
      expect((await select(store.db, { storeId: "*", name: "paper" })).rows).toEqual([{ name: "paper" }]);
      expect((await select(store.db, { storeId: "*", name: "place" })).rows).toEqual([{ name: "place" }]);
      expect((await select(store.db, { storeId: "store", name: "place" })).rows).toEqual([]);
      expect(built).toEqual([["storeId", "name"]]);
    });

    it("is another one where other names are given", async () => {
      const { built, select } = countedSelect();
      expect((await select(store.db, {})).rows).toHaveLength(3);
      expect((await select(store.db, { storeId: "store" })).rows).toEqual([{ name: "register" }]);
      expect((await select(store.db, {})).rows).toHaveLength(3);
      expect(built).toEqual([[], ["storeId"]]);
    });

    it("is built anew for another database, and is the same inside a transaction", async () => {
      const { built, select } = countedSelect();
      const other = await database.open();
      await other.migrate();
      await select(store.db, {});
      await store.commit((tx) => select(tx, {}));
      await select(other.db, {});
      expect(built).toHaveLength(2);
    });

    it("is undone with the transaction that it runs in", async () => {
      const failing = store.commit(async (tx) => {
        await insert(tx, setting("address"));
        throw new RangeError("changed its mind");
      });
      await expect(failing).rejects.toThrow("changed its mind");
      expect((await countedSelect().select(store.db, { name: "address" })).rows).toEqual([]);
    });

    it("tells how many rows it changed", async () => {
      const update = statement((db, { from, value }: Placeholders<{ from: string; value: string }>) =>
        db.updateTable("settings").set({ value }).where("store_id", "=", from),
      );
      expect((await update(store.db, { from: "*", value: "new" })).numAffectedRows).toBe(2n);
      expect((await update(store.db, { from: "nobody's", value: "new" })).numAffectedRows).toBe(0n);
    });
  });
}
