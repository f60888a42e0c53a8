import type { AddressForm } from "../../address-form.ts";
import { BAUD_RATES, DEFAULT_BAUD, type LinkAddress, parseSerial, parseTcp, placeOf } from "../../links/address.ts";
import { type AddressOption, DRIVE_OPTION, readOptions } from "../../options.ts";
import type { LowLevelName } from "../wire/protocol-finder.ts";
import type { Passwords } from "./connection.ts";

export const TCP_SCHEME = "shtrih-m+tcp";
export const SERIAL_SCHEME = "shtrih-m+serial";

/** The devices' port (shtrih-protocol 3.1). */
const DEFAULT_PORT = 7_778;
/** Passwords are four bytes (shtrih-protocol 0.2). */
const PASSWORDS = { least: 0, most: 0xffff_ffff };
/** The range of `timeoutMs`: from the minimum of a vendor's driver to a minute (shtrih-protocol 3.3). */
const TIMEOUTS_MS = { least: 100, most: 60_000 };

const OPTIONS = {
  protocol: { values: ["auto", "1.0", "2.0"], standard: "auto" },
  operatorPassword: { values: PASSWORDS, standard: "1", secret: true },
  systemPassword: { values: PASSWORDS, standard: "30", secret: true },
  timeoutMs: { values: TIMEOUTS_MS, standard: "3000" },
  print: { values: ["paper", "none"], standard: "paper" },
  drive: DRIVE_OPTION,
} satisfies Record<string, AddressOption>;
/** Only for a serial line. */
const BAUD: AddressOption = { values: BAUD_RATES.map(String), standard: String(DEFAULT_BAUD) };

export const SHTRIH_FORMS: readonly AddressForm[] = [
  { scheme: TCP_SCHEME, place: { kind: "network", port: DEFAULT_PORT }, options: OPTIONS },
  { scheme: SERIAL_SCHEME, place: { kind: "serial" }, options: { ...OPTIONS, baud: BAUD } },
];

export interface ShtrihAddress {
  /** The address without options. Options do not change a device's lane, and passwords must not be shown. */
  canonical: string;
  link: LinkAddress;
  passwords: Passwords;
  /** The low-level protocol. `auto`: the device's answer decides. */
  protocol: LowLevelName | "auto";
  /** How long the driver waits for an acknowledgement, ms. */
  acknowledgeMs: number;
  /** Whether the device is set to print its documents. Some models ignore this. */
  print: "paper" | "none";
  anyDrive: boolean;
}

type ParsedShtrih = { kind: "address"; address: ShtrihAddress } | { kind: "invalid"; problem: string };

/** Parses `shtrih-m+tcp://HOST:PORT` and `shtrih-m+serial:PATH` with their options (interface 3). */
export function parseShtrih(text: string): ParsedShtrih {
  const serial = text.startsWith(`${SERIAL_SCHEME}:`);
  const read = readOptions(text, serial ? { ...OPTIONS, baud: BAUD } : OPTIONS);
  if (read.kind === "invalid") return read;
  const { options } = read;

  const protocol = options.get("protocol");
  const number = (name: keyof typeof OPTIONS | "baud") => Number(options.get(name));
  const place = read.base.slice(read.base.indexOf(":") + 1);
  const parsed = serial ? parseSerial(place, { baud: number("baud") }) : parseTcp(place, { port: DEFAULT_PORT });
  if (parsed.kind === "invalid") return parsed;
  return {
    kind: "address",
    address: {
      canonical: `${serial ? SERIAL_SCHEME : TCP_SCHEME}:${placeOf(parsed.address)}`,
      link: parsed.address,
      passwords: { operator: number("operatorPassword"), system: number("systemPassword") },
      protocol: protocol === "1.0" || protocol === "2.0" ? protocol : "auto",
      acknowledgeMs: number("timeoutMs"),
      print: options.get("print") === "none" ? "none" : "paper",
      anyDrive: options.get("drive") === "any",
    },
  };
}
