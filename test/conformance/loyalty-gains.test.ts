import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OrderLine } from "../../src/loyalty/till-call.ts";
import { mergeMembers, undoMerge } from "../../src/loyalty/transfers/merge.ts";
import { LOYALTY_KEY, LOYALTY_STORE, LoyaltyBench } from "../support/loyalty-bench.ts";

const PIECE = 1_000_000;
const DAY_MS = 86_400_000;
const BUYER = "buyer";

describe("a buyer and a till that try to gain points", () => {
  let bench: LoyaltyBench;
  let documents = 0;

  beforeEach(async () => {
    bench = await LoyaltyBench.open();
  });

  afterEach(() => bench.store.close());

  it("keep no tier by a return that states the price of the product's cheap line", async () => {
    await withProgramme({ tiers: [{ name: "gold", fromKopecks: 100_000, window: "lifetime" }] });
    const sale = await sell([line("tea", 100_000), line("tea", 1)]);
    await bringBack(sale, [line("tea", 1), line("tea", 1)]);
    expect(await paidBack()).toEqual([100_001]);
    await bench.clock.advance(400 * DAY_MS);
    await bench.upkeep.run();
    expect(await account()).toMatchObject({ tier: null });
  });

  it("keep no money for a tier by returns of parts that are worth less than half a kopeck", async () => {
    await withProgramme({});
    const parts = Array.from({ length: 500 }, () => line("tobacco", 400, 400, 1_000));
    const sale = await sell([line("tobacco", 400)]);
    await bringBack(sale, parts);
    await bringBack(sale, parts);
    expect(await paidBack()).toEqual([200, 200]);
  });

  it.each([
    ["undone", ["merge", "undo"]],
    ["undone and repeated", ["merge", "undo", "merge"]],
    ["undone twice", ["merge", "undo", "merge", "undo"]],
  ])("keep no pending points of a returned sale after a merge that was %s", async (_, deeds) => {
    await withProgramme({ activation: { kind: "days", days: 14 }, returns: { debt: "forget" } });
    const { memberId: keptId } = await enrol("kept");
    const sale = await sell([line("tea", 200_000)], 100);
    const ids = { keptId, goneId: (await account()).member_id };
    const services = { ...bench.services, programmes: bench.programmes };
    for (const deed of deeds) await (deed === "merge" ? mergeMembers : undoMerge)(services, LOYALTY_KEY, ids, "test");
    await bringBack(sale, [line("tea", 200_000)]);
    expect((await accounts()).map(({ points }) => points)).toEqual([0, 0]);
  });

  it("keep no points of goods that were returned in many lines of a kopeck with a small factor", async () => {
    const rules = [{ id: "less", effect: "multiplier", value: 0.4, when: { products: ["gum"] } }];
    await withProgramme({ pointValueKopecks: 1, earnPercent: 100, rules });
    const gum = Array.from({ length: 500 }, () => line("gum", 1));
    const sale = await sell([...gum, line("tea", 1)], 201);
    expect(await account()).toMatchObject({ points: 201 });
    await bringBack(sale, gum);
    expect(await account()).toMatchObject({ points: 1 });
  });

  it("keep no points that a rule has added to many returned lines", async () => {
    const when = { products: ["gum"] };
    const rules = [
      { id: "more", effect: "points", value: 500, when },
      { id: "none", effect: "multiplier", value: 0, when },
    ];
    const tiers = [{ name: "gold", fromKopecks: 0, window: "lifetime", multiplier: 100 }];
    await withProgramme({ pointValueKopecks: 1, earnPercent: 100, rules, tiers });
    await sell([line("tea", 1)]);
    const gum = Array.from({ length: 999 }, () => line("gum", 1));
    const sale = await sell([...gum, line("tea", 1)], 600);
    await bringBack(sale, gum);
    expect(await account()).toMatchObject({ points: 100 });
  });

  it("earn no points for ten kopecks that were not paid, in any number of small receipts", async () => {
    await withProgramme({ pointValueKopecks: 1, earnPercent: 100 });
    for (let receipt = 0; receipt < 10; receipt += 1) await sell([line("gum", 11, 1)], 11);
    expect(await account()).toMatchObject({ points: 10 });
  });

  async function withProgramme(content: object): Promise<void> {
    await bench.programme(content);
    await enrol(BUYER);
  }

  function enrol(platformId: string) {
    return bench.members.enrol(LOYALTY_KEY, { identity: { platformId }, personal: { name: platformId }, isNative: true });
  }

  async function sell(lines: readonly OrderLine[], earned = 0): Promise<string> {
    const sale = { ...document(), lines, buyer: { platformId: BUYER }, spent: 0, earned, giftCards: [] };
    expect(await bench.orders.sale(sale)).toMatchObject({ kind: "taken" });
    return sale.documentId;
  }

  async function bringBack(saleId: string, lines: readonly OrderLine[]): Promise<void> {
    expect(await bench.orders.takeReturn({ ...document(), lines, saleId })).toMatchObject({ kind: "taken" });
  }

  function document() {
    documents += 1;
    const documentId = `document-${documents}`;
    return { account: bench.account, storeId: LOYALTY_STORE, documentId, name: documentId, moment: "2026-11-29 11:00:00" };
  }

  async function accounts() {
    return bench.store.read((db) => db.selectFrom("loyalty_accounts").selectAll().execute());
  }

  async function account() {
    const member = await bench.members.find(LOYALTY_KEY, { platformId: BUYER });
    const found = (await accounts()).find(({ member_id: id }) => id === member?.id);
    if (found === undefined) throw new Error("the buyer has no account");
    return found;
  }

  async function paidBack(): Promise<number[]> {
    const rows = await bench.store.read((db) =>
      db.selectFrom("loyalty_orders").select("paid_kopecks").where("type", "=", "return").orderBy("id").execute(),
    );
    return rows.map((row) => row.paid_kopecks);
  }
});

function line(productId: string, priceKopecks: number, discountedKopecks = priceKopecks, quantityMillionths = PIECE): OrderLine {
  return { productId, priceKopecks, discountedKopecks, quantityMillionths };
}
