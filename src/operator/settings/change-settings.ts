import type { Actor } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { finishSetUp, type SetUpServices } from "../../accounts/set-up.ts";
import { type Settings, type SettingsChange, type WantedSetting, WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import type { ConnectionResult, LoyaltyConnections } from "../../loyalty/connection/connections.ts";

/** The services that a change of settings needs. A server may run at the same time, because each change is one commit. */
interface SettingsDesk {
  settings: Pick<Settings, "change">;
  setUp: SetUpServices;
  loyalty: Pick<LoyaltyConnections, "tell">;
}

export type SetUpStanding = Awaited<ReturnType<typeof finishSetUp>>;

type ChangedSettings =
  | Exclude<SettingsChange, { kind: "changed" }>
  | (Extract<SettingsChange, { kind: "changed" }> & {
      /** Whether the platform was told that nothing is missing any more. */
      setUp: SetUpStanding;
      /** Set when the loyalty programme was switched on: the result of telling the platform about it. */
      loyalty?: ConnectionResult;
    });

/**
 * Changes settings of a point of sale, then informs the platform about the results: a complete set-up, and a loyalty
 * programme that was switched on. If the platform cannot be told, the settings stay changed. A repeat of the same
 * change tells the platform again.
 */
export async function changeSettings(
  desk: SettingsDesk,
  { key, actor }: { key: InstallationKey; actor: Actor },
  storeId: string,
  wanted: readonly WantedSetting[],
): Promise<ChangedSettings> {
  const change = await desk.settings.change(key, storeId, wanted, actor);
  if (change.kind !== "changed") return change;
  const setUp = await finishSetUp(desk.setUp, key);
  const isOn = storeId === WHOLE_ACCOUNT && wanted.some(({ name, text }) => name === "loyalty" && text.trim() === "on");
  return isOn ? { ...change, setUp, loyalty: await desk.loyalty.tell(key) } : { ...change, setUp };
}
