import { join } from "node:path";
import type { Clock } from "../kernel/clock.ts";
import { Secret } from "../kernel/secret.ts";
import { isLoopback } from "../kernel/web-address.ts";
import type { MessageChannel } from "./channel.ts";
import { fileChannel } from "./file-channel.ts";
import { smtpChannel } from "./smtp-channel.ts";
import { webChannel } from "./web-channel.ts";

/** The largest number of channels. A cashier may have to wait for each of them. */
const MAX_CHANNELS = 4;
/** The port for submitting e-mail, used when the address names no port. */
const SMTP_PORT = 587;

/** The services that channels need. */
interface ChannelServices {
  dataDir: string;
  clock: Clock;
}

type OpenChannel = (services: ChannelServices) => MessageChannel;

type ParsedChannels = { kind: "channels"; open: readonly OpenChannel[] } | { kind: "invalid"; problem: string };

export const CHANNEL_FORMS = "file, smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, https://ADDRESS, several of them with commas, or none";

/** Reads the setting CODE_CHANNEL: channels separated by commas, which are tried in this order. */
export function parseChannels(setting: string): ParsedChannels {
  // A password may contain a comma, so the text is split only before the name or scheme of a channel.
  const parts = setting.split(/,(?=\s*(?:file|none|smtp:|https?:))/).map((part) => part.trim());
  if (parts.length > MAX_CHANNELS) return { kind: "invalid", problem: `at most ${MAX_CHANNELS} channels` };
  const open: OpenChannel[] = [];
  for (const part of parts) {
    if (part === "none") continue;
    const channel = channelOf(part);
    if (typeof channel === "string") return { kind: "invalid", problem: channel };
    open.push(channel);
  }
  return { kind: "channels", open };
}

/**
 * Returns the function that opens the channel, or a text about the problem. The text never repeats the setting, which may contain a
 * password.
 */
function channelOf(part: string): OpenChannel | string {
  if (part === "file") return ({ dataDir, clock }) => fileChannel(join(dataDir, "codes.jsonl"), clock);
  if (!URL.canParse(part)) return "a channel is no address";
  const url = new URL(part);
  if (url.protocol === "smtp:") return mailOf(url);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(part))) return ({ clock }) => webChannel(part, clock);
  return `a channel cannot begin with ${url.protocol}`;
}

function mailOf(url: URL): OpenChannel | string {
  const from = url.searchParams.get("from");
  const unknown = [...url.searchParams.keys()].find((name) => name !== "from" && name !== "to");
  if (url.hostname === "") return "the smtp channel names no host";
  if (unknown !== undefined) return "the smtp channel has an unknown option; known are from and to";
  if (from === null || !from.includes("@")) return "the smtp channel needs from=ADDRESS";
  const port = url.port === "" ? SMTP_PORT : Number(url.port);
  const auth =
    url.username === "" ? {} : { user: decodeURIComponent(url.username), password: new Secret(decodeURIComponent(url.password)) };
  return () => smtpChannel({ host: url.hostname, port, from, ...auth });
}
