const LOOPBACK_HOSTS: readonly string[] = ["127.0.0.1", "[::1]", "localhost"];

/** Returns the address without its query and fragment. */
export function withoutQuery(address: string): string {
  const end = address.search(/[?#]/);
  return end === -1 ? address : address.slice(0, end);
}

/** Returns the last segment of an address's path. Empty when the path ends with a slash. */
export function lastSegment(address: string): string {
  const path = withoutQuery(address);
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether the address names this machine: 127.0.0.1, [::1] or localhost. False for an absent or malformed address. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && URL.canParse(address) && LOOPBACK_HOSTS.includes(new URL(address).hostname);
}
