import type { Installation } from "../accounts/installation.ts";
import { Links } from "../accounts/shop/links.ts";
import { ShopObjects } from "../accounts/shop/shop-objects.ts";
import { Subscriptions } from "../accounts/shop/subscriptions.ts";
import { acquirerNamed } from "../acquirers/catalogue.ts";
import { unsentMessages } from "../alerts/alerts.ts";
import { type Accounts, composeAccounts } from "../app/accounts.ts";
import { examineChannels } from "../app/alerts/channels.ts";
import { SHARED_PROTOCOLS } from "../app/cluster/shared-protocols.ts";
import { type Config, readConfig } from "../app/config.ts";
import { storeOptionsOf } from "../app/database.ts";
import { examineKeys } from "../app/examine-keys.ts";
import { createLog } from "../app/logging.ts";
import { composeLoyalty, type LoyaltyComposition } from "../app/loyalty.ts";
import { composePayments, type PaymentParts } from "../app/payments.ts";
import { composeShop } from "../app/shop.ts";
import { ClusterOverview } from "../cluster/overview.ts";
import { Journal } from "../journal/journal.ts";
import { clockAhead, systemChance } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import type { PlatformProfile } from "../kernel/platform-profile.ts";
import { present } from "../kernel/present.ts";
import type { LoyaltyServices } from "../loyalty/services.ts";
import type { RegisterChoice } from "../operations/plan.ts";
import { examineLoyalty } from "../operator/loyalty/examine-loyalty.ts";
import { acquirerNamesOf, acquirersInUse } from "../operator/payments/acquirers-in-use.ts";
import { examineAcquirers } from "../operator/payments/examine-acquirers.ts";
import { parseAddress, REGISTER_PROTOCOLS } from "../registers/catalogue.ts";
import { createSeal } from "../security/seal.ts";
import { openStore, type Store, type StoreOptions } from "../store/database.ts";
import { earlierUseOf } from "../store/earlier-use.ts";
import { newestOf } from "../store/migrate.ts";
import { MIGRATIONS } from "../store/migrations/list.ts";
import { openAgents, openAskedTunnel, shownAgents } from "./agents/open.ts";
import type { ClusterTools } from "./cluster.ts";
import { SHOWN_UNSENT } from "./doctor/alerts.ts";
import type { PaymentExamination } from "./doctor/payments.ts";
import type { ZonePlace } from "./doctor/zone-set.ts";
import type { ExaminationPlace } from "./doctor.ts";
import type { JournalTools } from "./journal/tools.ts";
import type { VerifyTools } from "./journal/verify.ts";
import type { LoyaltyTools } from "./loyalty.ts";
import type { PaymentTools } from "./payments.ts";
import type { SettingsTools } from "./settings.ts";

/** Returns the place of the database, from the server's environment variables. `journalDue`: why the database must exist already. */
export function storePlace(): { options: StoreOptions; journalDue?: string } {
  const config = readConfig();
  const earlier = earlierUseOf(config.dataDir);
  return { options: storeOptionsOf(config), ...(earlier === undefined ? {} : { journalDue: earlier.why }) };
}

export function descriptorOptions(): { publicUrl: string; profile: PlatformProfile } {
  const config = readConfig();
  return { publicUrl: config.publicUrl ?? `http://${config.host}:${config.port}`, profile: config.profile };
}

/** Returns what an examination of a register needs from this machine, the database and the running server. */
export function examinationPlace(): ExaminationPlace {
  const config = readConfig();
  const { dataDir, timeZone, defaultRegister } = config;
  const place: ZonePlace = {
    store: storeOptionsOf(config),
    ...present({ defaultRegister }),
    accountsOf: (store) => accountsOf(config, store),
  };
  return {
    dataDir,
    timeZone,
    zoneSetFor: async (canonical) => (await import("./doctor/zone-set.ts")).zoneSetFor(place, canonical),
    agents: openAskedTunnel,
  };
}

/**
 * Asks the acquirers in use, the address of the QR keys, and the channels of codes and alerts. Only reads the database, and refuses a
 * database of another version.
 */
export async function examinePayments(): Promise<PaymentExamination> {
  const config = readConfig();
  const store = await openStore(storeOptionsOf(config), { journalDue: JOURNAL_DUE, givesWay: true });
  try {
    if ((await store.schemaVersion()) !== newestOf(MIGRATIONS)) {
      const words = "the database is of another version of this program: start the server, or run `migrate`";
      throw new Failure("doctor", "dependency", words);
    }
    const accounts = accountsOf(config, store);
    const { clients, services, close } = paymentsOf(config, store, accounts);
    const { clock, log } = services;
    const loyalty = loyaltyOf(config, store, accounts);
    const idOfNoPayment = (acquirer: string) => acquirerNamed(acquirer)?.idOfNoPayment;
    try {
      const used = await acquirersInUse(accounts, config.defaultAcquirer?.reveal());
      const acquirers = await examineAcquirers({ clients, clock, idOfNoPayment }, used);
      const { connections, channels } = loyalty;
      const examined = await examineLoyalty({ ...accounts, connections, channels });
      const alerts = { channels: await examineChannels(config, clock), unsent: await unsentMessages(store, SHOWN_UNSENT) };
      return { acquirers, keys: await examineKeys(config, { store, clock, log }), loyalty: examined, alerts };
    } finally {
      await loyalty.close();
      await close();
      await accounts.close();
    }
  } finally {
    await store.close();
  }
}

/** Opens the database while a server may run: the commits of the two processes wait for each other. */
export async function openJournal(): Promise<JournalTools> {
  const config = readConfig();
  const store = await openMigrated(config);
  const { defaultRegister } = config;
  const { settings } = accountsOf(config, store);
  const clock = clockAhead(config.clockAheadMs);
  const choice: RegisterChoice = {
    registers: { parse: parseAddress },
    ...present({ defaultRegister }),
    rulesOf: (appId, accountId, storeId) => settings.of(appId, accountId, storeId),
  };
  return {
    journal: new Journal({ store, clock }),
    clock,
    choice,
    close: () => store.close(),
  };
}

/** Opens the database while a server may run. `journal verify` itself changes only the count of commits. */
export async function openJournalStore(): Promise<VerifyTools> {
  const store = await openMigrated(readConfig());
  return { store, close: () => store.close() };
}

/** Opens the payments while a server may run: only the holder of a payment's lease works on that payment. */
export async function openPayments(): Promise<PaymentTools> {
  const config = readConfig();
  const store = await openMigrated(config);
  const accounts = accountsOf(config, store);
  const clock = clockAhead(config.clockAheadMs);
  const { services, clients, turns, close } = paymentsOf(config, store, accounts);
  const journal = new Journal({ store, clock });
  return { services, clients, turns, journal, close: () => close().finally(() => accounts.close().finally(() => store.close())) };
}

/** Opens loyalty while a server may run: a transaction that books points locks the member's points account. */
export async function openLoyalty(): Promise<LoyaltyTools> {
  const config = readConfig();
  const store = await openMigrated(config);
  const accounts = accountsOf(config, store);
  const { installations } = accounts;
  // A rule about folders must apply to a tried receipt as to a till's receipt. So the platform is asked for the folders of goods that are
  // not stored.
  const [clock, log] = [clockAhead(config.clockAheadMs), createLog({ level: "silent" })];
  const shop = composeShop({ config, store, accounts, clock, chance: systemChance, log });
  const loyalty = loyaltyOf(config, store, accounts, (key, ids) => shop.lookUp.foldersOf(key, ids));
  const { services, members, programmes, giftCards, connections, upkeep, close } = loyalty;
  const closeAll = () => close().finally(() => shop.close().finally(() => accounts.close().finally(() => store.close())));
  return {
    installations,
    services,
    members,
    programmes,
    giftCards,
    connections,
    upkeep,
    close: closeAll,
  };
}

/**
 * Makes the parts of loyalty without their timers: only a command's actions run. The address for tills is the server's address if the
 * command has the server's environment variables.
 */
function loyaltyOf(config: Config, store: Store, accounts: Accounts, foldersOf?: LoyaltyServices["foldersOf"]): LoyaltyComposition {
  const { host, port } = config;
  const publicUrl = config.publicUrl ?? (port === 0 ? undefined : `http://${host}:${port}`);
  const log = createLog({ level: "silent" });
  const clock = clockAhead(config.clockAheadMs);
  const shown = { ...config, ...present({ publicUrl }) };
  return composeLoyalty({ config: shown, store, accounts, clock, chance: systemChance, log, ...present({ foldersOf }) });
}

/** Makes the parts of QR payment without their timers. Work on a payment is done only when the command asks for it. */
function paymentsOf(config: Config, store: Store, accounts: Accounts): PaymentParts {
  const log = createLog({ level: "silent" });
  const clock = clockAhead(config.clockAheadMs);
  return composePayments({ config, store, accounts, clock, chance: systemChance, log, storeNameOf: async () => undefined });
}

export async function openSettings(): Promise<SettingsTools> {
  const config = readConfig();
  const store = await openMigrated(config);
  const accounts = accountsOf(config, store);
  const { installations, settings, setUp, close } = accounts;
  const links = new Links({ store, seal: createSeal(config.secretKey), chance: systemChance });
  const shop = {
    links,
    objects: new ShopObjects(store),
    subscriptions: new Subscriptions({ store, clock: clockAhead(config.clockAheadMs), log: createLog({ level: "silent" }) }),
  };
  const notifications = async (installation: Installation) => {
    const names = await acquirerNamesOf(accounts, installation);
    return Promise.all(names.map((acquirer) => notificationPlace(config, accounts, installation, acquirer)));
  };
  const { connections: loyalty, close: closeLoyalty } = loyaltyOf(config, store, accounts);
  const closeAll = () => closeLoyalty().finally(() => close().finally(() => store.close()));
  const agents = async (signal: AbortSignal) => {
    const tools = await openAgents(signal);
    return shownAgents(tools).finally(() => tools.close());
  };
  return { installations, settings, setUp, shop, notifications, loyalty, agents, close: closeAll };
}

/**
 * Returns the notification address to enter at the acquirer, if the server has a public address. The first call makes the secret in the
 * address.
 */
async function notificationPlace({ publicUrl }: Config, { merchants }: Accounts, installation: Installation, acquirer: string) {
  if (publicUrl === undefined) return { acquirer };
  const secret = await merchants.hookSecret(installation, acquirer);
  return { acquirer, address: `${publicUrl}/hooks/${acquirer}/${secret.reveal()}` };
}

function accountsOf(config: Config, store: Store): Accounts {
  // The log is silent: the command's own lines are its output.
  const log = createLog({ level: "silent" });
  const clock = clockAhead(config.clockAheadMs);
  return composeAccounts({
    config,
    store,
    clock,
    chance: systemChance,
    log,
    parseRegister: (address) => parseAddress(address, protocolsOf(config)),
  });
}

/** Opens the database of a cluster while its processes run. */
export async function openCluster(): Promise<ClusterTools> {
  const config = readConfig();
  if (config.databaseUrl === undefined) throw new Failure("configuration", "caller", "DATABASE_URL expects the database of the cluster");
  const store = await openMigrated(config);
  return { overview: new ClusterOverview(store, clockAhead(config.clockAheadMs)), close: () => store.close() };
}

/** The protocols of register addresses that a server with this configuration accepts. */
function protocolsOf({ cluster }: Config) {
  return cluster === undefined ? REGISTER_PROTOCOLS : SHARED_PROTOCOLS;
}

const JOURNAL_DUE = "set DATA_DIR and DATABASE_URL as the server has them; if they are, restore the newest copy of the journal";

/**
 * Opens only an existing database, and migrates it. With a mistyped folder the command must not make an empty journal and report that all
 * is well.
 */
async function openMigrated(config: Config): Promise<Store> {
  const store = await openStore(storeOptionsOf(config), { journalDue: JOURNAL_DUE, givesWay: true });
  await store.migrate();
  return store;
}
