import type { Actor } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { finishSetUp, type SetUpServices } from "../../accounts/set-up.ts";
import { type Settings, type SettingsChange, type WantedSetting, WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import type { ConnectionResult, LoyaltyConnections } from "../../loyalty/connection/connections.ts";

/** What a person's work on settings needs. It runs beside a server: each change is one commit. */
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
      /** Set when the programme was switched on: what the platform said to it. */
      loyalty?: ConnectionResult;
    });

/**
 * Changes settings of a point of sale, then tells the platform what follows from them. The values stay when the platform cannot be
 * told: the same change again tells it once more.
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
