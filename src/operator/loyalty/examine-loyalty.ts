import type { InstallationKey } from "../../accounts/installation.ts";
import type { Installations } from "../../accounts/installations.ts";
import { type Settings, WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { present } from "../../kernel/present.ts";
import type { LoyaltyConnections } from "../../loyalty/connection/connections.ts";

export interface CodeChannelState {
  name: string;
  /** Why it would not work; absent: it would. */
  problem?: string;
}

export interface LoyaltyExamination {
  channels: readonly CodeChannelState[];
  /** Of every account whose setting `loyalty` is on. */
  connections: readonly (InstallationKey & {
    /** `untold`: nothing was told yet. */
    state: "connected" | "failed" | "untold";
    /** What the platform has said last. */
    said?: string;
  })[];
}

interface ExaminingServices {
  installations: Pick<Installations, "list">;
  settings: Pick<Settings, "list">;
  connections: Pick<LoyaltyConnections, "said">;
  channels: readonly { name: string; problem(): Promise<string | undefined> }[];
}

/** Asks each channel whether it would work, without a message, and reads what the platform has said last. Changes nothing. */
export async function examineLoyalty({ installations, settings, connections, channels }: ExaminingServices): Promise<LoyaltyExamination> {
  const found: LoyaltyExamination["connections"][number][] = [];
  for (const { appId, accountId, state } of await installations.list()) {
    const key = { appId, accountId };
    if (state !== "active" && state !== "settings_required") continue;
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
