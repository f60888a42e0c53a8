import { existsSync } from "node:fs";
import { EVERY_STATE } from "../../accounts/installation.ts";
import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import type { Accounts } from "../../app/accounts.ts";
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

/**
 * Returns the time zone of the register's point of sale: the server checks the register's clock in that zone. Undefined when no point of
 * sale has the register, no zone is set, or two zones differ. Undefined also when there is no database of this program's version, because
 * the command does not migrate.
 */
export async function zoneSetFor(
  { store: options, defaultRegister, accountsOf }: ZonePlace,
  canonical: string,
): Promise<string | undefined> {
  if (options.kind === "sqlite" && !existsSync(options.file)) return undefined;
  const store = await openStore(options);
  try {
    if ((await store.schemaVersion()) !== newestOf(MIGRATIONS)) return undefined;
    const accounts = accountsOf(store);
    try {
      const zones = await zonesOf(accounts, canonical, defaultRegister);
      const [zone] = zones;
      return zones.size === 1 ? zone : undefined;
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
): Promise<Set<string>> {
  const zones = new Set<string>();
  for (const key of await installations.keys(EVERY_STATE)) {
    for (const storeId of [...(await settings.knownStores(key)), WHOLE_ACCOUNT]) {
      const { register, timeZone, timeZoneIsSet } = await settings.of(key.appId, key.accountId, storeId);
      const address = registerAddress(register, defaultRegister, key.accountId, storeId);
      const parsed = address === undefined ? undefined : parseAddress(address);
      if (timeZoneIsSet === true && parsed?.kind === "address" && parsed.address.canonical === canonical) zones.add(timeZone);
    }
  }
  return zones;
}
