import { type Clock, clockAhead } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import { readFileAtMost } from "../../kernel/files/bounded-read.ts";
import { MAX_REGISTERS } from "../../registers/agent/wire/frames-schema.ts";
import { parseAddress, REGISTER_PROTOCOLS } from "../../registers/catalogue.ts";
import type { RegisterProtocol } from "../../registers/protocol.ts";
import { wrongOption } from "../command-line.ts";
import { type AgentConfig, readAgentConfig } from "../config.ts";
import { readServer, type ServerAddress } from "../dial/server-address.ts";
import { type DataFolder, dataFolder, registersIn } from "../folder/data-folder.ts";
import type { NamedRegister } from "../service/inner-register.ts";

export const PLACE_OPTIONS = { data: { type: "string" } } as const;
export const WAY_OPTIONS = { ca: { type: "string" }, plain: { type: "boolean", default: false } } as const;
export const REGISTER_OPTIONS = { register: { type: "string", multiple: true } } as const;

export interface Place {
  config: AgentConfig;
  folder: DataFolder;
  clock: Clock;
}

/**
 * The protocols of the registers that an agent drives: all protocols except `agent`, because an agent must not use another agent's
 * register.
 */
export const INNER_PROTOCOLS: readonly RegisterProtocol[] = REGISTER_PROTOCOLS.filter(({ schemes }) => !schemes.includes("agent"));

const REGISTER_NAME = /^[a-z0-9-]{1,40}$/;

export function placeOf(values: { data?: string | undefined }): Place {
  const config = readAgentConfig();
  if (values.data === "") throw wrongOption("--data needs a folder");
  return { config, folder: dataFolder(values.data ?? config.dataDir), clock: clockAhead(config.clockAheadMs) };
}

/** The largest allowed file of certificates: about five times the size of an operating system's file of all trusted authorities. */
const MAX_CERTIFICATES_BYTES = 1024 * 1024;

/**
 * Reads a file of certificates. Without a file the result is empty. Throws a one-line `Failure` when the file is unreadable, too large or
 * holds no PEM certificate.
 */
export function caOf(file: string | undefined): { ca?: string } {
  if (file === undefined) return {};
  let ca: string | undefined;
  try {
    ca = readFileAtMost(file, MAX_CERTIFICATES_BYTES)?.toString("utf8");
  } catch (error) {
    throw wrongOption(`--ca ${file} cannot be read: ${messageOf(error)}`);
  }
  if (ca === undefined) throw wrongOption(`--ca ${file} is larger than ${MAX_CERTIFICATES_BYTES} bytes`);
  if (!ca.includes("-----BEGIN CERTIFICATE-----")) throw wrongOption(`--ca ${file} holds no PEM certificate`);
  return { ca };
}

export function serverOf(url: string, plain: boolean, { production }: AgentConfig): ServerAddress {
  if (plain && production) throw wrongOption("--plain is refused when NODE_ENV is production");
  const read = readServer(url, { plain, production });
  if (read.kind === "invalid") throw wrongOption(read.problem);
  return read.address;
}

/**
 * Returns the registers of `agent.json` and of the options `--register`. An option replaces a register of the same name. Throws a one-line
 * `Failure` for an invalid `agent.json`, for a bad or repeated name or address, and for too many registers.
 */
export function namedRegisters(folder: DataFolder, options: readonly string[] = []): NamedRegister[] {
  const given = new Map<string, string>();
  for (const option of options) {
    const mark = option.indexOf("=");
    const name = mark < 0 ? option : option.slice(0, mark);
    if (mark < 0) throw wrongOption(`--register is NAME=ADDRESS, such as main=shtrih-m+serial:/dev/ttyUSB0, not "${name}"`);
    if (given.has(name)) throw wrongOption(`--register ${name} is given twice`);
    given.set(name, option.slice(mark + 1));
  }
  const registers = Object.entries({ ...registersIn(folder), ...Object.fromEntries(given) }).map(([name, written]) => named(name, written));
  if (registers.length > MAX_REGISTERS) throw wrongOption(`an agent has at most ${MAX_REGISTERS} registers`);
  for (const [index, { name, address }] of registers.entries()) {
    const other = registers.slice(0, index).find((one) => one.address.canonical === address.canonical);
    if (other !== undefined) throw wrongOption(`the registers ${other.name} and ${name} have the same address ${address.canonical}`);
  }
  return registers;
}

function named(name: string, written: string): NamedRegister {
  if (!REGISTER_NAME.test(name)) throw wrongOption(`the name of a register has 1 to 40 of a-z, 0-9 and "-", not "${name}"`);
  if (written.startsWith("agent:"))
    throw wrongOption(`the register ${name} is behind another agent; an agent drives only devices of its own`);
  const parsed = parseAddress(written, INNER_PROTOCOLS);
  if (parsed.kind === "invalid") throw wrongOption(`the register ${name}: ${parsed.problem}`);
  return { name, address: parsed.address, written };
}
