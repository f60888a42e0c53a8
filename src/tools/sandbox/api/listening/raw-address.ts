import { type Duplex, duplexPair } from "node:stream";

/** A request line at the beginning of a chunk. */
const REQUEST_LINE = /^[A-Z]{3,7} [^\r\n]* HTTP\/1\.[01]\r?\n/;
const NOT_ASCII = /[\x80-\xff]/g;

/**
 * Percent-encodes non-ASCII bytes in the request's address, because the HTTP parser refuses them. The request line begins at `from`.
 * Undefined: the address has no such bytes, or no request line begins at `from`.
 */
export function encodedAddress(bytes: Buffer, from = 0): Buffer | undefined {
  const text = bytes.subarray(from).toString("latin1");
  const line = REQUEST_LINE.exec(text)?.[0];
  if (line === undefined || line.search(NOT_ASCII) < 0) return undefined;
  const encoded = line.replace(NOT_ASCII, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  return Buffer.from(encoded + text.slice(line.length), "latin1");
}

/** Returns the start of the line where the parser stopped. */
export function lineAt(bytes: Buffer, offset: number): number {
  return bytes.lastIndexOf("\n", Math.max(0, offset - 1)) + 1;
}

/**
 * Returns a second connection to the same server, for a client that the HTTP parser no longer reads. `write` encodes addresses in the
 * client's bytes. The answers go to the client. Both connections end together.
 */
export function reconnected(socket: Duplex): { readonly inner: Duplex; write(bytes: Buffer): void } {
  const [inner, outer] = duplexPair();
  outer.pipe(socket);
  socket.once("close", () => outer.destroy());
  outer.once("close", () => socket.end());
  return { inner, write: (bytes) => void outer.write(encodedAddress(bytes) ?? bytes) };
}
