/** An address without what follows its path. */
export function withoutQuery(address: string): string {
  const end = address.search(/[?#]/);
  return end === -1 ? address : address.slice(0, end);
}

/** The last segment of an address's path; empty where it ends with a slash. */
export function lastSegment(address: string): string {
  const path = withoutQuery(address);
  return path.slice(path.lastIndexOf("/") + 1);
}
