import { sql } from "kysely";
import { verifyLedger } from "../../../src/loyalty/ledger/verify.ts";
import { phoneOf } from "./desk-operations.ts";
import { seenBy } from "./mutation.ts";
import { broken } from "./recount.ts";
import { ACCOUNT } from "./server.ts";
import type { LoyaltyWorld } from "./world.ts";

/**
 * Alterations of one row by hand. Some are noticed by a hash, some by a sum, some by another row. `number = 1` is in every
 * ledger that has entries.
 */
const ALTERATIONS: readonly { table: string; set: string; where: string }[] = [
  { table: "loyalty_entries", set: "actor = 'somebody'", where: "number = 1" },
  { table: "loyalty_entries", set: "at_ms = at_ms + 1", where: "number = 1" },
  { table: "loyalty_entries", set: "points = points + 1", where: "number = 1" },
  { table: "loyalty_lots", set: "remaining = remaining - 1", where: "remaining > 0" },
  { table: "loyalty_accounts", set: "debt_points = debt_points + 1", where: "entry_number > 0" },
];

/** What must hold of the stored ledger, whatever went wrong. Each promise has a name. */
export class LoyaltyInvariants {
  readonly #world: LoyaltyWorld;

  constructor(world: LoyaltyWorld) {
    this.#world = world;
  }

  /** What must hold whenever no work is under way in the database. */
  async check(): Promise<void> {
    await this.#equalTheRecount();
    await this.#cardsAreRight();
    await this.#documentsAreStoredOnce();
    await this.#pointsComeFromSomewhere();
    await this.#verifies();
  }

  /** What must hold when everybody was answered and nothing goes wrong any more. */
  async checkAtTheEnd(): Promise<void> {
    await this.check();
    await this.#toldBalances();
    await this.#alteredRowIsFound();
  }

  /** Every account must be, lot by lot, what the slow model has counted from the operations. */
  async #equalTheRecount(): Promise<void> {
    const { recount, storage, clock } = this.#world;
    const nowMs = clock.nowMs();
    const { db } = storage.store;
    const lots = Map.groupBy(await db.selectFrom("loyalty_lots").selectAll().execute(), (lot) => lot.member_id);
    const accounts = await db.selectFrom("loyalty_accounts").selectAll().execute();
    if (accounts.length !== recount.members.size)
      throw broken("members-stay", `${accounts.length} accounts of ${recount.members.size} members`);
    for (const account of accounts) {
      const own = lots.get(account.member_id) ?? [];
      const alive = own.filter(({ remaining, expires_at_ms: end }) => remaining > 0 && (end ?? Number.POSITIVE_INFINITY) > nowMs);
      const stored = {
        debt: account.debt_points,
        lots: alive.map(({ remaining, expires_at_ms: end }) => `${remaining} ${end ?? undefined}`).sort(),
        tier: account.tier ?? undefined,
        reviewMs: account.tier_review_at_ms ?? undefined,
      };
      const { debt, lots: counted } = recount.model.standing(account.member_id, nowMs);
      const { tier, reviewMs } = recount.model.tierOf(account.member_id);
      const expected = { debt, lots: counted, tier, reviewMs };
      if (JSON.stringify(stored) !== JSON.stringify(expected))
        throw broken("equals-the-recount", `${account.member_id} has ${JSON.stringify(stored)}, not ${JSON.stringify(expected)}`);
      const sum = own.reduce((total, { remaining }) => total + remaining, 0);
      if (sum !== account.points) throw broken("sums-are-right", `${account.member_id} has ${account.points}, its lots ${sum}`);
    }
  }

  async #cardsAreRight(): Promise<void> {
    const cards = await this.#world.storage.store.db.selectFrom("loyalty_gift_cards").selectAll().execute();
    for (const { name, balance_kopecks: balance } of cards) {
      const expected = this.#world.recount.cards.get(name);
      if (balance !== expected) throw broken("cards-are-right", `${name} has ${balance}, not ${expected}`);
    }
  }

  async #documentsAreStoredOnce(): Promise<void> {
    const { recount, storage } = this.#world;
    const orders = await storage.store.db.selectFrom("loyalty_orders").select(["type", "document_key"]).execute();
    const keys = orders.filter(({ type }) => type !== "import").map(({ document_key }) => document_key);
    const expected = [...recount.sales, ...recount.returns];
    if (keys.sort().join() !== expected.sort().join()) throw broken("booked-once", `${keys.length} documents of ${expected.length}`);
  }

  /** No points are spent that were not credited before, and entries are numbered without a gap. */
  async #pointsComeFromSomewhere(): Promise<void> {
    const { db } = this.#world.storage.store;
    const entries = await db.selectFrom("loyalty_entries").select(["member_id", "number", "points", "kind"]).orderBy("number").execute();
    const accounts = await db.selectFrom("loyalty_accounts").selectAll().execute();
    const byMember = Map.groupBy(entries, ({ member_id: id }) => id);
    for (const { member_id: id, points, debt_points: debt, entry_number: newest } of accounts) {
      const own = byMember.get(id) ?? [];
      if (own.length !== newest || own.some(({ number }, index) => number !== index + 1))
        throw broken("numbers-have-no-gap", `${id} has ${own.length} entries and ${newest} as the newest`);
      // Repayments are left out of the sum, because the points of a debt were already subtracted when the debt was
      // made.
      const sum = own.filter(({ kind }) => kind !== "DEBT_REPAY").reduce((total, entry) => total + entry.points, 0);
      if (sum !== points - debt) throw broken("out-is-in", `${id} has ${points} and owes ${debt}, its entries make ${sum}`);
      if (points < 0 || debt < 0) throw broken("out-is-in", `${id} has ${points} and owes ${debt}`);
    }
  }

  async #verifies(): Promise<void> {
    const [finding] = await this.#findings();
    if (finding !== undefined) throw broken("verify-is-silent", JSON.stringify(finding));
  }

  async #findings() {
    return seenBy(this.#world.mutation, (await verifyLedger(this.#world.storage.store)).findings);
  }

  /** The balance that a register is told must be that of the recount. */
  async #toldBalances(): Promise<void> {
    const { recount, server, clock } = this.#world;
    for (const name of recount.members.keys()) {
      const told = await this.#world.wait(server?.loyalty.balance(ACCOUNT, { phone: phoneOf(name) }) ?? Promise.resolve(undefined));
      const { available } = recount.model.standing(recount.memberOf(name), clock.nowMs());
      if (told?.kind !== "balance" || told.points !== available)
        throw broken("balance-is-told", `${name} was told ${JSON.stringify(told)}, not ${available}`);
    }
  }

  /** Changes one row by hand. Verification must find the row. */
  async #alteredRowIsFound(): Promise<void> {
    const { chance, storage } = this.#world;
    const { table, set, where } = chance.pick(ALTERATIONS);
    const found = await sql<{
      member_id: string;
    }>`select member_id from ${sql.table(table)} where ${sql.raw(where)} order by member_id`.execute(storage.store.db);
    if (found.rows.length === 0) return;
    const { member_id: id } = chance.pick(found.rows);
    await sql`update ${sql.table(table)} set ${sql.raw(set)} where member_id = ${id} and ${sql.raw(where)}`.execute(storage.store.db);
    const findings = await this.#findings();
    if (!findings.some(({ row }) => row.includes(id))) throw broken("alterations-are-found", `${set} in ${table} of ${id} was not named`);
  }
}
