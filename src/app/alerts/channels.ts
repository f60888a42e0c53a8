import type { Clock } from "../../kernel/clock.ts";
import { withoutSecrets } from "../../kernel/redaction/secret-texts.ts";
import type { AlertChannel } from "../../messages/alert-channel.ts";
import { ownerChannelOf, parseAlertChannels } from "../../messages/setting.ts";
import type { Config } from "../config.ts";

type Channels = Pick<Config, "alertChannel" | "codeChannel">;

/** The channel to owners. Undefined: the server sends them no e-mail. */
export function ownerChannelIn(config: Channels, clock: Clock): AlertChannel | undefined {
  return ownerChannelOf(settingOf(config), config.codeChannel.reveal())?.(clock);
}

/** The channels to the operator, tried in this order. */
export function operatorChannelsIn(config: Channels, clock: Clock): AlertChannel[] {
  const parsed = parseAlertChannels(settingOf(config));
  return parsed.kind === "channels" ? parsed.operator.map((open) => open(clock)) : [];
}

/** A channel as `doctor` shows it. `problem`: why the channel fails. Absent: the test found no problem. */
interface ExaminedChannel {
  name: string;
  reaches: "operator" | "owner";
  problem?: string;
}

/** Tests the channels without sending a message. */
export async function examineChannels(config: Channels, clock: Clock): Promise<ExaminedChannel[]> {
  const owner = ownerChannelIn(config, clock);
  const operator = operatorChannelsIn(config, clock).map((channel) => ({ channel, reaches: "operator" as const }));
  const all = [...operator, ...(owner === undefined ? [] : [{ channel: owner, reaches: "owner" as const }])];
  try {
    return await Promise.all(
      all.map(async ({ channel, reaches }) => {
        const problem = await channel.problem();
        return { name: channel.name, reaches, ...(problem === undefined ? {} : { problem: withoutSecrets(problem) }) };
      }),
    );
  } finally {
    for (const { channel } of all) channel.close();
  }
}

function settingOf({ alertChannel }: Channels): string {
  return alertChannel?.reveal() ?? "none";
}
