import { join } from "node:path";
import type { Clock } from "../kernel/clock.ts";
import { present } from "../kernel/present.ts";
import { Secret } from "../kernel/secret.ts";
import { isLoopback } from "../kernel/web-address.ts";
import type { AlertChannel } from "./alert-channel.ts";
import type { MessageChannel } from "./channel.ts";
import { fileChannel } from "./file-channel.ts";
import type { MailServerAddress } from "./mail-server.ts";
import { smtpAlertChannel, smtpChannel } from "./smtp-channel.ts";
import { webAlertChannel, webChannel } from "./web-channel.ts";

/** The maximum number of channels. A cashier may have to wait for each. */
const MAX_CHANNELS = 4;
/** The port for submitting e-mail, if the address has none. */
const SMTP_PORT = 587;

interface ChannelServices {
  dataDir: string;
  clock: Clock;
}

type OpenChannel = (services: ChannelServices) => MessageChannel;

type ParsedChannels = { kind: "channels"; open: readonly OpenChannel[] } | { kind: "invalid"; problem: string };

export const CHANNEL_FORMS = "file, smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, https://ADDRESS, several of them with commas, or none";

/** Reads the setting CODE_CHANNEL: channels separated by commas, tried in this order. */
export function parseChannels(setting: string): ParsedChannels {
  const parts = partsOf(setting);
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
 * Returns the function that opens the channel, or a problem. The problem repeats at most the scheme of an address: the rest may contain a
 * password.
 */
function channelOf(part: string): OpenChannel | string {
  if (part === "file") return ({ dataDir, clock }) => fileChannel(join(dataDir, "codes.jsonl"), clock);
  const parsed = addressOf(part);
  switch (parsed.kind) {
    case "invalid":
      return parsed.problem;
    case "web":
      return ({ clock }) => webChannel(part, clock);
    case "mail":
      return ({ clock }) => smtpChannel(parsed.server, clock);
  }
}

type OpenAlertChannel = (clock: Clock) => AlertChannel;

type ParsedAlertChannels =
  | {
      kind: "channels";
      /** Channels to the operator, tried in this order. */
      operator: readonly OpenAlertChannel[];
      owner?: OpenAlertChannel;
    }
  | { kind: "invalid"; problem: string };

export const ALERT_CHANNEL_FORMS = "smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS&to=ADDRESS, https://ADDRESS, both with a comma, or none";

/**
 * Reads the setting ALERT_CHANNEL. The first smtp channel reaches owners. Each web channel and each smtp channel with `to` reaches the
 * operator.
 */
export function parseAlertChannels(setting: string): ParsedAlertChannels {
  const parts = partsOf(setting);
  if (parts.length > MAX_CHANNELS) return { kind: "invalid", problem: `at most ${MAX_CHANNELS} channels` };
  const operator: OpenAlertChannel[] = [];
  let owner: OpenAlertChannel | undefined;
  for (const part of parts) {
    if (part === "none") continue;
    const parsed = part === "file" ? { kind: "invalid" as const, problem: "alerts are not written to a file" } : addressOf(part);
    if (parsed.kind === "invalid") return parsed;
    if (parsed.kind === "web") operator.push((clock) => webAlertChannel(part, clock));
    if (parsed.kind !== "mail") continue;
    const { server, to } = parsed;
    owner ??= (clock) => smtpAlertChannel(server, clock);
    if (to !== undefined) operator.push((clock) => smtpAlertChannel(server, clock, to));
  }
  return { kind: "channels", operator, ...present({ owner }) };
}

/**
 * Returns the channel to owners: the first mail server of ALERT_CHANNEL, else of CODE_CHANNEL. Undefined: there is none, and owners get no
 * e-mail.
 */
export function ownerChannelOf(alertSetting: string, codeSetting: string): OpenAlertChannel | undefined {
  const parsed = parseAlertChannels(alertSetting);
  if (parsed.kind === "channels" && parsed.owner !== undefined) return parsed.owner;
  for (const part of partsOf(codeSetting)) {
    const parsed = part === "file" || part === "none" ? undefined : addressOf(part);
    if (parsed?.kind === "mail") return (clock) => smtpAlertChannel(parsed.server, clock);
  }
  return undefined;
}

/** A password may contain a comma, so the text is split only before a channel's name or scheme. */
function partsOf(setting: string): string[] {
  return setting.split(/,(?=\s*(?:file|none|smtp:|https?:))/).map((part) => part.trim());
}

type ParsedAddress = { kind: "web" } | { kind: "mail"; server: MailServerAddress; to?: string } | { kind: "invalid"; problem: string };

function addressOf(part: string): ParsedAddress {
  if (!URL.canParse(part)) return { kind: "invalid", problem: "a channel is no address" };
  const url = new URL(part);
  if (url.protocol === "smtp:") return mailOf(url);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(part)))
    return { kind: "invalid", problem: `a channel cannot begin with ${url.protocol}` };
  // Refused here: `fetch` refuses such an address too, but its message would show the password.
  if (url.username !== "" || url.password !== "")
    return { kind: "invalid", problem: "the address of a web channel takes no user and password" };
  return { kind: "web" };
}

function mailOf(url: URL): ParsedAddress {
  const invalid = (problem: string) => ({ kind: "invalid" as const, problem });
  const from = url.searchParams.get("from");
  const to = url.searchParams.get("to") ?? undefined;
  const unknown = [...url.searchParams.keys()].find((name) => name !== "from" && name !== "to");
  if (url.hostname === "") return invalid("the smtp channel names no host");
  if (unknown !== undefined) return invalid("the smtp channel has an unknown option; known are from and to");
  if (from === null || !isMailAddress(from)) return invalid("the smtp channel needs from=ADDRESS");
  if (to !== undefined && !isMailAddress(to)) return invalid("the smtp channel takes one address in to=ADDRESS");
  const credentials = credentialsOf(url);
  if (credentials === undefined) return invalid("user and password of the smtp channel are not written as in an address");
  const port = url.port === "" ? SMTP_PORT : Number(url.port);
  return { kind: "mail", server: { host: url.hostname, port, from, ...credentials }, ...present({ to }) };
}

function isMailAddress(text: string): boolean {
  return /^[^\s\p{Cc}@<>,;]+@[^\s\p{Cc}@<>,;]+$/u.test(text);
}

/** Undefined: a percent sign begins no valid escape. */
function credentialsOf(url: URL): { user?: string; password?: Secret } | undefined {
  if (url.username === "") return {};
  try {
    return { user: decodeURIComponent(url.username), password: new Secret(decodeURIComponent(url.password)) };
  } catch {
    return undefined;
  }
}
