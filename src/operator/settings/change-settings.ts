import type { Actor } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { finishSetUp, type SetUpServices } from "../../accounts/set-up.ts";
import { type Settings, type SettingsChange, type WantedSetting, WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import type { ConnectionResult, LoyaltyConnections } from "../../loyalty/connection/connections.ts";

/** The services for a change of settings. A change is one commit, so it may be made while a server runs. */
interface SettingsDesk {
  settings: Pick<Settings, "change">;
  setUp: SetUpServices;
  loyalty: Pick<LoyaltyConnections, "tell">;
}

export type SetUpStanding = Awaited<ReturnType<typeof finishSetUp>>;

type ChangedSettings =
  | Exclude<SettingsChange, { kind: "changed" }>
  | (Extract<SettingsChange, { kind: "changed" }> & {
      /** Whether the platform was informed that the set-up is complete. */
      setUp: SetUpStanding;
      /** Set when the loyalty programme was switched on: the result of informing the platform. */
      loyalty?: ConnectionResult;
    });

/**
 * Changes settings of a point of sale, then informs the platform about a complete set-up and a loyalty programme that was switched on. If
 * the platform cannot be informed, the settings stay changed, and repeating the change informs the platform again.
 */
export async function changeSettings(
  desk: SettingsDesk,
  { key, actor }: { key: InstallationKey; actor: Actor },
  storeId: string,
  wanted: readonly WantedSetting[],
): Promise<ChangedSettings> {
  const change = await desk.settings.change(key, storeId, wanted, actor);
  if (change.kind !== "changed") return change;
  const setUp = await finishSetUp(desk.setUp, key, actor);
  const isOn = storeId === WHOLE_ACCOUNT && wanted.some(({ name, text }) => name === "loyalty" && text.trim() === "on");
  return isOn ? { ...change, setUp, loyalty: await desk.loyalty.tell(key) } : { ...change, setUp };
}
