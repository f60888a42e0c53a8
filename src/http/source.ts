import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** The maximum number of addresses of `X-Forwarded-For` that are read, from the right. */
const MAX_HOPS = 20;
const MAX_HEADER_LENGTH = 2_000;

/**
 * The address of the caller. Only a trusted proxy may name another address. Then the right-most named address that does not belong to a
 * trusted proxy counts (qr-acquirers 9). Without such an address the proxy's own address counts. Undefined: the address is unknown or
 * unreadable.
 */
export function sourceOf(peer: string | undefined, forwardedFor: string | undefined, trusted: BlockList): string | undefined {
  const direct = plainAddress(peer);
  if (direct === undefined || !isTrusted(direct, trusted)) return direct;
  if (forwardedFor === undefined || forwardedFor.trim() === "") return direct;
  const hops = forwardedFor.slice(-MAX_HEADER_LENGTH).split(",").slice(-MAX_HOPS).reverse();
  for (const hop of hops) {
    const address = plainAddress(hop.trim());
    if (address === undefined) return undefined;
    if (!isTrusted(address, trusted)) return address;
  }
  return direct;
}

/** The address of a request's caller, as `sourceOf` finds it. */
export function callerOf({ socket, headers }: IncomingMessage, trusted: BlockList): string | undefined {
  const forwarded = headers["x-forwarded-for"];
  return sourceOf(socket.remoteAddress, typeof forwarded === "string" ? forwarded : undefined, trusted);
}

/**
 * Returns the network of a caller's address: an IPv4 address as it is, or the first 64 bits of an IPv6 address, because one caller controls
 * all addresses that begin with these bits. Callers without a known address count as one network.
 */
export function networkOf(given: string | undefined): string {
  const address = plainAddress(given) ?? given;
  if (address === undefined || isIP(address) !== 6) return address ?? "unknown";
  const [head = "", tail] = (address.split("%", 1)[0] ?? "").split("::");
  const [before, after] = [head, tail ?? ""].map((text) => text.split(":").filter((group) => group !== ""));
  const known = [...(before ?? []), ...(after ?? [])];
  // The last 32 bits may be written as an IPv4 address, which replaces two groups.
  const missing = GROUPS - known.length - (known.at(-1)?.includes(".") ? 1 : 0);
  const groups = [...(before ?? []), ...Array.from({ length: missing }, () => "0"), ...(after ?? [])];
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

/** An IPv6 address has eight groups of 16 bits. */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

function isTrusted(address: string, trusted: BlockList): boolean {
  return trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** The address without a port, and without the mapping of IPv4 into IPv6. Undefined: the text is no address. */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bare = /^\[([0-9a-fA-F:.]{2,45})\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ?? text;
  const address = bare.toLowerCase().startsWith("::ffff:") && isIP(bare.slice(7)) === 4 ? bare.slice(7) : bare;
  return isIP(address) === 0 ? undefined : address;
}

/** Returns the list of all addresses of the given networks. A network is written as `10.0.0.0/8` or as one address. */
export function networksOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const isSix = isIP(address) === 6;
    list.addSubnet(address, bits === undefined ? (isSix ? 128 : 32) : Number(bits), isSix ? "ipv6" : "ipv4");
  }
  return list;
}
