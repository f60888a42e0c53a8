import type { Chance, Clock } from "../../../src/kernel/clock.ts";
import { type Log, silentLog } from "../../../src/kernel/log.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { Codes } from "../../../src/loyalty/codes/codes.ts";
import type { TillAccount } from "../../../src/loyalty/connection/keys.ts";
import { GiftCards } from "../../../src/loyalty/gift-cards/gift-cards.ts";
import { KeptQuotes } from "../../../src/loyalty/kept-quotes/kept-quotes.ts";
import type { QuoteRow } from "../../../src/loyalty/kept-quotes/quote-queries.ts";
import { Loyalty } from "../../../src/loyalty/loyalty.ts";
import { Members } from "../../../src/loyalty/members/members.ts";
import { Orders } from "../../../src/loyalty/orders/orders.ts";
import { Programmes } from "../../../src/loyalty/programme-versions/programmes.ts";
import type { LoyaltyServices, LoyaltyStore } from "../../../src/loyalty/services.ts";
import { LoyaltyUpkeep } from "../../../src/loyalty/upkeep.ts";
import type { MessageChannel } from "../../../src/messages/channel.ts";
import { createSeal } from "../../../src/security/seal.ts";
import type { Life } from "../life.ts";
import { KEY } from "./storage.ts";

/** One seal for all runs: making one takes 50 ms, and no run needs a secret of its own. */
export const SEAL = createSeal(new Secret("a secret of the simulated loyalty"));

export const STORE = "22222222-0000-4000-8000-000000000001";
export const ACCOUNT: TillAccount = { key: KEY, service: "on" };
export const ZONE = "Europe/Moscow";

export interface ServerParts {
  clock: Clock;
  store: LoyaltyStore;
  chance: Chance;
  /** Whether quotes are kept. */
  keepsQuotes: boolean;
  /** Whether the database runs outside the simulation, so that it may be slow or fail without the simulation's doing. */
  isDatabaseOutside: boolean;
}

/** One life of a process with the programme of an account, without HTTP. */
export interface LoyaltyServer {
  life: Life;
  clock: Clock;
  services: LoyaltyServices;
  members: Members;
  programmes: Programmes;
  quotes: KeptQuotes;
  orders: Orders;
  giftCards: GiftCards;
  codes: Codes;
  upkeep: LoyaltyUpkeep;
  loyalty: Loyalty;
  /** Why sales were quoted undiscounted, in the words of the log. */
  undiscounted: readonly string[];
  isDatabaseOutside: boolean;
}

export function loyaltyServer(life: Life, { clock, store, chance, keepsQuotes, isDatabaseOutside }: ServerParts): LoyaltyServer {
  const undiscounted: string[] = [];
  let lastError = "no error was logged";
  const log: Log = {
    ...silentLog,
    error(values, text) {
      lastError = `${text} ${JSON.stringify(values)}`;
    },
  };
  const services: LoyaltyServices = {
    store,
    clock,
    chance,
    log,
    seal: SEAL,
    zoneOf: async () => ZONE,
    foldersOf: async () => new Map(),
    observe: {
      points() {},
      anomaly(kind) {
        if (kind === "undiscounted") undiscounted.push(lastError);
      },
    },
  };
  const members = new Members(services);
  const programmes = new Programmes(services, true);
  const quotes = keepsQuotes ? new KeptQuotes(services) : new LostQuotes(services);
  const giftCards = new GiftCards(services);
  const codes = new Codes({ ...services, channels: [channel(life)] });
  const orders = new Orders({ ...services, programmes, members, quotes, giftCards });
  const upkeep = new LoyaltyUpkeep({ ...services, programmes, codes });
  const loyalty = new Loyalty(services, { members, programmes, orders, codes, giftCards, quotes });
  return {
    ...{ life, clock, services, members, programmes, quotes, orders, giftCards, codes, upkeep, loyalty },
    ...{ undiscounted, isDatabaseOutside },
  };
}

/** A channel that delivers every code at once. */
function channel(life: Life): MessageChannel {
  return {
    name: "simulated",
    send: () => life.pass("message", async () => ({ kind: "sent" })),
    problem: async () => undefined,
    close() {},
  };
}

/** Forgets every quote. */
class LostQuotes extends KeptQuotes {
  override keep(_row: QuoteRow): void {}
}
