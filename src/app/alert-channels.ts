import type { Clock } from "../kernel/clock.ts";
import type { AlertChannel } from "../messages/alert-channel.ts";
import { ownerChannelOf, parseAlertChannels } from "../messages/setting.ts";
import type { Config } from "./config.ts";

type Channels = Pick<Config, "alertChannel" | "codeChannel">;

/** The channel that reaches owners: of alerts, else that of verification codes. Undefined: the server sends no e-mail. */
export function ownerChannelIn({ alertChannel, codeChannel }: Channels): ((clock: Clock) => AlertChannel) | undefined {
  const parsed = parseAlertChannels(alertChannel?.reveal() ?? "none");
  const own = parsed.kind === "channels" ? parsed.owner : undefined;
  return own ?? ownerChannelOf(codeChannel.reveal());
}

/** The channels that reach the operator, in the order in which they are tried. */
export function operatorChannelsIn({ alertChannel }: Channels, clock: Clock): AlertChannel[] {
  const parsed = parseAlertChannels(alertChannel?.reveal() ?? "none");
  return parsed.kind === "channels" ? parsed.operator.map((open) => open(clock)) : [];
}
