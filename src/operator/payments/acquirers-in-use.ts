import type { InstallationKey } from "../../accounts/installation.ts";
import { type Settings, WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { Failure } from "../../kernel/failure.ts";

interface SettingSources {
  installations: { keys(states: readonly ["active"]): Promise<readonly InstallationKey[]> };
  settings: Pick<Settings, "of" | "knownStores">;
}

/** A value of the setting `acquirer` that is in use, with its secrets. */
export interface UsedAcquirer {
  setting: string;
  /**
   * The points of sale with the setting. The id `*` means all points of sale without their own setting. An empty list: only the server's
   * default has the setting.
   */
  places: readonly (InstallationKey & { storeId: string })[];
}

/** Returns the settings `acquirer` of all points of sale of active installations, and the server's default. */
export async function acquirersInUse(sources: SettingSources, defaultSetting: string | undefined): Promise<UsedAcquirer[]> {
  const used = new Map<string, (InstallationKey & { storeId: string })[]>();
  if (defaultSetting !== undefined && defaultSetting !== "none") used.set(defaultSetting, []);
  for (const { appId, accountId } of await sources.installations.keys(["active"])) {
    for (const { setting, storeId } of await settingsOf(sources, { appId, accountId })) {
      const places = used.get(setting) ?? [];
      used.set(setting, [...places, { appId, accountId, storeId }]);
    }
  }
  return [...used].map(([setting, places]) => ({ setting, places }));
}

/** Returns the names of an installation's acquirers, in the order of its points of sale. */
export async function acquirerNamesOf(sources: Pick<SettingSources, "settings">, installation: InstallationKey): Promise<string[]> {
  const names = (await settingsOf(sources, installation)).map(({ setting }) => setting.split("?", 1)[0] ?? "");
  return [...new Set(names)];
}

async function settingsOf(
  { settings }: Pick<SettingSources, "settings">,
  key: InstallationKey,
): Promise<{ setting: string; storeId: string }[]> {
  const found: { setting: string; storeId: string }[] = [];
  for (const storeId of [WHOLE_ACCOUNT, ...(await settings.knownStores(key))]) {
    const setting = await acquirerOf(settings, key, storeId);
    if (setting !== undefined && setting !== "none") found.push({ setting, storeId });
  }
  return found;
}

/** Leaves out an unreadable setting, so that the remaining settings are found. The list of settings shows the problem. */
async function acquirerOf(settings: SettingSources["settings"], key: InstallationKey, storeId: string): Promise<string | undefined> {
  try {
    return (await settings.of(key.appId, key.accountId, storeId)).acquirer;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
