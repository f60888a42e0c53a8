import type { InstallationKey } from "../accounts/installation.ts";
import { Clients } from "../accounts/shop/clients.ts";
import { Links } from "../accounts/shop/links.ts";
import { SaleLookUp } from "../accounts/shop/look-up.ts";
import { Notifications } from "../accounts/shop/notifications.ts";
import { PointsOfSale } from "../accounts/shop/points-of-sale.ts";
import { ShopReading } from "../accounts/shop/reading.ts";
import type { ShopObject } from "../accounts/shop/shop-object.ts";
import { ShopObjects } from "../accounts/shop/shop-objects.ts";
import { readAllOf } from "../accounts/shop/sources.ts";
import { Subscriptions } from "../accounts/shop/subscriptions.ts";
import { ShopUpkeep } from "../accounts/shop/upkeep.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { present } from "../kernel/present.ts";
import type { Once } from "../kernel/rounds.ts";
import { openWire } from "../platform/api/exchange.ts";
import { createSeal } from "../security/seal.ts";
import type { Store } from "../store/database.ts";
import type { Accounts } from "./accounts.ts";
import type { Config } from "./config.ts";
import type { Metrics } from "./metrics.ts";

/**
 * The maximum number of connections to the JSON API for all installations together. Each installation keeps its own smaller limit (json-api
 * 11.2).
 */
const API_CONNECTIONS = 64;

export interface Shop {
  lookUp: SaleLookUp;
  notifications: Notifications;
  upkeep: ShopUpkeep;
  /** Returns the name of a point of sale at the platform. Undefined: the name is unknown. */
  storeNameOf(key: InstallationKey, storeId: string): Promise<string | undefined>;
  points: PointsOfSale;
  close(): Promise<void>;
}

/** Makes the parts that read and store the platform's data about each installation's shop. */
export function composeShop(parts: {
  config: Config;
  store: Store;
  accounts: Accounts;
  clock: Clock;
  chance: Chance;
  log: Log;
  /** Absent in a command, which nobody measures. */
  metrics?: Metrics;
  once?: Once;
}): Shop {
  const { config, store, accounts, clock, chance, log, metrics, once } = parts;
  const { installations } = accounts;
  const wire = openWire({ parallel: API_CONNECTIONS });
  const clients = new Clients({ installations, profile: config.profile, wire, clock, log });
  const links = new Links({ store, seal: createSeal(config.secretKey), chance });
  const objects = new ShopObjects(store);
  const reading = new ShopReading({ clients, objects, links, clock, log });
  const lookUp = new SaleLookUp({
    clients,
    objects,
    links,
    moneyScale: config.moneyScale,
    clock,
    log,
    observe: (outcome, durationMs) => metrics?.observeLookUp(outcome, durationMs),
  });
  const notifications = new Notifications({ store, links, reading, clock, log, ...present({ onlyHere: once?.("notifications") }) });
  const subscriptions = new Subscriptions({ store, clock, log });
  const onlyHere = present({ onlyHere: once?.("upkeep") });
  const upkeep = new ShopUpkeep({ installations, clients, links, reading, subscriptions, clock, log, ...onlyHere });
  const points = new PointsOfSale({
    objects,
    settings: accounts.settings,
    readStores: (key, signal) => storesOf(clients, key, signal),
    clock,
    log,
  });
  return {
    lookUp,
    points,
    notifications,
    upkeep,
    async storeNameOf(key, storeId) {
      const [found] = await objects.find(key, [{ type: "retailstore", id: storeId }]);
      return found?.object?.type === "retailstore" ? found.object.name : undefined;
    },
    async close() {
      await lookUp.close();
      await points.close();
      // The server does not wait for running requests. The next start finds a webhook that was being made, and reads an unfinished page
      // again.
      await wire.abandon();
    },
  };
}

/** The maximum number of points of sale that are read. An account has a few hundred at most. */
const MAX_STORES = 1_000;

async function storesOf(clients: Clients, key: InstallationKey, signal: AbortSignal): Promise<ShopObject[] | undefined> {
  const client = await clients.ofInstalled(key);
  if (client === undefined) return undefined;
  const stores: ShopObject[] = [];
  for await (const { object } of readAllOf(client, "retailstore", undefined, { signal })) {
    stores.push(object);
    if (stores.length >= MAX_STORES) break;
  }
  return stores;
}
