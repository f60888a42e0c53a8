import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { LoyaltyStore } from "../../src/loyalty/services.ts";
import { LoyaltyUpkeep } from "../../src/loyalty/upkeep.ts";
import { LOYALTY_KEY, LOYALTY_STORE, LoyaltyBench } from "../support/loyalty-bench.ts";

const DAY_MS = 86_400_000;
const NAMES = ["one", "two", "three"];
const GOODS = { productId: "goods", quantityMillionths: 1_000_000, priceKopecks: 10_000, discountedKopecks: 10_000 };

describe("upkeep", () => {
  let bench: LoyaltyBench;

  beforeEach(async () => {
    bench = await LoyaltyBench.open();
    onTestFinished(() => bench.store.close());
    await bench.programme({ expiry: { kind: "days", days: 1 } });
    for (const [at, platformId] of NAMES.entries()) {
      const phone = `+790300000${at}0`;
      await bench.members.enrol(LOYALTY_KEY, { identity: { platformId, phone }, personal: { name: "Анна", phone }, isNative: true });
      await bench.orders.sale(saleOf(`sale-${at}`, platformId));
    }
    await bench.clock.advance(3 * DAY_MS);
  });

  const documentOf = (documentId: string) => ({
    ...{ account: bench.account, storeId: LOYALTY_STORE, documentId, name: documentId },
    ...{ moment: "2026-11-29 12:00:00", lines: [GOODS] },
  });
  const saleOf = (documentId: string, platformId: string) => ({
    ...documentOf(documentId),
    ...{ buyer: { platformId }, spent: 0, earned: 5, giftCards: [] },
  });
  const returnOf = (documentId: string) => ({ ...documentOf(documentId), saleId: `sale of ${documentId}` });
  const points = () => bench.store.read((db) => db.selectFrom("loyalty_accounts").select("points").execute());

  it("writes what is over of every member", async () => {
    expect(await bench.upkeep.run()).toMatchObject({ members: NAMES.length });
    expect(await points()).toEqual(NAMES.map(() => ({ points: 0 })));
  });

  it("goes on with the others when the rows of one member are incomplete, and says whose", async () => {
    const [first] = await bench.store.read((db) => db.selectFrom("loyalty_lots").select("member_id").orderBy("member_id").execute());
    const memberId = first?.member_id ?? "";
    await bench.store.commit((tx) => tx.deleteFrom("loyalty_accounts").where("member_id", "=", memberId).execute());
    expect(await bench.upkeep.run()).toMatchObject({ members: NAMES.length - 1 });
    expect(await points()).toEqual([{ points: 0 }, { points: 0 }]);
    const errors = bench.lines.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ values: { member: memberId }, text: "a member's ledger could not be brought up to date" }]);
  });

  async function commitsOfARound(): Promise<number> {
    let commits = 0;
    const store: LoyaltyStore = {
      read: (work) => bench.store.read(work),
      commit(work, place) {
        commits += 1;
        return bench.store.commit(work, place);
      },
    };
    await new LoyaltyUpkeep({ ...bench.services, store, programmes: bench.programmes, codes: bench.codes }).run();
    return commits;
  }

  it("locks no account of which nothing is due, whatever lots a visit has prolonged", async () => {
    await bench.upkeep.run();
    await bench.programme({ expiry: { kind: "rolling", days: 10 } });
    for (const name of ["first", "second", "third"]) {
      await bench.orders.sale(saleOf(name, "one"));
      await bench.clock.advance(6 * DAY_MS);
    }
    const prolonged = await commitsOfARound();
    await bench.store.commit((tx) => tx.updateTable("loyalty_lots").set({ expires_at_ms: null }).execute());
    expect(prolonged).toBe(await commitsOfARound());
    expect((await points()).map((each) => each.points).toSorted()).toEqual([0, 0, 15]);
  });

  it("ends every return that waited too long, and counts only those that it has ended", async () => {
    for (let nth = 0; nth < 205; nth++) await bench.orders.takeReturn(returnOf(`return-${nth}`));
    await bench.clock.advance(2 * DAY_MS);
    expect(await bench.upkeep.run()).toMatchObject({ waiting: 205 });
    expect(await bench.upkeep.run()).toMatchObject({ waiting: 0 });
  });

  it("ends a round when the database is away", async () => {
    await bench.store.close();
    await expect(bench.upkeep.run()).rejects.toMatchObject({ code: "database-failed" });
  });
});
