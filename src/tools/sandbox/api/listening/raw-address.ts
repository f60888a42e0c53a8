import { type Duplex, duplexPair } from "node:stream";

/** A request line with a target, as a chunk of bytes begins with one. */
const REQUEST_LINE = /^[A-Z]{3,7} [^\r\n]* HTTP\/1\.[01]\r?\n/;
const NOT_ASCII = /[\x80-\xff]/g;

/**
 * Bytes whose request line has characters beyond ASCII in its address, with these percent-encoded as a client should have done:
 * the parser of HTTP takes none of them. `from` is where in the bytes the line begins. Undefined: that is not what is wrong.
 */
export function encodedAddress(bytes: Buffer, from = 0): Buffer | undefined {
  const text = bytes.subarray(from).toString("latin1");
  const line = REQUEST_LINE.exec(text)?.[0];
  if (line === undefined || line.search(NOT_ASCII) < 0) return undefined;
  const encoded = line.replace(NOT_ASCII, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  return Buffer.from(encoded + text.slice(line.length), "latin1");
}

/** The beginning of the line that the parser stopped in. */
export function lineAt(bytes: Buffer, offset: number): number {
  return bytes.lastIndexOf("\n", Math.max(0, offset - 1)) + 1;
}

/**
 * A second connection to the same server for a client whose first one the parser gave up: what comes on it is written on with
 * addresses encoded, and what is answered goes back. Each side ends with the other.
 */
export function reconnected(socket: Duplex): { readonly inner: Duplex; write(bytes: Buffer): void } {
  const [inner, outer] = duplexPair();
  outer.pipe(socket);
  socket.once("close", () => outer.destroy());
  outer.once("close", () => socket.end());
  return { inner, write: (bytes) => void outer.write(encodedAddress(bytes) ?? bytes) };
}
