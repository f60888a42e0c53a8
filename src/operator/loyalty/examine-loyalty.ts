import type { InstallationKey } from "../../accounts/installation.ts";
import type { Installations } from "../../accounts/installations.ts";
import { type Settings, WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { present } from "../../kernel/present.ts";
import type { LoyaltyConnections } from "../../loyalty/connection/connections.ts";

export interface CodeChannelState {
  name: string;
  /** Why the channel would fail. Absent: no problem was found. */
  problem?: string;
}

export interface LoyaltyExamination {
  channels: readonly CodeChannelState[];
  /** One element for each installation in use with the setting `loyalty` on for the whole account. */
  connections: readonly (InstallationKey & {
    /** `untold`: nothing was sent to the platform yet. */
    state: "connected" | "failed" | "untold";
    said?: string;
  })[];
}

interface ExaminingServices {
  installations: Pick<Installations, "keys">;
  settings: Pick<Settings, "list">;
  connections: Pick<LoyaltyConnections, "said">;
  channels: readonly { name: string; problem(): Promise<string | undefined> }[];
}

/** Checks each channel without sending a message, and reads the platform's last answers. Changes nothing. */
export async function examineLoyalty({ installations, settings, connections, channels }: ExaminingServices): Promise<LoyaltyExamination> {
  const found: LoyaltyExamination["connections"][number][] = [];
  for (const key of await installations.keys(["active", "settings_required"])) {
    const isOn = (await settings.list(key)).some((row) => row.storeId === WHOLE_ACCOUNT && row.name === "loyalty" && row.shown === "on");
    if (!isOn) continue;
    const last = await connections.said(key);
    const told = last === undefined ? "untold" : last.state === "connected" ? "connected" : "failed";
    found.push({ ...key, state: told, ...present({ said: last?.said ?? undefined }) });
  }
  const examined = await Promise.all(
    channels.map(async (channel) => ({ name: channel.name, ...present({ problem: await channel.problem() }) })),
  );
  return { channels: examined, connections: found };
}
