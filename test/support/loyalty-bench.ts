import { systemChance } from "../../src/kernel/clock.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { Codes } from "../../src/loyalty/codes/codes.ts";
import { LoyaltyKeys, type TillAccount } from "../../src/loyalty/connection/keys.ts";
import { GiftCards } from "../../src/loyalty/gift-cards/gift-cards.ts";
import { KeptQuotes } from "../../src/loyalty/kept-quotes/kept-quotes.ts";
import { Loyalty } from "../../src/loyalty/loyalty.ts";
import { Members } from "../../src/loyalty/members/members.ts";
import { Orders } from "../../src/loyalty/orders/orders.ts";
import { Programmes } from "../../src/loyalty/programme-versions/programmes.ts";
import type { LoyaltyServices } from "../../src/loyalty/services.ts";
import { LoyaltyUpkeep } from "../../src/loyalty/upkeep.ts";
import type { CodeMessage, Delivery, MessageChannel } from "../../src/messages/channel.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import { openMemoryStore } from "./memory-store.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** One seal for all tests: making one takes 50 ms, and the tests need no secret of their own. */
const SEAL = createSeal(new Secret("a secret of the loyalty tests"));
export const LOYALTY_KEY = { appId: "00000000-0000-4000-8000-000000000001", accountId: "11111111-0000-4000-8000-000000000001" };
export const LOYALTY_STORE = "22222222-0000-4000-8000-000000000001";
/** A Sunday at noon in Moscow. */
export const LOYALTY_START_MS = Date.parse("2026-11-29T09:00:00Z");

interface BenchOptions {
  store?: Store;
  clock?: VirtualClock;
  /** The channels for codes. By default there is one that keeps its messages. */
  channels?: readonly MessageChannel[];
}

/** One process with the loyalty programmes of an account, without HTTP, on a clock that the test moves. */
export class LoyaltyBench {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly services: LoyaltyServices;
  readonly keys: LoyaltyKeys;
  readonly members: Members;
  readonly programmes: Programmes;
  readonly quotes: KeptQuotes;
  readonly orders: Orders;
  readonly giftCards: GiftCards;
  readonly codes: Codes;
  readonly upkeep: LoyaltyUpkeep;
  readonly loyalty: Loyalty;
  readonly messages: CodeMessage[] = [];
  readonly anomalies: string[] = [];
  readonly lines: { level: string; text: string; values: Record<string, unknown> }[] = [];
  /** How the channel answers. */
  delivery: Delivery = { kind: "sent" };
  folders = new Map<string, readonly string[]>();
  service: TillAccount["service"] = "on";

  static async open(options: BenchOptions = {}): Promise<LoyaltyBench> {
    const store = options.store ?? (await openMemoryStore());
    return new LoyaltyBench(options, store);
  }

  private constructor(options: BenchOptions, store: Store) {
    this.store = store;
    this.clock = options.clock ?? new VirtualClock(LOYALTY_START_MS);
    const write = (level: string) => (values: Record<string, unknown>, text: string) => void this.lines.push({ level, text, values });
    this.services = {
      store,
      clock: this.clock,
      chance: systemChance,
      log: { trace: write("trace"), debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
      seal: SEAL,
      zoneOf: async () => "Europe/Moscow",
      foldersOf: async () => this.folders,
      observe: { points: () => {}, anomaly: (kind) => void this.anomalies.push(kind) },
    };
    const channel: MessageChannel = {
      name: "kept",
      send: async (message) => {
        this.messages.push(message);
        return this.delivery;
      },
      problem: async () => undefined,
      close() {},
    };
    const channels = options.channels ?? [channel];
    this.keys = new LoyaltyKeys(this.services);
    this.members = new Members(this.services);
    this.programmes = new Programmes(this.services, channels.length > 0);
    this.quotes = new KeptQuotes(this.services);
    this.giftCards = new GiftCards(this.services);
    this.codes = new Codes({ ...this.services, channels });
    const { members, programmes, quotes, giftCards, codes } = this;
    this.orders = new Orders({ ...this.services, programmes, members, quotes, giftCards });
    this.upkeep = new LoyaltyUpkeep({ ...this.services, programmes, codes });
    this.loyalty = new Loyalty(this.services, { members, programmes, orders: this.orders, codes, giftCards, quotes });
  }

  get account(): TillAccount {
    return { key: LOYALTY_KEY, service: this.service };
  }

  /** Sets a programme, which must be valid. */
  async programme(content: object): Promise<void> {
    const result = await this.programmes.set(LOYALTY_KEY, JSON.stringify(content), "test");
    if (result.kind === "refused") throw new Error(`${result.place} ${result.reason}`);
  }
}
