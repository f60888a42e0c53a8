import { afterAll, beforeAll, expect, it } from "vitest";
import { ShopObjects } from "../../src/accounts/shop/shop-objects.ts";
import { salesWithoutPayment } from "../../src/journal/unmatched-queries.ts";
import { memberIdsOfStep } from "../../src/loyalty/members/member-queries.ts";
import { pointsWithPayment } from "../../src/payments/finding/paying-points.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";

const KEY = { appId: "app", accountId: "account" };
const OTHER = { appId: "app", accountId: "other" };
/** More objects than are marked, and far more than are read, at once. */
const GOODS = 2_050;

for (const kind of DATABASE_KINDS) {
  describeDatabase("long lists", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
    });
    afterAll(() => database.drop());

    it("goods are found, marked and listed in steps, without those of another type or account", async () => {
      const objects = new ShopObjects(store);
      const ids = Array.from({ length: GOODS }, (_, nth) => `${nth}`.padStart(8, "0"));
      const found = (type: "product" | "variant", all = ids) => all.map((id) => ({ type, id, object: { type, id } }));
      await objects.keep(KEY, found("product"), 1);
      await objects.keep(KEY, found("variant", ["variant"]), 1);
      await objects.keep(OTHER, found("product", ids.slice(0, 1)), 1);
      await objects.mark(KEY, [{ type: "product" }], 2);
      const listed = await objects.list(KEY, ["variant", "product"]);
      expect(listed.map(({ id }) => id)).toEqual([...ids, "variant"]);
      expect(listed.filter(({ stale }) => !stale).map(({ id }) => id)).toEqual(["variant"]);
      expect((await objects.find(OTHER, [{ type: "product", id: "00000000" }])).map(({ stale }) => stale)).toEqual([false]);
      expect(await objects.find(KEY, [{ type: "variant", id: "00000000" }])).toEqual([]);
      expect(
        await objects.find(KEY, [
          { type: "variant", id: "variant" },
          { type: "product", id: "00000007" },
        ]),
      ).toHaveLength(2);
      await objects.remove(KEY, found("product", ids.slice(1)));
      expect((await objects.list(KEY, ["product"])).map(({ id }) => id)).toEqual(["00000000"]);
    });

    it("the further steps of a search begin behind the place of the step before", async () => {
      const terms = ["a", "b", "c", "d"].map((member_id) => ({ app_id: "app", account_id: "account", term: "first", member_id }));
      const further = { app_id: "app", account_id: "account", term: "second", member_id: "d" };
      await store.commit((tx) =>
        tx
          .insertInto("loyalty_terms")
          .values([...terms, further])
          .execute(),
      );
      const step = (before?: string) =>
        store.read((db) =>
          memberIdsOfStep(db, KEY, ["first", "second"], {
            rows: 2,
            limit: 9,
            ...(before === undefined ? {} : { before: { memberId: before } }),
          }),
        );
      expect(await step()).toEqual({ found: [], last: { memberId: "b" } });
      expect(await step("b")).toEqual({ found: ["d"], last: { memberId: "d" } });
      expect(await step("d")).toEqual({ found: [] });
    });

    it("nothing is found among no sales and no payments", async () => {
      expect(await store.read((db) => salesWithoutPayment(db, { fromMs: 0, beforeMs: 1 }))).toEqual([]);
      expect(await pointsWithPayment(store, [{ ...KEY, storeId: "store" }])).toEqual(new Set());
    });
  });
}
