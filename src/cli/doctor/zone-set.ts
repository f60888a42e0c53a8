import { existsSync } from "node:fs";
import { EVERY_STATE, type InstallationKey } from "../../accounts/installation.ts";
import { type Settings, WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import type { StoreSettings } from "../../accounts/settings-schema.ts";
import type { Accounts } from "../../app/accounts.ts";
import { Failure } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { registerAddress } from "../../operations/choose-register.ts";
import { parseAddress } from "../../registers/catalogue.ts";
import { openStore, type Store, type StoreOptions } from "../../store/database.ts";
import { newestOf } from "../../store/migrate.ts";
import { MIGRATIONS } from "../../store/migrations/list.ts";

/** What is needed to read the settings of the points of sale. */
export interface ZonePlace {
  store: StoreOptions;
  defaultRegister?: string;
  accountsOf(store: Store): Pick<Accounts, "installations" | "settings" | "close">;
}

/** `unreadable`: the points of sale whose settings could not be read, each with the reason. One of them may have the register. */
export interface ZoneSet {
  zone?: string;
  unreadable: readonly string[];
}

/**
 * Returns the time zone of the register's point of sale: the server checks the register's clock in that zone. No zone when no point of
 * sale has the register, no zone is set, or two zones differ. No zone also when there is no database of this program's version, because
 * the command does not migrate.
 */
export async function zoneSetFor({ store: options, defaultRegister, accountsOf }: ZonePlace, canonical: string): Promise<ZoneSet> {
  if (options.kind === "sqlite" && !existsSync(options.file)) return { unreadable: [] };
  const store = await openStore(options);
  try {
    if ((await store.schemaVersion()) !== newestOf(MIGRATIONS)) return { unreadable: [] };
    const accounts = accountsOf(store);
    try {
      const { zones, unreadable } = await zonesOf(accounts, canonical, defaultRegister);
      const [zone] = zones;
      return { unreadable, ...present({ zone: zones.size === 1 ? zone : undefined }) };
    } finally {
      await accounts.close();
    }
  } finally {
    await store.close();
  }
}

async function zonesOf(
  { installations, settings }: Pick<Accounts, "installations" | "settings">,
  canonical: string,
  defaultRegister: string | undefined,
): Promise<{ zones: Set<string>; unreadable: string[] }> {
  const zones = new Set<string>();
  const unreadable: string[] = [];
  for (const key of await installations.keys(EVERY_STATE)) {
    for (const storeId of [...(await settings.knownStores(key)), WHOLE_ACCOUNT]) {
      const read = await readSettings(settings, key, storeId);
      if (typeof read === "string") {
        unreadable.push(`the point of sale ${storeId} of the account ${key.accountId}: ${read}`);
        continue;
      }
      const { register, timeZone, timeZoneIsSet } = read;
      const address = registerAddress(register, defaultRegister, key.accountId, storeId);
      const parsed = address === undefined ? undefined : parseAddress(address);
      if (timeZoneIsSet === true && parsed?.kind === "address" && parsed.address.canonical === canonical) zones.add(timeZone);
    }
  }
  return { zones, unreadable };
}

/** Returns the settings of a point of sale, or the reason why they cannot be read. */
async function readSettings(
  settings: Pick<Settings, "of">,
  { appId, accountId }: InstallationKey,
  storeId: string,
): Promise<StoreSettings | string> {
  try {
    return await settings.of(appId, accountId, storeId);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
}
