import { verifyLedger } from "../../src/loyalty/ledger/verify.ts";
import { eraseMember } from "../../src/loyalty/members/erase.ts";
import { mergeMembers, undoMerge } from "../../src/loyalty/transfers/merge.ts";
import { memberNamed } from "../../src/operator/loyalty/find-member.ts";
import { grantPoints } from "../../src/operator/loyalty/grant-points.ts";
import { LOYALTY_KEY, LoyaltyBench } from "./loyalty-bench.ts";
import { agent, BUYER, LoyaltyContract, position, recalc, returned, sale, sold } from "./loyalty-contract.ts";

/** A member besides the usual buyer. */
export const OTHER = "c0ffee00-aaaa-4bbb-8ccc-000000000001";

interface Sold {
  by?: string;
  spend?: number;
  earn?: number;
  /** Further members of the body. */
  changes?: object;
}

/** A till that sends receipts to the contract. Its methods are named as tests of attacks need them: sell, return, ask for the balance. */
export class LoyaltyTill {
  readonly bench: LoyaltyBench;
  readonly contract: LoyaltyContract;

  private constructor(bench: LoyaltyBench, contract: LoyaltyContract) {
    this.bench = bench;
    this.contract = contract;
  }

  /** A till of an account whose usual buyer is a member. */
  static async open(programme: object = {}): Promise<LoyaltyTill> {
    const bench = await LoyaltyBench.open();
    const till = new LoyaltyTill(bench, await LoyaltyContract.open(bench));
    await bench.programme(programme);
    await till.contract.enrol();
    return till;
  }

  enrolOther(): Promise<void> {
    return this.contract.enrol({ meta: { href: "", id: OTHER }, name: "Пётр", phone: "+79990000001", discountCardNumber: "777" });
  }

  /** Returns the status of the answer. */
  async sell(id: string, positions: readonly object[], { by = BUYER, spend = 0, earn = 0, changes = {} }: Sold = {}): Promise<number> {
    const bonusProgram = { bonusValueToSpend: spend, bonusValueToEarn: earn };
    const { status } = await this.contract.post("/retaildemand", sale(id, { ...agent(by), positions, bonusProgram, ...changes }));
    return status;
  }

  async bringBack(id: string, saleId: string | undefined, positions: readonly object[], changes: object = {}): Promise<number> {
    const { status } = await this.contract.post("/retailsalesreturn", returned(id, saleId, { positions, ...changes }));
    return status;
  }

  /** The bonus part of the answer, and the prices. Some time passes, as it does between a quote and its sale. */
  async quote(positions: readonly object[], { by = BUYER, spend }: { by?: string; spend?: number | "most" } = {}) {
    const wish = typeof spend === "number" ? { preferredBonusToSpend: spend } : {};
    const bonusProgram = { transactionType: spend === undefined ? "EARNING" : "SPENDING" };
    const { body } = await this.contract.post("/retaildemand/recalc", recalc({ ...agent(by), positions, bonusProgram, ...wish }));
    await this.bench.clock.advance(1_000);
    return {
      spend: Number(body.bonusProgram.bonusValueToSpend),
      earn: Number(body.bonusProgram.bonusValueToEarn),
      prices: (body.positions as { discountedPrice: number }[]).map(({ discountedPrice }) => discountedPrice),
    };
  }

  /** The points that can be spent. The ledger must be consistent. */
  async balance(by = BUYER): Promise<number> {
    const { findings } = await verifyLedger(this.bench.store);
    if (findings.length > 0) throw new Error(JSON.stringify(findings));
    return this.contract.balance(by);
  }

  async account(by = BUYER) {
    const { id } = await this.member(by);
    return this.bench.store.read((db) =>
      db.selectFrom("loyalty_accounts").selectAll().where("member_id", "=", id).executeTakeFirstOrThrow(),
    );
  }

  async member(by = BUYER) {
    const found = await memberNamed(this.bench, LOYALTY_KEY, by);
    if (found.kind !== "found") throw new Error(found.kind);
    return found.row;
  }

  async grant(points: number, by = BUYER): Promise<void> {
    await grantPoints(this.bench, { key: LOYALTY_KEY, actor: "test" }, await this.member(by), { points, reason: "test" });
  }

  /** Merges the usual buyer into the other member. The result is needed to undo the merge. */
  async merge(): Promise<{ keptId: string; goneId: string }> {
    const ids = { keptId: (await this.member(OTHER)).id, goneId: (await this.member()).id };
    const result = await mergeMembers(this.#services(), LOYALTY_KEY, ids, "test");
    if (result.kind !== "merged") throw new Error(result.kind);
    return ids;
  }

  async undoMerge(ids: { keptId: string; goneId: string }): Promise<string> {
    return (await undoMerge(this.#services(), LOYALTY_KEY, ids, "test")).kind;
  }

  async erase(by = BUYER): Promise<void> {
    await eraseMember(this.bench.services, LOYALTY_KEY, (await this.member(by)).id);
  }

  #services() {
    return { ...this.bench.services, programmes: this.bench.programmes };
  }
}

/** The n-th line of goods, as sales and returns state it. */
export function goods(nth: number, quantity: number, price: number, discountedPrice = price): object {
  return { ...sold(quantity, price, discountedPrice), ...productOf(nth) };
}

/** The same line as recalc states it. */
export function asked(nth: number, quantity: number, price: number): object {
  return { ...position(quantity, price), ...productOf(nth) };
}

export function productId(nth: number): string {
  return `aa01b2c3-d4e5-46f7-8899-${String(nth).padStart(12, "0")}`;
}

function productOf(nth: number): object {
  return { assortment: { meta: { href: "", id: productId(nth) } } };
}
