import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs, QueryResult, RootOperationNode, UnknownRow } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { verifyLedger } from "../../src/loyalty/ledger/verify.ts";
import { eraseMember } from "../../src/loyalty/members/erase.ts";
import type { OrderCall, ReturnCall, SaleCall } from "../../src/loyalty/till-call.ts";
import { mergeMembers, undoMerge } from "../../src/loyalty/transfers/merge.ts";
import { memberNamed } from "../../src/operator/loyalty/find-member.ts";
import { grantPoints } from "../../src/operator/loyalty/grant-points.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { LOYALTY_KEY, LOYALTY_STORE, LoyaltyBench } from "../support/loyalty-bench.ts";

/** The longest wait for work that meets a check. */
const MEETING_MS = 1_000;
const ACCOUNT = { key: LOYALTY_KEY, service: "on" } as const;
const LINE = { productId: "product", quantityMillionths: 10_000_000, priceKopecks: 10_000, discountedKopecks: 10_000 };

for (const kind of DATABASE_KINDS) {
  if (!kind.shared) continue;
  describeDatabase("buyers who come to two processes at once", kind, () => {
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
      await one.programme({
        spend: { sharePercent: 100 },
        rules: [{ id: "first", effect: "points", value: 500, when: { firstPurchase: true } }],
      });
    });

    afterAll(async () => {
      expect((await verifyLedger(one.store)).findings).toEqual([]);
      await database.drop();
    });

    it("take from a gift card what it holds, in twenty sales", async () => {
      const giftCards = [await card("G1", 50_000)];
      await all(20, (bench, nth) => bench.orders.sale({ ...sale(`card-${nth}`, undefined), giftCards }));
      expect(await taken("G1")).toEqual({ balanceKopecks: 0, taken: -50_000 });
    });

    it("take from two gift cards that are named in either order, by ids that nobody knows", async () => {
      await Promise.all([card("G2", 50_000), card("G3", 50_000)]);
      await all(20, (bench, nth) => {
        const names = nth % 4 < 2 ? ["G2", "G3"] : ["G3", "G2"];
        const giftCards = names.map((name, place) => ({ cardId: `${place}-unknown`, name, kopecks: 10_000 }));
        return bench.orders.sale({ ...sale(`cards-${nth}`, undefined), giftCards });
      });
      expect([await taken("G2"), await taken("G3")]).toEqual([
        { balanceKopecks: 0, taken: -50_000 },
        { balanceKopecks: 0, taken: -50_000 },
      ]);
    });

    it("get the points of a first purchase once in six sales without a quote", async () => {
      const buyer = await member(0);
      await all(6, (bench, nth) => bench.orders.sale(sale(`first-${buyer}-${nth}`, buyer, { earned: 550 })));
      expect(await sum([buyer])).toBe(550 + 5 * 50);
    });

    it("give one sale back once under ten documents", async () => {
      const buyer = await member(500);
      await one.orders.sale(sale(`all-${buyer}`, buyer, { spent: 500 }));
      const results = await all(10, (bench, nth) => bench.orders.takeReturn(returnOf(`all-${buyer}-${nth}`, `all-${buyer}`, 5_000)));
      expect(results.map(({ kind: taken }) => taken).toSorted()).toEqual([...Array(9).fill("returned-more"), "taken"]);
      expect(await sum([buyer])).toBe(500);
    });

    it("keep nothing of sales whose returns come at the same moment", async () => {
      const buyer = await member(0);
      await one.orders.sale(sale(`before-${buyer}`, buyer));
      await all(20, (bench, nth) => {
        const saleId = `same-${buyer}-${Math.floor(nth / 2)}`;
        // Each sale and its return go to different processes, and the return sometimes comes first.
        return nth % 2 === 0 ? bench.orders.sale(sale(saleId, buyer, { earned: 50 })) : bench.orders.takeReturn(returnOf(saleId, saleId));
      });
      expect(await sum([buyer])).toBe(0);
    });

    it("are merged one way only, when both ways are tried", async () => {
      const [a, b] = [await member(300), await member(200)];
      const results = await all(6, (bench, nth) =>
        mergeMembers(servicesOf(bench), LOYALTY_KEY, nth % 4 < 2 ? { keptId: a, goneId: b } : { keptId: b, goneId: a }, "test"),
      );
      expect(results.map(({ kind: became }) => became).toSorted()).toEqual(["merged", ...Array(5).fill("refused")]);
      expect(await sum([a, b])).toBe(500);
    });

    it("get back once what a merge has moved, when it is undone four times while it is spent", async () => {
      const [keptId, goneId] = [await member(0), await member(500)];
      await mergeMembers(servicesOf(one), LOYALTY_KEY, { keptId, goneId }, "test");
      const spending = all(2, (bench, nth) => bench.orders.sale(sale(`undone-${keptId}-${nth}`, keptId, { spent: 400 })));
      const undone = await all(4, (bench) => undoMerge(servicesOf(bench), LOYALTY_KEY, { keptId, goneId }, "test"));
      await spending;
      expect(undone.map(({ kind: became }) => became).toSorted()).toEqual(["refused", "refused", "refused", "undone"]);
      expect(await sum([keptId, goneId])).toBe(500 - 800);
      await all(2, (bench, nth) => bench.orders.takeReturn(returnOf(`un-${keptId}-${nth}`, `undone-${keptId}-${nth}`, 6_000)));
      expect(await sum([keptId, goneId])).toBe(500);
    });

    it("spend nothing after their data are erased", async () => {
      const buyer = await member(500);
      const erased = eraseMember(two.services, LOYALTY_KEY, buyer);
      await all(6, (bench, nth) => bench.orders.sale(sale(`erased-${buyer}-${nth}`, buyer, { earned: 50 })));
      await erased;
      const before = await sum([buyer]);
      await one.orders.sale(sale(`late-${buyer}`, buyer, { spent: 100, earned: 45 }));
      expect([await sum([buyer]), before <= 500 + 550 + 5 * 50]).toEqual([before, true]);
    });

    it("are one member with one card", async () => {
      const enrolled = await all(6, (bench) =>
        bench.members.enrol(LOYALTY_KEY, { identity: { card: "100 200" }, personal: { name: "Иван", card: "100-200" }, isNative: true }),
      );
      expect(new Set(enrolled.map(({ memberId }) => memberId)).size).toBe(1);
    });

    it("get a grant once that was clicked at both", async () => {
      const buyer = await member(100);
      const found = await memberNamed(one, LOYALTY_KEY, buyer);
      if (found.kind !== "found") throw new Error(found.kind);
      const acting = { key: LOYALTY_KEY, actor: "test" };
      const results = await all(6, (bench) => grantPoints(bench, acting, found.row, { points: 50, reason: "click", seenEntry: 1 }));
      expect(results.map(({ kind: became }) => became).toSorted()).toEqual(["granted", ...Array(5).fill("refused")]);
      expect(await sum([buyer])).toBe(150);
    });

    it("are one member when they are enrolled on sight, and get the points of a first purchase once", async () => {
      await one.programme({ enrolOnSight: true, rules: [{ id: "first", effect: "points", value: 500, when: { firstPurchase: true } }] });
      const stranger = one.services.chance.uuid();
      await all(8, (bench, nth) => bench.orders.sale(sale(`sight-${nth}`, stranger, { earned: 550 })));
      const found = await memberNamed(two, LOYALTY_KEY, stranger);
      if (found.kind !== "found") throw new Error(found.kind);
      expect(await sum([found.row.id])).toBe(550 + 7 * 50);
    });

    it("are members of their own when they name one card that another has", async () => {
      const { memberId: holder } = await one.members.enrol(LOYALTY_KEY, newcomer("holder", "+79991000000"));
      const enrolled = await all(6, (bench, nth) => {
        const phone = `+7999100100${nth % 3}`;
        return bench.members.enrol(LOYALTY_KEY, { ...newcomer(`new-${nth % 3}`, phone), isCardDoubted: true });
      });
      expect([new Set(enrolled.map(({ memberId }) => memberId)).size, enrolled.some(({ memberId }) => memberId === holder)]).toEqual([
        3,
        false,
      ]);
    });

    it("keep nothing of ten tenths that come back while the sale comes, and a tenth more is refused", async () => {
      const buyer = await member(0);
      const tenth = (nth: number) => ({ ...returnOf(`tenth-${nth}`, "tenths"), lines: [{ ...LINE, quantityMillionths: 1_000_000 }] });
      await Promise.all([
        one.orders.sale(sale("tenths", buyer, { earned: 550 })),
        all(10, (bench, nth) => bench.orders.takeReturn(tenth(nth))),
      ]);
      expect(await sum([buyer])).toBe(0);
      expect((await two.orders.takeReturn(tenth(10))).kind).toBe("returned-more");
    });

    it("spend no more than there is while they are merged away and erased", async () => {
      const [goneId, keptId] = [await member(500), await member(0)];
      await Promise.all([
        all(2, (bench, nth) => bench.orders.sale(sale(`last-${nth}`, goneId, { spent: 300 }))),
        mergeMembers(servicesOf(one), LOYALTY_KEY, { keptId, goneId }, "test"),
        eraseMember(two.services, LOYALTY_KEY, keptId),
      ]);
      const { spent } = await one.store.read((db) =>
        db
          .selectFrom("loyalty_orders")
          .select((row) => row.fn.sum<number | string>("spent").as("spent"))
          .where("document_key", "like", "last-%")
          .executeTakeFirstOrThrow(),
      );
      expect(Number(spent) + (await sum([goneId, keptId]))).toBe(500);
    });

    // SQLite runs one transaction at a time, so there a check in a transaction meets nothing.
    it.runIf(kind.kind === "postgres")(
      "are no finding of a check that sees a gift card before a sale and its entries after it",
      async () => {
        const giftCards = [await card("G4", 50_000)];
        expect(await findingsMeeting("balance_kopecks", (nth) => two.orders.sale({ ...sale(`met-${nth}`, undefined), giftCards }))).toEqual(
          [],
        );
      },
    );

    it.runIf(kind.kind === "postgres")("are no finding of a check that sees a sale before a return and its returns after it", async () => {
      const buyer = await member(500);
      await one.orders.sale(sale("met", buyer, { spent: 500 }));
      const piece = (nth: number) => ({ ...returnOf(`met-${nth}`, "met"), lines: [{ ...LINE, quantityMillionths: 1_000_000 }] });
      expect(await findingsMeeting("given_back", (nth) => two.orders.takeReturn(piece(nth)))).toEqual([]);
    });

    /** What a check of the ledger finds when it meets `work` each time after it has read rows with this column. */
    async function findingsMeeting(column: string, work: (nth: number) => Promise<unknown>) {
      const met: Promise<unknown>[] = [];
      const meet = async () => {
        met.push(work(met.length));
        // The work may wait for the end of the check's transaction.
        await Promise.race([met.at(-1), pause(systemClock, MEETING_MS)]);
      };
      const { findings } = await verifyLedger({
        read: (check) => one.store.read((db) => check(db.withPlugin(new MeetingPlugin(column, meet)))),
        commit: (check) => one.store.commit((tx) => check(tx.withPlugin(new MeetingPlugin(column, meet)))),
      });
      await Promise.all(met);
      expect(met.length).toBeGreaterThan(1);
      return findings;
    }

    function all<Result>(count: number, work: (bench: LoyaltyBench, nth: number) => Promise<Result>): Promise<Result[]> {
      return Promise.all(Array.from({ length: count }, (_, nth) => work(nth % 2 === 0 ? one : two, nth)));
    }

    async function member(points: number): Promise<string> {
      const id = one.services.chance.uuid();
      const { memberId } = await one.members.enrol(LOYALTY_KEY, {
        identity: { platformId: id },
        personal: { name: "Иван" },
        isNative: true,
      });
      const found = await memberNamed(one, LOYALTY_KEY, memberId);
      if (points > 0 && found.kind === "found")
        await grantPoints(one, { key: LOYALTY_KEY, actor: "test" }, found.row, { points, reason: "test" });
      return memberId;
    }

    /** The points of the members, less their debts. */
    async function sum(ids: readonly string[]): Promise<number> {
      const rows = await two.store.read((db) => db.selectFrom("loyalty_accounts").selectAll().where("member_id", "in", ids).execute());
      return rows.reduce((total, { points, debt_points: debt }) => total + points - debt, 0);
    }

    async function card(name: string, kopecks: number) {
      await one.giftCards.issue(LOYALTY_KEY, name, kopecks);
      return { cardId: (await two.giftCards.find(LOYALTY_KEY, name))?.id ?? "", name, kopecks: 10_000 };
    }

    async function taken(name: string) {
      const found = await one.giftCards.find(LOYALTY_KEY, name);
      const rows = await one.store.read((db) =>
        db
          .selectFrom("loyalty_gift_entries")
          .select("kopecks")
          .where("card_id", "=", found?.id ?? "")
          .where("kind", "=", "spend")
          .execute(),
      );
      return { balanceKopecks: found?.balanceKopecks, taken: rows.reduce((total, { kopecks }) => total + kopecks, 0) };
    }
  });
}

/** Runs `meet` after the first answer whose rows have the column. */
class MeetingPlugin implements KyselyPlugin {
  readonly #column: string;
  readonly #meet: () => Promise<void>;
  #hasMet = false;

  constructor(column: string, meet: () => Promise<void>) {
    this.#column = column;
    this.#meet = meet;
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const [row] = result.rows;
    if (!this.#hasMet && row !== undefined && this.#column in row) {
      this.#hasMet = true;
      await this.#meet();
    }
    return result;
  }
}

function newcomer(platformId: string, phone: string) {
  return { identity: { platformId, phone, card: "C 1" }, personal: { name: "Иван", phone, card: "C 1" }, isNative: true };
}

function servicesOf(bench: LoyaltyBench) {
  return { ...bench.services, programmes: bench.programmes };
}

function order(documentId: string, discountedKopecks: number): Omit<OrderCall, "buyer"> {
  const lines = [{ ...LINE, discountedKopecks }];
  return { account: ACCOUNT, storeId: LOYALTY_STORE, documentId, name: documentId, moment: "2026-11-29 11:00:00", lines };
}

/** A sale of ten pieces at 100 roubles, partly paid with points. */
function sale(documentId: string, memberId: string | undefined, { spent = 0, earned = 0 } = {}): SaleCall {
  const buyer = memberId === undefined ? {} : { buyer: { platformId: memberId } };
  return { ...order(documentId, 10_000 - spent * 10), ...buyer, spent, earned, giftCards: [] };
}

function returnOf(documentId: string, saleId: string, discountedKopecks = 10_000): ReturnCall {
  return { ...order(documentId, discountedKopecks), saleId };
}
