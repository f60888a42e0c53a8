import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Links } from "../../src/accounts/shop/links.ts";
import type { ShopGoods } from "../../src/accounts/shop/shop-object.ts";
import { ShopObjects } from "../../src/accounts/shop/shop-objects.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";

const SEAL = createSeal(new Secret("key of the tests"));
const OTHER_SEAL = createSeal(new Secret("another key"));
const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
const HOUR_MS = 3_600_000;
const key = () => ({ appId: randomUUID(), accountId: randomUUID() });
const TEA = { type: "product", id: "tea" } as const;
const card = (kind: ShopGoods["kind"], name: { type: "product"; id: string } = TEA): ShopGoods => ({
  ...name,
  ...(kind === undefined ? {} : { kind }),
});

for (const kind of TRIED_DATABASES) {
  describeDatabase("what is kept of a shop", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let objects: ShopObjects;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      objects = new ShopObjects(store);
    });
    afterAll(() => database.drop());

    describe("an object", () => {
      it("is found under its type and id, of its own installation alone", async () => {
        const [one, other] = [key(), key()];
        const unit = { type: "uom", id: "шт", name: "шт", code: "796" } as const;
        await objects.keep(
          one,
          [
            { ...TEA, object: card("work") },
            { type: "uom", id: "шт", object: unit },
          ],
          NOW_MS,
        );
        expect(await objects.find(one, [TEA])).toEqual([{ ...TEA, object: card("work"), stale: false, readAtMs: NOW_MS }]);
        expect(await objects.find(one, [{ type: "service", id: "tea" }])).toEqual([]);
        expect(await objects.find(one, [])).toEqual([]);
        expect(await objects.find(other, [TEA])).toEqual([]);
        expect((await objects.list(one, ["product", "uom"])).map(({ object }) => object)).toEqual([card("work"), unit]);
        expect(await objects.list(one, ["service"])).toEqual([]);
      });

      it.each([
        ["no JSON", "{"],
        ["another type", '{"type":"counterparty","id":"tea"}'],
        ["no id", '{"type":"product"}'],
        ["an unknown kind", '{"type":"product","id":"tea","kind":"magic"}'],
        ["a number for a name", '{"type":"uom","id":"tea","name":1}'],
      ])("of which somebody has made %s is not read", async (_, body) => {
        const one = key();
        await objects.keep(one, [{ ...TEA, object: card("work") }], NOW_MS);
        await store.commit((tx) => tx.updateTable("shop_objects").set({ body }).where("account_id", "=", one.accountId).execute());
        await expect(objects.find(one, [TEA])).rejects.toMatchObject({
          code: "shop-object-unreadable",
          message: expect.stringContaining(`Column body of row ${one.accountId}/product/tea in table shop_objects`),
        });
      });

      it("that the platform has not is kept as such", async () => {
        const one = key();
        await objects.keep(one, [{ ...TEA, object: undefined }], NOW_MS);
        expect(await objects.find(one, [TEA])).toEqual([{ ...TEA, stale: false, readAtMs: NOW_MS }]);
      });

      it("as it was read earlier never takes the place of a later reading, whichever is written first", async () => {
        const one = key();
        await objects.keep(one, [{ ...TEA, object: card("work") }], NOW_MS);
        await objects.keep(one, [{ ...TEA, object: card("goods") }], NOW_MS - 1);
        expect(await objects.find(one, [TEA])).toMatchObject([{ object: { kind: "work" }, readAtMs: NOW_MS }]);
        await objects.keep(one, [{ ...TEA, object: undefined }], NOW_MS - 15_000);
        expect(await objects.find(one, [TEA])).toMatchObject([{ object: { kind: "work" } }]);
        await objects.keep(one, [{ ...TEA, object: card("other") }], NOW_MS);
        expect(await objects.find(one, [TEA])).toMatchObject([{ object: { kind: "other" } }]);
      });

      it("is the later one of two that are written at the same time", async () => {
        const one = key();
        const early = objects.keep(one, [{ ...TEA, object: card("goods") }], NOW_MS);
        const late = objects.keep(one, [{ ...TEA, object: card("work") }], NOW_MS + 1);
        const earlier = objects.keep(one, [{ ...TEA, object: card("other") }], NOW_MS - 1);
        await Promise.all([early, late, earlier]);
        expect(await objects.find(one, [TEA])).toMatchObject([{ object: { kind: "work" }, readAtMs: NOW_MS + 1 }]);
      });

      it("that was read before the machine's clock was set back does not stay for ever", async () => {
        const one = key();
        await objects.keep(one, [{ ...TEA, object: card("work") }], NOW_MS + 365 * 24 * HOUR_MS);
        await objects.keep(one, [{ ...TEA, object: card("other") }], NOW_MS);
        expect(await objects.find(one, [TEA])).toMatchObject([{ object: { kind: "other" }, readAtMs: NOW_MS }]);
      });

      it("is marked by its id or with all of its type, and no more after it was read again", async () => {
        const one = key();
        const milk = { type: "product", id: "milk" } as const;
        const cut = { type: "service", id: "cut" } as const;
        await objects.keep(
          one,
          [TEA, milk].map((name) => ({ ...name, object: card("goods", name) })),
          NOW_MS,
        );
        await objects.keep(one, [{ ...cut, object: cut }], NOW_MS);
        const stale = async () => (await objects.list(one, ["product", "service"])).filter((each) => each.stale).map(({ id }) => id);
        await objects.mark(one, [], NOW_MS);
        await objects.mark(key(), [TEA], NOW_MS);
        await objects.mark(one, [{ type: "product", id: "nothing" }], NOW_MS);
        expect(await stale()).toEqual([]);
        await objects.mark(one, [TEA], NOW_MS);
        expect(await stale()).toEqual(["tea"]);
        await objects.mark(one, [{ type: "product" }], NOW_MS);
        expect(await stale()).toEqual(["milk", "tea"]);
        await objects.keep(one, [{ ...TEA, object: card("work") }], NOW_MS + 1);
        expect(await stale()).toEqual(["milk"]);
      });

      it("that was marked while it was asked for stays marked: the answer may be older than the change", async () => {
        const one = key();
        const cut = { type: "service", id: "cut" } as const;
        await objects.mark(one, [TEA, { type: "service" }], NOW_MS);
        const stale = async () => (await objects.list(one, ["product", "service"])).filter((each) => each.stale).map(({ id }) => id);
        const keepAt = async (readAtMs: number) => {
          await objects.keep(
            one,
            [
              { ...TEA, object: card("work") },
              { ...cut, object: cut },
            ],
            readAtMs,
          );
          return stale();
        };
        expect(await keepAt(NOW_MS - 1)).toEqual(["tea", "cut"]);
        expect(await keepAt(NOW_MS)).toEqual([]);
        // Such a time was written before the clock was set back.
        const other = key();
        await objects.mark(other, [TEA], NOW_MS + 2 * HOUR_MS);
        await objects.keep(other, [{ ...TEA, object: card("work") }], NOW_MS);
        expect(await objects.find(other, [TEA])).toMatchObject([{ stale: false }]);
      });

      it("that is marked keeps what was known of it", async () => {
        const one = key();
        await objects.keep(one, [{ ...TEA, object: card("work") }], NOW_MS);
        await objects.mark(one, [TEA], NOW_MS);
        expect(await objects.find(one, [TEA])).toEqual([{ ...TEA, object: card("work"), stale: true, readAtMs: NOW_MS }]);
      });

      it("is taken away by its name, or because a reading of all its type did not find it", async () => {
        const [one, other] = [key(), key()];
        const names = ["a", "b", "c"].map((id) => ({ type: "product", id }) as const);
        for (const owner of [one, other])
          await objects.keep(
            owner,
            names.map((name) => ({ ...name, object: card("goods", name) })),
            NOW_MS,
          );
        await objects.keep(one, [{ type: "uom", id: "kg", object: { type: "uom", id: "kg", name: "кг" } }], NOW_MS);
        await objects.remove(one, [
          { type: "product", id: "a" },
          { type: "service", id: "b" },
        ]);
        await objects.remove(one, []);
        await objects.keep(one, [{ type: "product", id: "c", object: card("work", { type: "product", id: "c" }) }], NOW_MS + 1);
        await objects.removeUnread(one, "product", NOW_MS + 1);
        expect((await objects.list(one, ["product", "uom"])).map(({ id }) => id)).toEqual(["c", "kg"]);
        expect(await objects.list(other, ["product"])).toHaveLength(3);
      });

      it("that is named twice at once is kept as it was said last", async () => {
        const one = key();
        const twice = [card("work"), card("other")].map((object) => ({ ...TEA, object }));
        await objects.keep(one, twice, NOW_MS);
        expect(await objects.find(one, [TEA])).toMatchObject([{ object: { kind: "other" } }]);
      });

      it("is one of a thousand that are kept and found at once", async () => {
        const one = key();
        const names = Array.from({ length: 1_000 }, (_, at) => ({ type: "product", id: `p-${at}` }) as const);
        await objects.keep(
          one,
          names.map((name) => ({ ...name, object: card("goods", name) })),
          NOW_MS,
        );
        expect(await objects.find(one, names)).toHaveLength(1_000);
      });
    });

    describe("a link", () => {
      const links = (seal = SEAL) => new Links({ store, seal, chance: systemChance });

      it("is one for each installation, whoever asks first: all get the same secret, which leads back", async () => {
        const one = key();
        const secrets = await Promise.all(Array.from({ length: 8 }, () => links().webhookSecret(one)));
        const [secret] = new Set(secrets.map((each) => each.reveal()));
        expect(new Set(secrets.map((each) => each.reveal())).size).toBe(1);
        expect(secret).toMatch(/^[\w-]{32}$/);
        expect(await links().bySecret(secret ?? "")).toEqual(one);
        expect(await links().bySecret(`${secret}x`)).toBeUndefined();
        expect((await links().webhookSecret(key())).reveal()).not.toBe(secret);
      });

      it("keeps its secret sealed: nothing of it is in the table, and under another key it is replaced, once", async () => {
        const one = key();
        const secret = (await links().webhookSecret(one)).reveal();
        const rows = await store.read((db) =>
          db.selectFrom("platform_links").selectAll().where("account_id", "=", one.accountId).execute(),
        );
        expect(JSON.stringify(rows)).not.toContain(secret);
        expect(String(await links().webhookSecret(one))).not.toContain(secret);
        const replaced = (await links(OTHER_SEAL).webhookSecret(one)).reveal();
        expect(replaced).not.toBe(secret);
        expect((await links(OTHER_SEAL).webhookSecret(one)).reveal()).toBe(replaced);
        expect(await links(OTHER_SEAL).bySecret(replaced)).toEqual(one);
        expect(await links(OTHER_SEAL).bySecret(secret)).toBeUndefined();
      });

      it("has no scale until one is proved, then that one, and can be proved otherwise", async () => {
        const one = key();
        expect(await links().moneyScale(one)).toBeUndefined();
        await Promise.all([links().pinMoneyScale(one, 100), links().pinMoneyScale(one, 100)]);
        expect(await links().moneyScale(one)).toBe(100);
        await links().pinMoneyScale(one, 1);
        expect(await links().moneyScale(one)).toBe(1);
        expect(await links().moneyScale(key())).toBeUndefined();
      });

      it("is pinned also where its secret cannot be opened any more", async () => {
        const one = key();
        await links(OTHER_SEAL).webhookSecret(one);
        await links().pinMoneyScale(one, 1);
        expect(await links().moneyScale(one)).toBe(1);
      });

      it("remembers how far was read, and a reading that failed changes nothing but its problem", async () => {
        const one = key();
        await links().noteReading(one, { atMs: NOW_MS, problem: "no answer" });
        expect(await links().of(one)).toMatchObject({ readAtMs: NOW_MS, readProblem: "no answer" });
        expect(await links().of(one)).not.toHaveProperty("readToMs");
        await links().noteReading(one, { atMs: NOW_MS + 1, toMs: NOW_MS - 5, whole: true });
        const read = { readAtMs: NOW_MS + 1, readToMs: NOW_MS - 5, wholeReadAtMs: NOW_MS + 1 };
        expect(await links().of(one)).toMatchObject(read);
        expect(await links().of(one)).not.toHaveProperty("readProblem");
        await links().noteReading(one, { atMs: NOW_MS + 2, toMs: NOW_MS });
        expect(await links().of(one)).toMatchObject({ readToMs: NOW_MS, wholeReadAtMs: NOW_MS + 1 });
        await links().noteReading(one, { atMs: NOW_MS + 3, problem: "gone" });
        expect(await links().of(one)).toMatchObject({ readToMs: NOW_MS, readProblem: "gone", readAtMs: NOW_MS + 3 });
      });
    });
  });
}
