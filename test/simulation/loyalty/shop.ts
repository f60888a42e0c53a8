import { pause } from "../../../src/kernel/clock.ts";
import { wallTimeAt } from "../../../src/kernel/moment.ts";
import type { OrderLine } from "../../../src/loyalty/till-call.ts";
import type { SlowLine } from "../../support/slow-shares.ts";
import { cardOf, codeOf, enrolmentOf, grantOf, importOf, mergeOf, programmeOf, upkeepOf } from "./desk-operations.ts";
import { PERCENTS, PRODUCTS } from "./programme.ts";
import type { Receipt } from "./recount.ts";
import { ZONE } from "./server.ts";
import { KEY } from "./storage.ts";
import { otherContentOf, quoteOf, returnOf, type SaleOrder, saleOf, slowLines } from "./till-operations.ts";
import { DAYS_AWAY } from "./troubles.ts";
import type { LoyaltyWorld } from "./world.ts";

const DAY_MS = 86_400_000;
const LONGEST_PAUSE_MS = 15_000;
/** The longest time from the answer of recalc to the printed receipt. */
const LONGEST_SALE_MS = 4_000;
/** The largest number of codes for which a person asks in a row. */
const MOST_CODES = 7;
/** Pauses between two requests for a code, near the waits that the limits demand. */
const CODE_PAUSES_MS = [1_000, 61_000, 130_000] as const;

/** A printed sale, which can be sent again. */
interface Printed {
  receipt: Receipt;
  lines: readonly OrderLine[];
  moment: string;
  order: ReturnType<typeof saleOf>;
}

type Deed = "sell" | "takeBack" | "grant" | "upkeep" | "code" | "takeOver" | "enrol" | "merge" | "undo" | "issueCard" | "programme";

/** The deeds of a shop and their frequency. */
export interface Mix {
  /** The weight of each deed. */
  deeds: Readonly<Record<Deed, number>>;
  /** The share of sales for which the owner changes the programme between the quote and the sale. */
  changedBeforeSale: number;
  /** The number of sales that are remembered for returns. */
  remembered: number;
}

/** Every deed, so often that everything happens to each of a few buyers. */
export const EVERYTHING: Mix = {
  deeds: {
    sell: 40,
    takeBack: 25,
    grant: 7,
    upkeep: 6,
    code: 4,
    takeOver: 3,
    enrol: 3,
    merge: 4,
    undo: 3,
    issueCard: 3,
    programme: 2,
  },
  changedBeforeSale: 0.1,
  remembered: 8,
};

/** The trade of a shop, decided by chance: buyers at tills, and a person at a desk. */
export class Shop {
  readonly #world: LoyaltyWorld;
  readonly #names: string[] = [];
  readonly #printed: Printed[] = [];
  readonly #cards: string[] = [];
  readonly #merges: { keptId: string; goneId: string }[] = [];
  readonly #mix: Mix;
  readonly #dice: readonly Deed[];
  #count = 0;

  constructor(world: LoyaltyWorld, mix: Mix) {
    this.#world = world;
    this.#mix = mix;
    this.#dice = Object.entries(mix.deeds).flatMap(([deed, weight]) => Array<Deed>(weight).fill(deed as Deed));
  }

  /** Sets the programme and enrols the first members. */
  async open(members: number): Promise<void> {
    await this.#changeProgramme();
    for (let count = 0; count < members; count += 1) await this.#enrol();
  }

  /** Works as a till that makes so many operations, one after the other. */
  async work(operations: number): Promise<void> {
    const { chance, clock, troubles } = this.#world;
    for (let count = 0; count < operations; count += 1) {
      await this.act();
      await pause(clock, chance.below(LONGEST_PAUSE_MS));
      if (chance.happens(troubles.daysPass)) clock.jumpTo(clock.nowMs() + chance.pick(DAYS_AWAY) * DAY_MS + chance.below(DAY_MS));
    }
  }

  /** Works as a till until it is told to end. */
  async workUntil(enough: () => boolean): Promise<void> {
    while (!enough()) await this.work(1);
  }

  /** Does one deed. */
  act(): Promise<void> {
    const deed = this.#world.chance.pick(this.#dice);
    switch (deed) {
      case "sell":
        return this.#sell();
      case "takeBack":
        return this.#takeBack();
      case "grant":
        return this.#grant();
      case "upkeep":
        return this.upkeep();
      case "code":
        return this.#askForCodes();
      case "takeOver":
        return this.#takeOver();
      case "enrol":
        return this.#enrol();
      case "merge":
        return this.#merge();
      case "undo":
        return this.#undo();
      case "issueCard":
        return this.#issueCard();
      case "programme":
        return this.#changeProgramme();
    }
  }

  /** Writes the entries that follow from dates. */
  async upkeep(): Promise<void> {
    await this.#world.carryOut(upkeepOf(this.#world.recount));
  }

  /** Sends the newest printed sales once more. Nothing may change. */
  async sendAgain(): Promise<void> {
    for (const { order } of this.#printed.slice(-EVERYTHING.remembered)) await this.#world.carryOut(order);
  }

  async #sell(): Promise<void> {
    const { chance, recount, clock, troubles } = this.#world;
    const name = this.#somebody();
    const goods = Array.from({ length: 1 + chance.below(3) }, () => {
      const quantityMillionths = chance.happens(0.7) ? (1 + chance.below(5)) * 1_000_000 : 1_000 * (1 + chance.below(4_000));
      return { productId: chance.pick(PRODUCTS), quantityMillionths, priceKopecks: 1 + chance.below(60_000) };
    });
    const quoting = quoteOf(recount, name, goods, chance.pick([0, 0, 3, 20, 100, 1_000]));
    const { quote, kept } = await this.#world.carryOut(quoting);
    if (chance.happens(this.#mix.changedBeforeSale)) await this.#changeProgramme();
    await pause(clock, chance.below(LONGEST_SALE_MS));
    const id = this.#document("sale");
    const lines = quote.lines.map(({ productId, quantityMillionths, priceKopecks, discountedPriceKopecks }) => {
      return { productId, quantityMillionths, priceKopecks, discountedKopecks: discountedPriceKopecks };
    });
    const slow = slowLines(quote.lines);
    const cards =
      chance.happens(0.15) && this.#cards.length > 0 ? [{ name: chance.pick(this.#cards), kopecks: 1 + chance.below(40_000) }] : [];
    const soldAtMs = Math.floor(clock.nowMs() / 1_000) * 1_000;
    const receipt: Receipt = { id, memberName: name, lines: slow, spent: quote.spendPoints, earned: quote.earnPoints, soldAtMs, cards };
    const moment = wallTimeAt(soldAtMs, ZONE);
    if (chance.happens(0.06)) await this.#bringBack(id, slow);
    // The server may have kept another quote when the till asked twice, or when a failing database did not store the
    // quote.
    const isSure = troubles.lostAnswer + troubles.doubled + troubles.server.commitFailure === 0;
    const order = saleOf(recount, { receipt, lines, moment, cards: await this.#paidBy(cards), kept: isSure ? kept : undefined });
    await this.#world.carryOut(order);
    this.#printed.push({ receipt, lines, moment, order });
    if (this.#printed.length > this.#mix.remembered) this.#printed.shift();
    if (chance.happens(troubles.repeated)) await this.#world.carryOut(order);
    if (chance.happens(troubles.otherContent)) await this.#world.carryOut(otherContentOf(receipt, lines, moment));
  }

  async #paidBy(cards: Receipt["cards"]): Promise<SaleOrder["cards"]> {
    const { store } = this.#world.storage;
    const paid: { cardId: string; name: string; kopecks: number }[] = [];
    for (const { name, kopecks } of cards) {
      const { appId, accountId } = KEY;
      const { id } = await store.read((db) =>
        db
          .selectFrom("loyalty_gift_cards")
          .select("id")
          .where("account_id", "=", accountId)
          .where("app_id", "=", appId)
          .where("name", "=", name)
          .executeTakeFirstOrThrow(),
      );
      paid.push({ cardId: id, name, kopecks });
    }
    return paid;
  }

  async #takeBack(): Promise<void> {
    const { chance } = this.#world;
    if (this.#printed.length === 0) return;
    const { receipt } = chance.pick(this.#printed);
    await this.#bringBack(receipt.id, receipt.lines);
  }

  /** Returns some lines of a sale, whole or in part. Sometimes the price differs, or the goods were never sold. */
  async #bringBack(saleId: string, lines: readonly SlowLine[]): Promise<void> {
    const { chance, clock, recount, troubles } = this.#world;
    const chosen = lines.filter(() => chance.happens(0.6));
    const part = (chosen.length === 0 ? lines.slice(0, 1) : chosen).map((line) => {
      const pieces = Math.floor(line.quantityMillionths / 1_000_000);
      const quantityMillionths = pieces > 1 && chance.happens(0.6) ? (1 + chance.below(pieces)) * 1_000_000 : line.quantityMillionths;
      const discountedKopecks = chance.happens(0.1) ? line.discountedKopecks + 1 : line.discountedKopecks;
      const isForeign = chance.happens(0.03);
      // A till may refund nothing for goods that the sale did not have.
      if (isForeign) return { ...line, quantityMillionths, discountedKopecks: chance.pick([0, discountedKopecks]), productId: "foreign" };
      return { ...line, quantityMillionths, discountedKopecks };
    });
    const back = { id: this.#document("return"), saleId, lines: part };
    const returning = returnOf(recount, back, wallTimeAt(clock.nowMs(), ZONE));
    await this.#world.carryOut(returning);
    if (chance.happens(troubles.repeated)) await this.#world.carryOut(returning);
  }

  async #grant(): Promise<void> {
    const { chance, recount } = this.#world;
    const points = chance.happens(0.25) ? -1 - chance.below(100) : 1 + chance.below(300);
    await this.#world.carryOut(grantOf(recount, this.#somebody(), points, this.#document("grant")));
  }

  /** Asks for codes. After a refusal the person asks again, sooner or later. */
  async #askForCodes(): Promise<void> {
    const { chance, clock, recount } = this.#world;
    const asking = codeOf(recount, this.#somebody());
    for (let count = 1 + chance.below(MOST_CODES); count > 0; count -= 1) {
      await this.#world.carryOut(asking);
      await pause(clock, chance.pick(CODE_PAUSES_MS));
    }
  }

  /** Imports rows of old and new members, sometimes the same file again. */
  async #takeOver(): Promise<void> {
    const { chance, recount } = this.#world;
    const rows = Array.from({ length: 1 + chance.below(3) }, () => {
      const name = chance.happens(0.5) ? this.#somebody() : this.#document("member");
      return { key: this.#document("row"), name, points: chance.below(200), spentKopecks: chance.pick([0, 0, 100_000]) };
    });
    // Each name stands once in a file. A card or phone of a merged member leads to the kept member, who has another name.
    const fresh = rows.filter(({ name }, index) => rows.findIndex((row) => row.name === name) === index);
    const taking = importOf(recount, fresh);
    await this.#world.carryOut(taking);
    if (chance.happens(0.3)) await this.#world.carryOut(taking);
    // An import states no ids of the platform, by which tills name members. So new members are enrolled under such an id.
    for (const { name } of fresh) if (!this.#names.includes(name)) await this.#enrolAs(name);
  }

  async #enrol(): Promise<void> {
    const { chance } = this.#world;
    await this.#enrolAs(this.#names.length > 0 && chance.happens(0.2) ? this.#somebody() : this.#document("member"));
  }

  async #enrolAs(name: string): Promise<void> {
    await this.#world.carryOut(enrolmentOf(this.#world.recount, name));
    if (!this.#names.includes(name)) this.#names.push(name);
  }

  async #merge(): Promise<void> {
    const { recount } = this.#world;
    const ids = { keptId: recount.memberOf(this.#somebody()), goneId: recount.memberOf(this.#somebody()) };
    if (ids.keptId === ids.goneId) return;
    await this.#world.carryOut(mergeOf(recount, "merge", ids));
    this.#merges.push(ids);
  }

  async #undo(): Promise<void> {
    if (this.#merges.length === 0) return;
    await this.#world.carryOut(mergeOf(this.#world.recount, "undo", this.#world.chance.pick(this.#merges)));
  }

  async #issueCard(): Promise<void> {
    const { chance, recount } = this.#world;
    const name = this.#document("card");
    await this.#world.carryOut(cardOf(recount, name, 1_000 * (1 + chance.below(100))));
    this.#cards.push(name);
  }

  async #changeProgramme(): Promise<void> {
    const world = this.#world;
    await world.carryOut(programmeOf(world.recount, world.chance.pick(PERCENTS), () => world.programmeText));
  }

  #somebody(): string {
    return this.#world.chance.pick(this.#names);
  }

  #document(what: string): string {
    this.#count += 1;
    return `${what} ${this.#count}`;
  }
}
