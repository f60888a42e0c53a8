import { isIPv6 } from "node:net";
import type { Clock } from "../../kernel/clock.ts";
import { quotable } from "../options.ts";
import type { Link } from "./link.ts";
import { SerialLink, type SerialPlace } from "./serial.ts";
import { portNames } from "./serial-ports.ts";
import { nameOf, TcpLink, type TcpPlace } from "./tcp.ts";

export type LinkAddress = ({ kind: "tcp" } & TcpPlace) | ({ kind: "serial" } & SerialPlace);

type ParsedLink = { kind: "link"; address: LinkAddress } | { kind: "invalid"; problem: string };

/** The supported port speeds (shtrih-protocol 1.1). */
export const BAUD_RATES = [2_400, 4_800, 9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600] as const;
export const DEFAULT_BAUD = 115_200;

const HOST = /^(?!-)[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?$/i;
const TCP = /^\/\/(\[[0-9a-f:.]+\]|[^:/]+)(?::(\d{1,5}))?\/?$/i;
/** A path cannot contain `=` or `&`. Otherwise an address whose question mark was forgotten would be a path that contains a password. */
const PATH = /^(?:\/[a-z0-9._:@+/-]+|COM\d{1,3})$/i;

interface LinkDefaults {
  /** The port of a TCP address that names none. */
  port: number;
  /** The speed of a serial line. Default: `DEFAULT_BAUD`. */
  baud?: number;
}

/** Parses `//HOST` or `//HOST:PORT`, the part after the scheme of a TCP address. */
export function parseTcp(text: string, { port: standard }: LinkDefaults): ParsedLink {
  const [, bracketed, digits] = TCP.exec(text) ?? [];
  const host = bracketed?.replace(/^\[|\]$/g, "").toLowerCase();
  const port = digits === undefined ? standard : Number(digits);
  if (host === undefined || !(isIPv6(host) || HOST.test(host)))
    return { kind: "invalid", problem: `"${quotable(text)}" is no //HOST:PORT` };
  if (port < 1 || port > 65_535) return { kind: "invalid", problem: `port ${port} is none of 1 to 65535` };
  return { kind: "link", address: { kind: "tcp", host, port } };
}

/** Parses `/dev/ttyUSB0` or `COM3`, the part after the scheme of a serial address. */
export function parseSerial(text: string, { baud = DEFAULT_BAUD }: Partial<LinkDefaults> = {}): ParsedLink {
  if (!PATH.test(text)) return { kind: "invalid", problem: `"${quotable(text)}" is no serial port such as /dev/ttyUSB0 or COM3` };
  return { kind: "link", address: { kind: "serial", path: /^COM/i.test(text) ? text.toUpperCase() : text, baud } };
}

/**
 * Returns the canonical spelling of the place, without the speed. All `NAMES_OF_THIS_MACHINE` get one spelling, so that a device at a
 * TCP port of this machine has one lane.
 */
export function placeOf(address: LinkAddress): string {
  if (address.kind === "serial") return address.path;
  return nameOf(NAMES_OF_THIS_MACHINE.includes(address.host) ? { ...address, host: THIS_MACHINE } : address).slice("tcp:".length);
}

const THIS_MACHINE = "127.0.0.1";
/**
 * Names of this machine. `127.0.0.2` is missing, because another device may be behind it. When other names lead to one device, the device's
 * numbers show it (device-claims).
 */
const NAMES_OF_THIS_MACHINE: readonly string[] = [THIS_MACHINE, "localhost", "localhost.", "::1"];

/** Returns a closed link to the address. */
export function linkTo(address: LinkAddress, clock: Clock): Link {
  return address.kind === "tcp" ? new TcpLink(address, clock) : new SerialLink(address, clock, portNames);
}
