import { type Credentials, credentialTable } from "../accounts/credentials.ts";
import type { InstallationKey } from "../accounts/installation.ts";
import type { Db } from "../accounts/installation-queries.ts";
import { Installations } from "../accounts/installations.ts";
import { Merchants } from "../accounts/merchants.ts";
import type { SetUpServices } from "../accounts/set-up.ts";
import { Settings } from "../accounts/settings.ts";
import { unknownAgentOf } from "../agents/ownership.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { present } from "../kernel/present.ts";
import { ownerChannelOf } from "../messages/setting.ts";
import { openWire } from "../platform/api/exchange.ts";
import { openVendorClient, type VendorClient } from "../platform/vendor/client.ts";
import type { ParsedAddress } from "../registers/protocol.ts";
import { createSeal, type Seal } from "../security/seal.ts";
import { makeToken } from "../security/token.ts";
import type { Store } from "../store/database.ts";
import { acquirersFor, parseAcquirerSetting } from "./acquirers.ts";
import type { Config } from "./config.ts";

/**
 * The maximum number of connections to the platform's side of the vendor contract: enough for a few activations and settings pages at once.
 */
const VENDOR_CONNECTIONS = 4;

export interface Accounts {
  seal: Seal;
  credentials: Credentials;
  installations: Installations;
  settings: Settings;
  merchants: Merchants;
  setUp: SetUpServices;
  /** Client of the vendor contract. A call names the credentials that sign it. */
  vendor: VendorClient;
  close(): Promise<void>;
}

/** Makes the installations and the settings of their points of sale, for server and command line. */
export function composeAccounts(parts: {
  config: Config;
  store: Store;
  clock: Clock;
  chance: Chance;
  log: Log;
  parseRegister(address: string): ParsedAddress;
}): Accounts {
  const { config, store, clock, chance, log, parseRegister } = parts;
  const acquirers = acquirersFor(config);
  const seal = createSeal(config.secretKey);
  const credentials = credentialTable(config.credentials);
  const installations = new Installations({ store, seal, clock });
  const acquirer = config.defaultAcquirer?.reveal();
  const defaults = { taxSystem: config.defaultTaxSystem, timeZone: config.timeZone, ...present({ acquirer }) };
  const parseAcquirer = (setting: string) => parseAcquirerSetting(setting, acquirers);
  const sendsMail = ownerChannelOf(config.alertChannel?.reveal() ?? "none", config.codeChannel.reveal()) !== undefined;
  const registerProblem = async (db: Db, key: InstallationKey, address: string) => {
    const parsed = parseRegister(address);
    const agent = parsed.kind === "address" ? await unknownAgentOf(db, key, parsed.address.canonical, clock.nowMs()) : undefined;
    return agent === undefined ? undefined : `the account has no agent ${agent}: \`agents enrol ${agent} --account ${key.accountId}\``;
  };
  const settings = new Settings({ store, seal, clock, defaults, parseRegister, registerProblem, parseAcquirer, sendsMail });
  const merchants = new Merchants({ store, seal, clock, chance });

  const token = async (appId: string) => {
    const set = credentials.get(appId);
    if (set === undefined) throw new Failure("credentials-missing", "caller", `CREDENTIALS has no row with the appId ${appId}`);
    return makeToken({ appUid: set.appUid, secret: set.secretKey, id: chance.uuid(), nowMs: clock.nowMs() });
  };
  const wire = openWire({ parallel: VENDOR_CONNECTIONS });
  const vendor = openVendorClient({ url: config.profile.appsUrl, token, headers: config.profile.headers, wire, clock, log });
  const isComplete = async (key: InstallationKey) => config.defaultRegister !== undefined || (await settings.hasRegister(key));
  const setUp = { installations, isComplete, tell: (key: InstallationKey) => vendor.tellStatus(key, "Activated") };
  return { seal, credentials, installations, settings, merchants, setUp, vendor, close: () => wire.abandon() };
}
