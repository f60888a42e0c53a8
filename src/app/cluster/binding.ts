import { isIPv6 } from "node:net";
import { isLoopback } from "../../kernel/web-address.ts";

/**
 * Returns the address on which a process listens for the others. The host in CLUSTER_URL may exist only outside of a container, so the
 * process listens on all addresses of the same family, unless the host is a loopback address. A name counts as IPv4.
 */
export function bindingOf(url: string): string {
  const isSix = isIPv6(new URL(url).hostname.replace(/^\[|\]$/g, ""));
  if (isLoopback(url)) return isSix ? "::1" : "127.0.0.1";
  return isSix ? "::" : "0.0.0.0";
}
