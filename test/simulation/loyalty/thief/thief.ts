import { verifyLedger } from "../../../../src/loyalty/ledger/verify.ts";
import type { OrderLine } from "../../../../src/loyalty/till-call.ts";
import { mergeMembers, undoMerge } from "../../../../src/loyalty/transfers/merge.ts";
import { memberNamed } from "../../../../src/operator/loyalty/find-member.ts";
import { grantPoints } from "../../../../src/operator/loyalty/grant-points.ts";
import { LOYALTY_KEY, LOYALTY_STORE, LoyaltyBench } from "../../../support/loyalty-bench.ts";
import { SeededChance } from "../../seeded-chance.ts";
import { anyProgramme, GOODS } from "./programme.ts";

const PIECE = 1_000_000;
const DAY_MS = 86_400_000;
const BUYERS = ["one", "two", "three"];
const PRICES = [1, 7, 100, 333, 10_000, 50_000];

/** A part of a line that was sold. A part of one piece is returned whole. */
interface SoldPieces extends OrderLine {
  leftMillionths: number;
}

/**
 * A till that lies about points and prices, as its seed says, with and without a quote. Meanwhile programmes change, and buyers are merged
 * and separated again. At the end everything that it has sold is returned, except what it has given away.
 */
export class Thief {
  readonly #chance: SeededChance;
  readonly #bench: LoyaltyBench;
  readonly #sales: { id: string; lines: SoldPieces[] }[] = [];
  readonly #merges: { keptId: string; goneId: string }[] = [];
  #documents = 0;
  #granted = 0;

  private constructor(seed: number, bench: LoyaltyBench) {
    this.#chance = new SeededChance(seed);
    this.#bench = bench;
  }

  /** Returns the points that are left, the points that were granted, and the findings of the ledger's check. */
  static async play(seed: number, deeds: number): Promise<{ left: number; granted: number; findings: readonly object[] }> {
    const bench = await LoyaltyBench.open();
    const thief = new Thief(seed, bench);
    for (const platformId of BUYERS)
      await bench.members.enrol(LOYALTY_KEY, { identity: { platformId }, personal: { name: platformId }, isNative: true });
    await bench.programme(anyProgramme(thief.#chance));
    for (let nth = 0; nth < deeds; nth += 1) await thief.#deed();
    while (thief.#sales.length > 0) await thief.#bringBack(true);
    const { findings } = await verifyLedger(bench.store);
    const accounts = await bench.store.read((db) => db.selectFrom("loyalty_accounts").select(["points", "debt_points"]).execute());
    await bench.store.close();
    return { left: accounts.reduce((sum, each) => sum + each.points - each.debt_points, 0), granted: thief.#granted, findings };
  }

  async #deed(): Promise<void> {
    const services = { ...this.#bench.services, programmes: this.#bench.programmes };
    switch (
      this.#chance.pick(["sell", "sell", "sell", "bring", "bring", "grant", "merge", "undo", "programme", "wait", "upkeep"] as const)
    ) {
      case "sell":
        return this.#sell();
      case "bring":
        return this.#sales.length === 0 ? undefined : this.#bringBack(this.#chance.happens(0.2));
      case "grant": {
        const points = 1 + this.#chance.below(300);
        this.#granted += points;
        await grantPoints(this.#bench, { key: LOYALTY_KEY, actor: "test" }, await this.#somebody(), { points, reason: "test" });
        return;
      }
      case "merge": {
        const ids = { keptId: (await this.#somebody()).id, goneId: (await this.#somebody()).id };
        if ((await mergeMembers(services, LOYALTY_KEY, ids, "test")).kind === "merged") this.#merges.push(ids);
        return;
      }
      case "undo":
        if (this.#merges.length > 0) await undoMerge(services, LOYALTY_KEY, this.#chance.pick(this.#merges), "test");
        return;
      case "programme":
        return this.#bench.programme(anyProgramme(this.#chance));
      case "wait":
        return this.#bench.clock.advance(1 + this.#chance.below(3) * DAY_MS);
      case "upkeep":
        await this.#bench.upkeep.run();
    }
  }

  async #sell(): Promise<void> {
    const { loyalty, quotes, orders, clock } = this.#bench;
    const chance = this.#chance;
    const goods = Array.from({ length: 1 + chance.below(4) }, () => {
      const quantityMillionths = chance.happens(0.2) ? 1_000 * (1 + chance.below(3_000)) : PIECE * (1 + chance.below(4));
      return { productId: chance.pick(GOODS), quantityMillionths, priceKopecks: chance.pick(PRICES) };
    });
    const buyer = { platformId: chance.pick(BUYERS) };
    const transactionType = chance.pick(["EARNING", "SPENDING"] as const);
    const quote = await loyalty.quote({ ...this.#place(), buyer, lines: goods, transactionType });
    if (chance.happens(0.3)) await quotes.flush();
    if (chance.happens(0.1)) await this.#bench.programme(anyProgramme(chance));
    await clock.advance(1 + chance.below(1_000));
    const lines = quote.lines.map(({ productId, quantityMillionths, priceKopecks, discountedPriceKopecks: price }) => {
      const discountedKopecks = chance.happens(0.1) ? chance.pick([0, chance.below(priceKopecks * 2 + 1)]) : price;
      return { productId, quantityMillionths, priceKopecks, discountedKopecks };
    });
    const isLying = chance.happens(0.3);
    const spent = isLying ? chance.below(500) : quote.spendPoints;
    const earned = isLying ? quote.earnPoints + chance.below(1_000) : quote.earnPoints;
    const sale = { ...this.#document("sale"), lines, buyer, spent, earned, giftCards: [] };
    await Promise.all(Array.from({ length: 1 + chance.below(2) }, () => orders.sale(sale)));
    // A line that was given for nothing has earned nothing, so it need not be returned. There are two exceptions: points were spent, which
    // may have paid for the line; or the product has another line, and the return of one may be counted for the other.
    const isOnly = ({ productId }: OrderLine) => lines.filter((line) => line.productId === productId).length === 1;
    const isKept = (line: OrderLine) => spent === 0 && line.discountedKopecks === 0 && isOnly(line);
    this.#sales.push({
      id: sale.documentId,
      lines: lines.map((line) => ({ ...line, leftMillionths: isKept(line) ? 0 : line.quantityMillionths })),
    });
  }

  /**
   * Returns a part of a sale, or with `all` the whole rest. Sometimes prices differ, or the return contains goods that were never sold,
   * without a price.
   */
  async #bringBack(all: boolean): Promise<void> {
    const chance = this.#chance;
    const sale = chance.pick(this.#sales);
    const lines = sale.lines.flatMap((line): OrderLine[] => {
      if (line.leftMillionths === 0 || (!all && chance.happens(0.4))) return [];
      const isWhole = all || line.quantityMillionths % PIECE > 0;
      const quantityMillionths = isWhole ? line.leftMillionths : PIECE * (1 + chance.below(line.leftMillionths / PIECE));
      line.leftMillionths -= quantityMillionths;
      const { productId, priceKopecks } = line;
      const discountedKopecks = chance.happens(0.3) ? chance.below(priceKopecks + 1) : line.discountedKopecks;
      return [{ productId, quantityMillionths, priceKopecks, discountedKopecks }];
    });
    if (chance.happens(0.2)) lines.push({ productId: "strange", quantityMillionths: PIECE, priceKopecks: 0, discountedKopecks: 0 });
    const result = await this.#bench.orders.takeReturn({ ...this.#document("return"), lines, saleId: sale.id });
    if (result.kind !== "taken") throw new Error(`a return of ${sale.id} was ${result.kind}`);
    if (sale.lines.every(({ leftMillionths }) => leftMillionths === 0)) this.#sales.splice(this.#sales.indexOf(sale), 1);
  }

  async #somebody() {
    const found = await memberNamed(this.#bench, LOYALTY_KEY, this.#chance.pick(BUYERS));
    if (found.kind !== "found") throw new Error(found.kind);
    return found.row;
  }

  #place() {
    return { account: this.#bench.account, storeId: LOYALTY_STORE };
  }

  #document(what: string) {
    this.#documents += 1;
    const documentId = `${what}-${this.#documents}`;
    return { ...this.#place(), documentId, name: documentId, moment: "2026-11-29 11:00:00" };
  }
}
