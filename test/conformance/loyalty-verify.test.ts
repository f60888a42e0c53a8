import { type RawBuilder, sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { verifyLedger } from "../../src/loyalty/ledger/verify.ts";
import { mergeMembers, undoMerge } from "../../src/loyalty/transfers/merge.ts";
import { memberNamed } from "../../src/operator/loyalty/find-member.ts";
import { grantPoints } from "../../src/operator/loyalty/grant-points.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { sample } from "../support/extent.ts";
import { LOYALTY_KEY, LOYALTY_STORE, LoyaltyBench } from "../support/loyalty-bench.ts";

const [, , ...SHARED] = DATABASE_KINDS;
const GOODS = { productId: "goods", quantityMillionths: 10_000_000, priceKopecks: 10_000, discountedKopecks: 10_000 };
const ACTING = { key: LOYALTY_KEY, actor: "test" };

/** The tables of a ledger. */
const TABLES = [
  "entries",
  "lots",
  "allocations",
  "accounts",
  "tier_events",
  "order_lines",
  "orders",
  "merges",
  "aliases",
  "terms",
  "members",
  "programmes",
].map((name) => `loyalty_${name}`);

/** Alterations of one row: the table, the column, its new value, and which row. */
const ALTERED: [table: string, column: string, value: number | string, which: string][] = [
  ...(["points", "debt_points", "part", "reverses", "at_ms", "order_id", "number"] as const).map(
    (column): [string, string, number, string] => ["loyalty_entries", column, 7_777, "number = 2"],
  ),
  ...(["kind", "actor", "reason", "trace", "hash"] as const).map((column): [string, string, string, string] => [
    "loyalty_entries",
    column,
    "other",
    "number = 2",
  ]),
  ...(["original", "remaining", "active_from_ms", "expires_at_ms", "number"] as const).map((column): [string, string, number, string] => [
    "loyalty_lots",
    column,
    33,
    "number = 1",
  ]),
  ["loyalty_lots", "kind", "restored", "number = 1"],
  ...(["points", "place", "lot_number", "entry_number"] as const).map((column): [string, string, number, string] => [
    "loyalty_allocations",
    column,
    9,
    "entry_number = 2",
  ]),
  ...(["points", "debt_points", "entry_number", "visited_at_ms", "has_bought", "tier_since_ms", "tier_review_at_ms"] as const).map(
    (column): [string, string, number, string] => ["loyalty_accounts", column, 5, "entry_number > 0"],
  ),
  ["loyalty_accounts", "entry_hash", "other", "entry_number > 0"],
  ["loyalty_accounts", "tier", "gold", "entry_number > 0"],
  ["loyalty_orders", "spent", 3, "type = 'sale'"],
  ["loyalty_orders", "given_back", 3, "type = 'sale'"],
];

for (const kind of [...DATABASE_KINDS.slice(0, 1), ...SHARED])
  describeDatabase("counting the ledger anew", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let bench: LoyaltyBench;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });

    beforeEach(async () => {
      bench = await LoyaltyBench.open({ store });
      await enrol("one", "+79030000001");
      await sell("sale-1", "one", 0, 50);
      await sell("sale-2", "one", 10, 0);
      await giveBack("return-1", "sale-1");
    });

    // Making a database takes much longer than any of these tests. So they share one, and each test empties it.
    afterEach(() =>
      store.commit(async (tx) => {
        for (const table of TABLES) await sql`delete from ${sql.table(table)}`.execute(tx);
      }),
    );

    afterAll(() => database.drop());

    const enrol = (platformId: string, phone: string) =>
      bench.members.enrol(LOYALTY_KEY, { identity: { platformId, phone }, personal: { name: "Анна", phone }, isNative: true });
    const document = (documentId: string) => {
      return { account: bench.account, storeId: LOYALTY_STORE, documentId, name: documentId, moment: "2026-11-29 12:00:00" };
    };
    const sell = (documentId: string, platformId: string, spent: number, earned: number) =>
      bench.orders.sale({
        ...document(documentId),
        buyer: { platformId },
        lines: [{ ...GOODS, discountedKopecks: 10_000 - spent * 10 }],
        spent,
        earned,
        giftCards: [],
      });
    const giveBack = (documentId: string, saleId: string) =>
      bench.orders.takeReturn({ ...document(documentId), saleId, lines: [{ ...GOODS, quantityMillionths: 3_000_000 }] });
    const found = async () => (await verifyLedger(bench.store)).findings;
    const run = (statement: RawBuilder<unknown>) => bench.store.commit(async (tx) => void (await statement.execute(tx)));

    it("finds nothing wrong in what was booked", async () => {
      expect(await verifyLedger(bench.store)).toMatchObject({ members: 1, entries: 3, orders: 3, findings: [], isCut: false });
    });

    it.each(sample(ALTERED, 10))("finds and names an altered row: %s.%s", async (table, column, value, which) => {
      await run(sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where ${sql.raw(which)}`);
      const findings = await found();
      expect(findings).not.toEqual([]);
      const [{ id } = { id: "" }] = await bench.store.read((db) => db.selectFrom("loyalty_members").select("id").execute());
      if (table !== "loyalty_orders") expect(findings.map(({ row }) => row).join(" ")).toContain(id);
      else expect(findings[0]).toMatchObject({ table: "loyalty_orders", fault: { code: "differs", column } });
    });

    it.each([
      ["loyalty_entries", "number = 3"],
      ["loyalty_entries", "number = 1"],
      ["loyalty_lots", "number = 1"],
      ["loyalty_allocations", "entry_number = 2"],
      ["loyalty_accounts", "entry_number > 0"],
      ["loyalty_members", "id <> ''"],
      ["loyalty_orders", "type = 'sale'"],
      ["loyalty_order_lines", "number = 1"],
    ])("finds a row that was taken out of %s where %s", async (table, which) => {
      await run(sql`delete from ${sql.table(table)} where ${sql.raw(which)}`);
      expect(await found()).not.toEqual([]);
    });

    it("finds an entry that was added behind the newest one", async () => {
      await run(
        sql`insert into loyalty_entries select member_id, 4, kind, 1000, 0, null, 1, null, at_ms, actor, null, null, hash from loyalty_entries where number = 1`,
      );
      expect(await found()).toContainEqual(
        expect.objectContaining({ table: "loyalty_entries", row: expect.stringMatching(/\/4$/), fault: { code: "surplus" } }),
      );
    });

    it("adds up after a merge, which is undone with what is left of the moved lots", async () => {
      const kept = await enrol("two", "+79030000002");
      const gone = await enrol("one", "+79030000001");
      const ids = { keptId: kept.memberId, goneId: gone.memberId };
      const services = { ...bench.services, programmes: bench.programmes };
      expect(await mergeMembers(services, LOYALTY_KEY, ids, "test")).toEqual({ kind: "merged", points: 25, debtPoints: 0 });
      expect(await memberNamed(bench, LOYALTY_KEY, "8 (903) 000-00-01")).toMatchObject({ kind: "found", row: { id: kept.memberId } });
      await sell("sale-3", "one", 5, 0);
      expect(await found()).toEqual([]);
      expect(await undoMerge(services, LOYALTY_KEY, ids, "test")).toEqual({ kind: "undone", points: 20, debtPoints: 0 });
      expect(await memberNamed(bench, LOYALTY_KEY, "one")).toMatchObject({ kind: "found", row: { id: gone.memberId } });
      expect(await undoMerge(services, LOYALTY_KEY, ids, "test")).toEqual({ kind: "refused", because: { code: "not-merged" } });
      expect(await found()).toEqual([]);
    });

    it("adds up after upkeep that has raised a tier and had no entry to write", async () => {
      const tiers = (gold: number) => [
        { name: "silver", fromKopecks: 100_000, window: "year" },
        { name: "gold", fromKopecks: gold, window: "year" },
      ];
      const activation = { kind: "days", days: 5 };
      await bench.programme({ activation, tiers: tiers(1_000_000) });
      await enrol("late", "+79030000003");
      // The member has a debt, and points that cannot repay it yet. The upkeep reads such a member and writes no entry.
      await sell("late-1", "late", 90, 0);
      await sell("late-2", "late", 0, 50);
      await bench.programme({ activation, tiers: tiers(150_000) });
      await bench.upkeep.run();
      const accounts = await bench.store.read((db) => db.selectFrom("loyalty_accounts").select(["tier", "debt_points"]).execute());
      expect(accounts).toContainEqual({ tier: "gold", debt_points: 90 });
      expect(await found()).toEqual([]);
    });

    it("refuses a deduction above the balance, and adds up after a grant", async () => {
      const member = await memberNamed(bench, LOYALTY_KEY, "one");
      if (member.kind !== "found") throw new Error("the member is gone");
      const order = (points: number) => grantPoints(bench, ACTING, member.row, { points, reason: "test" });
      expect(await order(-26)).toEqual({ kind: "refused", because: { code: "above-balance", balancePoints: 25 } });
      expect(await order(10)).toMatchObject({ kind: "granted", balancePoints: 35 });
      expect(await order(-35)).toMatchObject({ kind: "granted", balancePoints: 0 });
      expect(await found()).toEqual([]);
    });
  });
