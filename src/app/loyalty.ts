import type { InstallationKey } from "../accounts/installation.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { present } from "../kernel/present.ts";
import type { Once } from "../kernel/rounds.ts";
import { Codes } from "../loyalty/codes/codes.ts";
import { LoyaltyConnections } from "../loyalty/connection/connections.ts";
import { LoyaltyKeys } from "../loyalty/connection/keys.ts";
import { GiftCards } from "../loyalty/gift-cards/gift-cards.ts";
import { KeptQuotes } from "../loyalty/kept-quotes/kept-quotes.ts";
import { Loyalty } from "../loyalty/loyalty.ts";
import { Members } from "../loyalty/members/members.ts";
import { Orders } from "../loyalty/orders/orders.ts";
import { Programmes } from "../loyalty/programme-versions/programmes.ts";
import type { LoyaltyServices } from "../loyalty/services.ts";
import { LoyaltyUpkeep } from "../loyalty/upkeep.ts";
import type { MessageChannel } from "../messages/channel.ts";
import { parseChannels } from "../messages/setting.ts";
import type { Store } from "../store/database.ts";
import { Leases } from "../store/lease.ts";
import type { Accounts } from "./accounts.ts";
import type { Config } from "./config.ts";
import type { Metrics } from "./metrics.ts";

/**
 * The lease for a call to the platform, which takes some seconds. If the process ends meanwhile, another process may repeat the call after
 * this time.
 */
const LEASE_MS = 30_000;

export interface LoyaltyComposition {
  services: LoyaltyServices;
  loyalty: Loyalty;
  keys: LoyaltyKeys;
  members: Members;
  programmes: Programmes;
  orders: Orders;
  giftCards: GiftCards;
  quotes: KeptQuotes;
  connections: LoyaltyConnections;
  upkeep: LoyaltyUpkeep;
  channels: readonly MessageChannel[];
  /** `address`: where tills reach the server. Undefined: no such address is known. */
  start(address: string | undefined): void;
  close(): Promise<void>;
}

interface LoyaltyNeeds {
  config: Config;
  store: Store;
  accounts: Accounts;
  clock: Clock;
  chance: Chance;
  log: Log;
  metrics?: Metrics;
  once?: Once;
  /** Returns the folders of goods. Absent in a command that quotes nothing. */
  foldersOf?: LoyaltyServices["foldersOf"];
}

/** Makes the parts of loyalty, for server and command line. */
export function composeLoyalty(needs: LoyaltyNeeds): LoyaltyComposition {
  const services = servicesOf(needs);
  const channels = channelsOf(needs.config, needs.clock);
  const members = new Members(services);
  const programmes = new Programmes(services, channels.length > 0);
  const quotes = new KeptQuotes(services);
  const giftCards = new GiftCards(services);
  const codes = new Codes({ ...services, channels });
  const orders = new Orders({ ...services, programmes, members, quotes, giftCards });
  const keys = new LoyaltyKeys(services);
  const local: { address?: string } = {};
  const connections = connectionsOf(needs, { services, keys, programmes, local });
  const upkeep = new LoyaltyUpkeep({ ...services, programmes, codes, ...present({ onlyHere: needs.once?.("loyalty") }) });
  return {
    services,
    loyalty: new Loyalty(services, { members, programmes, orders, codes, giftCards, quotes }),
    keys,
    members,
    programmes,
    orders,
    giftCards,
    quotes,
    connections,
    upkeep,
    channels,
    start(address) {
      if (address !== undefined) local.address = address;
      connections.start();
      quotes.start();
      upkeep.start();
    },
    async close() {
      await connections.close();
      await quotes.close();
      await upkeep.close();
      for (const channel of channels) channel.close();
    },
  };
}

function servicesOf({ store, accounts, clock, chance, log, metrics, foldersOf }: LoyaltyNeeds): LoyaltyServices {
  return {
    store,
    clock,
    chance,
    log,
    seal: accounts.seal,
    zoneOf: async ({ appId, accountId }: InstallationKey, storeId) => (await accounts.settings.of(appId, accountId, storeId)).timeZone,
    foldersOf: foldersOf ?? (async () => new Map()),
    observe: {
      points: (kind, points) => metrics?.loyalty.observePoints(kind, points),
      anomaly: (kind) => metrics?.loyalty.observeAnomaly(kind),
    },
  };
}

/** `local`: where tills reach a server without a public address. Set when the server listens. */
function connectionsOf(
  { config, store, accounts, clock, chance }: LoyaltyNeeds,
  parts: { services: LoyaltyServices; keys: LoyaltyKeys; programmes: Programmes; local: { address?: string } },
): LoyaltyConnections {
  const { services, keys, programmes, local } = parts;
  return new LoyaltyConnections({
    ...services,
    keys,
    leases: new Leases({ store, clock, chance, leaseMs: LEASE_MS }),
    vendor: accounts.vendor,
    url: () => {
      const base = config.publicUrl ?? local.address;
      return base === undefined ? undefined : `${base}/loyalty`;
    },
    externalSearch: async (key) => {
      await programmes.prepare(key);
      return (await store.read((db) => programmes.current(db, key))).programme.externalSearch;
    },
  });
}

function channelsOf({ codeChannel, dataDir }: Config, clock: Clock): MessageChannel[] {
  const parsed = parseChannels(codeChannel.reveal());
  return parsed.kind === "invalid" ? [] : parsed.open.map((open) => open({ dataDir, clock }));
}
