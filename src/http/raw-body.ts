import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** The request's body as it was signed: decoded from its transfer coding, otherwise untouched. */
export type Body =
  | { kind: "body"; bytes: Buffer }
  /** On the wire or after decoding. */
  | { kind: "too-large" }
  /** Content-Type or Content-Encoding that is not taken; `found` is what the caller sent. */
  | { kind: "wrong-type"; found: string }
  /** The gzip stream is broken. */
  | { kind: "bad-encoding"; problem: string }
  /** The caller went away: there is nobody to answer. */
  | { kind: "aborted" };

/** Interface 4: bodies up to 1 MiB. */
export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * How much of a body that is too large is read and thrown away, so that an honest caller finishes
 * sending and reads the answer instead of a reset connection.
 */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

/**
 * Reads the body once. Checks in the order of interface 5: size, content type, gzip (bounded while it
 * is decoded). How long a caller may take is the server's request time-out. Never throws.
 */
export async function readBody(request: IncomingMessage, { maxBytes = MAX_BODY_BYTES }: { maxBytes?: number } = {}): Promise<Body> {
  const wire = await readWire(request, maxBytes);
  if (wire.kind !== "body") return wire;
  const type = request.headers["content-type"] ?? "";
  if (!isJsonType(type)) return { kind: "wrong-type", found: type };
  return decode(wire.bytes, request.headers["content-encoding"] ?? "identity", maxBytes);
}

/** The bytes as they came, without looking at what they are called. */
async function readWire(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > maxBytes + MAX_DISCARDED_BYTES) return { kind: "too-large" };
    }
  } catch (error) {
    if (request.destroyed || isReset(error)) return { kind: "aborted" };
    throw error;
  }
  if (!request.complete) return { kind: "aborted" };
  return size > maxBytes ? { kind: "too-large" } : { kind: "body", bytes: Buffer.concat(chunks, size) };
}

const unzip = promisify(gunzip);

async function decode(bytes: Buffer, encoding: string, maxBytes: number): Promise<Body> {
  const name = encoding.trim().toLowerCase();
  if (name === "identity" || name === "") return { kind: "body", bytes };
  if (name !== "gzip" && name !== "x-gzip") return { kind: "wrong-type", found: `Content-Encoding: ${encoding}` };
  try {
    return { kind: "body", bytes: await unzip(bytes, { maxOutputLength: maxBytes }) };
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") return { kind: "too-large" };
    return { kind: "bad-encoding", problem: error instanceof Error ? error.message : String(error) };
  }
}

/** `application/json`, with no parameter or with `charset=utf-8`. */
export function isJsonType(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  if (type !== "application/json") return false;
  return parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/.test(parameter));
}

function isReset(error: unknown): boolean {
  return ["ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE"].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
