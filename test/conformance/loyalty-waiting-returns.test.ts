import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accountOf } from "../../src/loyalty/ledger/ledger-queries.ts";
import { Orders } from "../../src/loyalty/orders/orders.ts";
import type { LoyaltyStore } from "../../src/loyalty/services.ts";
import type { OrderCall, ReturnCall, SaleCall } from "../../src/loyalty/till-call.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { LOYALTY_KEY, LOYALTY_STORE, LoyaltyBench } from "../support/loyalty-bench.ts";

const BUYER = "c0ffee00-aaaa-4bbb-8ccc-dddddddddddd";
const SALE = "the sale";
/** More than the transaction of a sale books. */
const RETURNS = 9;
const DAY_MS = 86_400_000;

for (const kind of DATABASE_KINDS)
  describeDatabase("returns that wait for one sale", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let bench: LoyaltyBench;
    let memberId: string;
    let names = 0;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });

    afterAll(() => database.drop());

    beforeEach(async () => {
      names += 1;
      bench = await LoyaltyBench.open({ store });
      const made = await bench.members.enrol(LOYALTY_KEY, {
        identity: { platformId: buyer() },
        personal: { name: "Иван" },
        isNative: true,
      });
      memberId = made.memberId;
    });

    it("are all booked, the oldest first, before the sale is answered", async () => {
      await returnsOfOnePiece(RETURNS + 2);
      await bench.orders.sale(sale(RETURNS));
      expect(await states()).toEqual([...Array<string>(RETURNS).fill("booked"), "nothing", "nothing"]);
      expect(bench.anomalies).toEqual(["returned-more", "returned-more"]);
      expect(await held()).toEqual({ points: 0, debt: 0, takenBack: RETURNS });
      const times = await entryOrders();
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    it("are booked a few at a time when they have many lines", async () => {
      await bench.orders.takeReturn(
        takeBack(
          "long",
          Array.from({ length: 300 }, () => piece(0.001)),
        ),
      );
      await bench.orders.takeReturn(takeBack("rest", [piece(0.7)]));
      const dying = ordersAfter(1);
      await dying.sale(sale(1));
      expect(await states()).toEqual(["waiting", "waiting"]);
      await bench.orders.sale(sale(1));
      expect(await states()).toEqual(["booked", "booked"]);
      expect(await held()).toMatchObject({ points: 0, debt: 0 });
    });

    describe("when the process dies between their commits", () => {
      beforeEach(async () => {
        await returnsOfOnePiece(RETURNS);
        // The sale and one more return.
        await ordersAfter(2).sale(sale(RETURNS));
        expect(bench.lines.map(({ text }) => text)).toContain("returns that have waited for their sale could not be booked yet");
        expect(await states()).toContain("waiting");
      });

      it("are booked when the till repeats the sale, and points spent in between are a debt", async () => {
        await bench.orders.sale({ ...sale(0, "another sale"), lines: [piece(1, 0)], spent: 2 });
        await bench.orders.sale(sale(RETURNS));
        expect(await states()).toEqual(Array<string>(RETURNS).fill("booked"));
        expect(await held()).toEqual({ points: 0, debt: 2, takenBack: RETURNS });
      });

      it("are booked by the upkeep of another process, also a day later, each once", async () => {
        const other = await LoyaltyBench.open({ store: await database.open() });
        await other.clock.advance(2 * DAY_MS);
        await Promise.all([other.upkeep.run(), bench.upkeep.run(), bench.orders.sale(sale(RETURNS))]);
        expect(await states()).toEqual(Array<string>(RETURNS).fill("booked"));
        expect(await held()).toEqual({ points: 0, debt: 0, takenBack: RETURNS });
      });

      it("are booked before a later return of the sale, which is then more than was sold", async () => {
        expect(await bench.orders.takeReturn(takeBack("late", [piece(1)]))).toEqual({ kind: "returned-more" });
        expect(await states()).toEqual(Array<string>(RETURNS).fill("booked"));
        expect(await held()).toEqual({ points: 0, debt: 0, takenBack: RETURNS });
      });
    });

    it("still end their wait after a day when the sale never comes", async () => {
      await returnsOfOnePiece(2);
      await bench.clock.advance(DAY_MS + 1);
      await bench.upkeep.run();
      expect(await states()).toEqual(["nothing", "nothing"]);
      await bench.orders.sale(sale(2));
      expect(await held()).toMatchObject({ points: 2, debt: 0 });
    });

    /** The orders of a process whose database fails after so many commits. */
    function ordersAfter(commits: number): Orders {
      let left = commits;
      const dying: LoyaltyStore = {
        read: (work) => store.read(work),
        commit: (work, what) => {
          left -= 1;
          return left >= 0 ? store.commit(work, what) : Promise.reject(new Error("the process has died"));
        },
      };
      const { services, programmes, members, quotes, giftCards } = bench;
      return new Orders({ ...services, store: dying, programmes, members, quotes, giftCards });
    }

    async function returnsOfOnePiece(count: number): Promise<void> {
      for (let nth = 0; nth < count; nth += 1) await bench.orders.takeReturn(takeBack(String(nth), [piece(1)]));
    }

    function order(documentId: string, lines: OrderCall["lines"]): OrderCall {
      const id = `${names}/${documentId}`;
      return { account: bench.account, storeId: LOYALTY_STORE, documentId: id, name: id, moment: "2026-11-29 11:00:00", lines };
    }

    function takeBack(documentId: string, lines: OrderCall["lines"]): ReturnCall {
      return { ...order(documentId, lines), saleId: `${names}/${SALE}` };
    }

    /** Each piece earns a point. */
    function sale(pieces: number, documentId = SALE): SaleCall {
      return {
        ...order(documentId, [piece(Math.max(1, pieces))]),
        buyer: { platformId: buyer() },
        spent: 0,
        earned: pieces,
        giftCards: [],
      };
    }

    function buyer(): string {
      return `${BUYER.slice(0, -4)}${String(names).padStart(4, "0")}`;
    }

    /** The states of the returns, in the order in which they came. */
    async function states(): Promise<string[]> {
      const rows = await store.read((db) =>
        db
          .selectFrom("loyalty_orders")
          .select("state")
          .where("type", "=", "return")
          .where("sale_key", "=", `${names}/${SALE}`)
          .orderBy("id")
          .execute(),
      );
      return rows.map(({ state }) => state);
    }

    async function entryOrders(): Promise<number[]> {
      const rows = await store.read((db) =>
        db
          .selectFrom("loyalty_entries")
          .select("order_id")
          .where("member_id", "=", memberId)
          .where("kind", "=", "EARN_REVERSAL")
          .orderBy("number")
          .execute(),
      );
      return rows.map(({ order_id }) => order_id ?? 0);
    }

    async function held(): Promise<{ points: number; debt: number; takenBack: number }> {
      const account = await store.read((db) => accountOf(db, memberId));
      return { points: account?.points ?? -1, debt: account?.debt_points ?? -1, takenBack: (await entryOrders()).length };
    }
  });

function piece(pieces: number, discountedKopecks = 10_000): OrderCall["lines"][number] {
  return { productId: "product", priceKopecks: 10_000, discountedKopecks, quantityMillionths: pieces * 1_000_000 };
}
