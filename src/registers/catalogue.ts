import { agentProtocol } from "./agent/index.ts";
import { emulatorProtocol } from "./emulator/index.ts";
import type { ParsedAddress, RegisterProtocol } from "./protocol.ts";
import { shtrihProtocol } from "./shtrih-m/index.ts";

export const REGISTER_PROTOCOLS: readonly RegisterProtocol[] = [emulatorProtocol, shtrihProtocol, agentProtocol];

const SCHEME = /^([a-z][a-z0-9+.-]*):/;

/** Parses a register's address without using a device. For an unknown scheme the problem lists the forms of known addresses. */
export function parseAddress(address: string, protocols: readonly RegisterProtocol[] = REGISTER_PROTOCOLS): ParsedAddress {
  const scheme = SCHEME.exec(address)?.[1];
  const protocol = protocols.find(({ schemes }) => scheme !== undefined && schemes.includes(scheme));
  if (protocol !== undefined) return protocol.parse(address);
  const known = protocols.map(({ form }) => form).join(", ");
  // The address may contain passwords, so the message quotes only the scheme.
  return { kind: "invalid", problem: `unknown register protocol "${scheme ?? ""}"; known addresses: ${known}` };
}
