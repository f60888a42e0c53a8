import { afterAll, beforeAll, expect, it } from "vitest";
import { auditLines } from "../../src/accounts/audit.ts";
import { accountOf, allLots } from "../../src/loyalty/ledger/ledger-queries.ts";
import { eraseMember } from "../../src/loyalty/members/erase.ts";
import type { OrderCall, ReturnCall, SaleCall } from "../../src/loyalty/till-call.ts";
import { mergeMembers, undoMerge } from "../../src/loyalty/transfers/merge.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { LOYALTY_KEY, LOYALTY_STORE, LoyaltyBench } from "../support/loyalty-bench.ts";

const ACCOUNT = { key: LOYALTY_KEY, service: "on" } as const;
const MOMENT = "2026-11-29 11:00:00";

for (const kind of DATABASE_KINDS) {
  if (!kind.shared) continue;
  describeDatabase("two processes on one loyalty ledger", kind, () => {
    let database: TestDatabase;
    let one: LoyaltyBench;
    let two: LoyaltyBench;

    beforeAll(async () => {
      database = await kind.make();
      // As in a server, the store holds files. Otherwise transactions of one process would wait for each other and never
      // race.
      const store = await database.open({ held: new HeldFiles() });
      await store.migrate();
      one = await LoyaltyBench.open({ store });
      two = await LoyaltyBench.open({ store: await database.open({ held: new HeldFiles() }) });
      await one.programme({ spend: { sharePercent: 100, leastMoneyKopecks: 0, step: 1, excluded: [] } });
    });

    afterAll(() => database.drop());

    it("spend 100 points once in 20 sales of 20: the rest is a debt, and nothing is lost", async () => {
      const buyer = await memberWith(one, 100);
      const sales = Array.from({ length: 20 }, (_, index) => saleCall(`race-${buyer}-${index}`, buyer, { points: 20 }));
      const results = await Promise.all(sales.map((call, index) => (index % 2 === 0 ? one : two).orders.sale(call)));
      expect(results.every(({ kind: taken }) => taken === "taken")).toBe(true);
      expect(await standing(one, buyer)).toEqual({ points: 0, debt: 300, lots: 0 });
    });

    it("set one programme of all that were made from the same one, with one line of audit", async () => {
      const { version } = await one.store.read((db) => one.programmes.current(db, LOYALTY_KEY));
      const lines = async () => (await auditLines(one.store, { text: "programme", limit: 100 })).length;
      const before = await lines();
      const text = (await one.programmes.text(LOYALTY_KEY)) ?? "{}";
      const replaced = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : two).programmes.replace(LOYALTY_KEY, text, "anna", version)),
      );
      expect(replaced.map(({ kind: became }) => became).toSorted()).toEqual([...Array.from({ length: 9 }, () => "overtaken"), "set"]);
      expect([await lines(), (await two.store.read((db) => two.programmes.current(db, LOYALTY_KEY))).version]).toEqual([
        before + 1,
        version + 1,
      ]);
    });

    it("book one document once, whichever of them it comes to", async () => {
      const buyer = await memberWith(one, 0);
      const call = saleCall(`twice-${buyer}`, buyer, { earn: 50 });
      await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? one : two).orders.sale(call)));
      expect(await standing(two, buyer)).toEqual({ points: 50, debt: 0, lots: 50 });
    });

    it("give back no more than was spent when parts of one sale come back at once", async () => {
      const buyer = await memberWith(one, 100);
      await one.orders.sale(saleCall(`parts-${buyer}`, buyer, { points: 100, quantity: 10 }));
      const returns = Array.from({ length: 14 }, (_, index) => returnCall(`part-${buyer}-${index}`, `parts-${buyer}`));
      const results = await Promise.all(returns.map((call, index) => (index % 2 === 0 ? one : two).orders.takeReturn(call)));
      expect(results.filter(({ kind: taken }) => taken === "taken")).toHaveLength(10);
      expect(results.filter(({ kind: taken }) => taken === "returned-more")).toHaveLength(4);
      expect(await standing(one, buyer)).toEqual({ points: 100, debt: 0, lots: 100 });
    });

    it("give the points of a first purchase once, when quotes and sales come to both", async () => {
      const { version } = await one.store.read((db) => one.programmes.current(db, LOYALTY_KEY));
      const before = (await one.programmes.text(LOYALTY_KEY)) ?? "{}";
      await one.programme({ rules: [{ id: "first", effect: "points", value: 500, when: { firstPurchase: true } }] });
      const buyer = await memberWith(one, 0);
      const sizes = [1, 2, 3, 4, 5, 6];
      const of = (nth: number) => (nth % 2 === 0 ? one : two);
      const quotes = sizes.map((quantity) => {
        const lines = [{ productId: "product", quantityMillionths: quantity * 1_000_000, priceKopecks: 10_000 }];
        return of(quantity).loyalty.quote({
          ...{ account: ACCOUNT, storeId: LOYALTY_STORE, buyer: { platformId: buyer } },
          ...{ lines, transactionType: "EARNING" },
        });
      });
      expect((await Promise.all(quotes)).map(({ earnPoints }) => earnPoints)).toEqual(sizes.map((quantity) => 500 + 5 * quantity));
      await Promise.all([one.quotes.flush(), two.quotes.flush()]);
      await Promise.all([one, two].map(({ clock }) => clock.advance(1_000)));
      const sales = sizes.map((quantity) =>
        of(quantity + 1).orders.sale(saleCall(`first-${buyer}-${quantity}`, buyer, { earn: 500 + 5 * quantity, quantity })),
      );
      await Promise.all(sales);
      expect(await standing(one, buyer)).toEqual({ points: 605, debt: 0, lots: 605 });
      await one.programmes.replace(LOYALTY_KEY, before, "test", version + 1);
    });

    it("book a sale of a member who is merged at this moment in the one account or the other", async () => {
      const [keptId, goneId] = [await memberWith(one, 0), await memberWith(one, 100)];
      const services = { ...two.services, programmes: two.programmes };
      const [sales, merged] = await Promise.all([
        Promise.all(Array.from({ length: 6 }, (_, nth) => one.orders.sale(saleCall(`merging-${goneId}-${nth}`, goneId, { earn: 50 })))),
        mergeMembers(services, LOYALTY_KEY, { keptId, goneId }, "test"),
      ]);
      expect([merged.kind, ...sales.map(({ kind: taken }) => taken)]).toEqual(["merged", ...Array.from({ length: 6 }, () => "taken")]);
      expect([await standing(two, keptId), await standing(two, goneId)]).toMatchObject([{ points: 400 }, { points: 0 }]);
      const returns = Array.from({ length: 6 }, (_, nth) => returnCall(`unmerging-${goneId}-${nth}`, `merging-${goneId}-${nth}`, 10));
      const undo = undoMerge(services, LOYALTY_KEY, { keptId, goneId }, "test");
      await Promise.all([...returns.map((call, nth) => (nth % 2 === 0 ? one : two).orders.takeReturn(call)), undo]);
      const [kept, gone] = [await standing(two, keptId), await standing(two, goneId)];
      expect(kept.points - kept.debt + gone.points - gone.debt).toBe(100);
    });

    it("write what has expired once", async () => {
      const buyer = await memberWith(one, 40, { expiresAtMs: one.clock.nowMs() + 1_000 });
      await one.clock.advance(5_000);
      await two.clock.advance(5_000);
      await Promise.all([
        one.upkeep.run(),
        two.upkeep.run(),
        one.upkeep.run(),
        two.orders.sale(saleCall(`late-${buyer}`, buyer, { earn: 10 })),
      ]);
      expect(await standing(one, buyer)).toEqual({ points: 10, debt: 0, lots: 10 });
      const expired = await one.store.read((db) =>
        db.selectFrom("loyalty_entries").select("points").where("member_id", "=", buyer).where("kind", "=", "EXPIRE").execute(),
      );
      expect(expired).toEqual([{ points: -40 }]);
    });

    it("make one member of one phone", async () => {
      const phone = "+7 903 111-22-33";
      const enrol = (bench: LoyaltyBench) =>
        bench.members.enrol(LOYALTY_KEY, { identity: { phone }, personal: { name: "Сидоров", phone }, isNative: false });
      await Promise.all([enrol(one), enrol(two), enrol(one), enrol(two)]);
      await enrol(one);
      const found = await one.members.search(LOYALTY_KEY, phone);
      expect(found).toHaveLength(1);
      const named = await one.store.read((db) => db.selectFrom("loyalty_aliases").selectAll().where("kind", "=", "phone").execute());
      expect(named).toHaveLength(1);
      expect(await one.members.search(LOYALTY_KEY, "Сидоров")).toHaveLength(1);
    });

    it("leave nothing of a person with a member who is erased while the person joins again", async () => {
      const ids = await Promise.all(Array.from({ length: 20 }, () => memberWith(one, 0)));
      const phoneOf = (nth: number) => `+79031110${String(nth).padStart(3, "0")}`;
      const join = (bench: LoyaltyBench, platformId: string, nth: number) =>
        bench.members.enrol(LOYALTY_KEY, {
          identity: { platformId, phone: phoneOf(nth) },
          personal: { name: "Орлов", phone: phoneOf(nth) },
          isNative: true,
        });
      await Promise.all(ids.flatMap((id, nth) => [join(one, id, nth), eraseMember(two.services, LOYALTY_KEY, id)]));
      const left = await one.store.read((db) =>
        db.selectFrom("loyalty_members").select("id").where("status", "=", "erased").where("personal_sealed", "is not", null).execute(),
      );
      expect(left).toEqual([]);
      const joined = ids.map((_, nth) => join(two, two.services.chance.uuid(), nth));
      expect(await Promise.allSettled(joined)).toEqual(ids.map(() => expect.objectContaining({ status: "fulfilled" })));
    });

    it("have every ledger add up", async () => {
      const accounts = await one.store.read((db) => db.selectFrom("loyalty_accounts").select("member_id").execute());
      for (const { member_id: id } of accounts) {
        const { points, lots } = await standing(one, id);
        expect(lots).toBe(points);
      }
    });
  });
}

async function memberWith(bench: LoyaltyBench, points: number, { expiresAtMs = null as number | null } = {}): Promise<string> {
  const id = bench.services.chance.uuid();
  const enrolled = await bench.members.enrol(LOYALTY_KEY, { identity: { platformId: id }, personal: { name: "Иван" }, isNative: true });
  if (points === 0) return enrolled.memberId;
  const { AccountBook } = await import("../../src/loyalty/ledger/account-book.ts");
  await bench.store.commit(async (tx) => {
    const book = await AccountBook.open(tx, enrolled.memberId, bench.clock.nowMs());
    const lot = { kind: "granted", points, activeFromMs: bench.clock.nowMs(), expiresAtMs } as const;
    book.add({ kind: "GRANT", points, lot, actor: "test", reason: "test" });
    await book.close();
  });
  return enrolled.memberId;
}

async function standing(bench: LoyaltyBench, memberId: string): Promise<{ points: number; debt: number; lots: number }> {
  return bench.store.read(async (db) => {
    const account = await accountOf(db, memberId);
    const lots = await allLots(db, memberId);
    return { points: account?.points ?? -1, debt: account?.debt_points ?? -1, lots: lots.reduce((sum, lot) => sum + lot.remaining, 0) };
  });
}

function orderCall(documentId: string, lines: OrderCall["lines"]): Omit<OrderCall, "buyer"> {
  return { account: ACCOUNT, storeId: LOYALTY_STORE, documentId, name: documentId, moment: MOMENT, lines };
}

/** A sale of pieces at 100 roubles, partly paid with points. */
function saleCall(
  documentId: string,
  memberId: string,
  { points = 0, earn = 0, quantity = 10 }: { points?: number; earn?: number; quantity?: number },
): SaleCall {
  const discountedKopecks = 10_000 - (points * 100) / quantity;
  const lines = [{ productId: "product", quantityMillionths: quantity * 1_000_000, priceKopecks: 10_000, discountedKopecks }];
  return { ...orderCall(documentId, lines), buyer: { platformId: memberId }, spent: points, earned: earn, giftCards: [] };
}

/** A return of pieces of a sale in which 90 roubles of each piece were paid with money and the rest with points. */
function returnCall(documentId: string, saleId: string, quantity = 1): ReturnCall {
  const lines = [{ productId: "product", quantityMillionths: quantity * 1_000_000, priceKopecks: 10_000, discountedKopecks: 9_000 }];
  return { ...orderCall(documentId, lines), saleId };
}
