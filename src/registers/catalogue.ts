import { emulatorProtocol } from "./emulator/index.ts";
import type { ParsedAddress, RegisterProtocol } from "./protocol.ts";
import { shtrihProtocol } from "./shtrih-m/index.ts";

/** Every protocol there is: one line a folder. */
export const REGISTER_PROTOCOLS: readonly RegisterProtocol[] = [emulatorProtocol, shtrihProtocol];

const SCHEME = /^([a-z][a-z0-9+.-]*):/;

/** Reads a register's address without touching a device; an unknown protocol is refused with the list of known ones. */
export function parseAddress(address: string, protocols: readonly RegisterProtocol[] = REGISTER_PROTOCOLS): ParsedAddress {
  const scheme = SCHEME.exec(address)?.[1];
  const protocol = protocols.find(({ schemes }) => scheme !== undefined && schemes.includes(scheme));
  if (protocol !== undefined) return protocol.parse(address);
  const known = protocols.map(({ form }) => form).join(", ");
  // An address of a protocol that is not known may hold passwords: only its first word is repeated.
  return { kind: "invalid", problem: `unknown register protocol "${scheme ?? ""}"; known addresses: ${known}` };
}
