import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
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

  it("locks no account of which nothing is due, whatever lots a visit has prolonged", async () => {
    await bench.upkeep.run();
    await bench.programme({ expiry: { kind: "rolling", days: 10 } });
    for (const name of ["first", "second", "third"]) {
      await bench.orders.sale(saleOf(name, "one"));
      await bench.clock.advance(6 * DAY_MS);
    }
    const commit = vi.spyOn(bench.store, "commit");
    await bench.upkeep.run();
    const idle = commit.mock.calls.length;
    await bench.store.commit((tx) => tx.updateTable("loyalty_lots").set({ expires_at_ms: null }).execute());
    commit.mockClear();
    await bench.upkeep.run();
    expect(idle).toBe(commit.mock.calls.length);
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
