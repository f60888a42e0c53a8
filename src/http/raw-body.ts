import type { IncomingMessage } from "node:http";
import type { BodyRoom } from "./body-budget.ts";
import { unprovedRequestOf } from "./unproved-request.ts";
import { Unzip } from "./unzip.ts";

/** The body of a request. `readBody` returns it decompressed, as it was signed. `readRaw` returns it as it came. */
type Body =
  | { kind: "body"; bytes: Buffer }
  /** Too large, on the wire or decoded. */
  | { kind: "too-large" }
  /** The Content-Type or Content-Encoding is not accepted. `found`: what the caller sent. */
  | { kind: "wrong-type"; found: string }
  | { kind: "bad-encoding"; problem: string }
  /** Other unproved bodies use all the room, or too many bodies wait for decompression. The caller may try again later. */
  | { kind: "crowded" }
  /** The caller closed the connection, so no answer is possible. */
  | { kind: "aborted" };

/** The largest body (interface 4). */
export const MAX_BODY_BYTES = 1024 * 1024;
export const MAX_BODY_WORDS = `${MAX_BODY_BYTES / (1024 * 1024)} MiB`;

/**
 * How many bytes of a body after the allowed number are read and dropped. So an honest caller finishes sending and reads the answer,
 * instead of getting a connection reset.
 */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

/** The first memory for a body, and the factor of its growth. Most sales fit into the first size. */
const FIRST_ROOM_BYTES = 4 * 1024;
const ROOM_GROWTH = 4;

/**
 * Reads the body once. Checks in the order of interface 5: size, content type, gzip (bounded while decoding). The server's request time-out
 * limits the caller. Never throws.
 */
export async function readBody(request: IncomingMessage, { maxBytes = MAX_BODY_BYTES }: { maxBytes?: number } = {}): Promise<Body> {
  const wire = await readRaw(request, { maxBytes });
  if (wire.kind !== "body") return wire;
  const type = request.headers["content-type"] ?? "";
  if (!isJsonType(type)) return { kind: "wrong-type", found: type };
  return decode(request, wire.bytes, maxBytes);
}

/** Reads the bytes as they came, for any type and encoding in the headers. */
export async function readRaw(request: IncomingMessage, { maxBytes }: { maxBytes: number }): Promise<Body> {
  const unproved = unprovedRequestOf(request);
  const wire = await readWire(request, maxBytes);
  unproved?.takeBody();
  if ((wire.kind === "too-large" || wire.kind === "crowded") && !request.complete) unproved?.endConnection();
  return wire;
}

function readWire(request: IncomingMessage, maxBytes: number): Promise<Body> {
  return new Promise((resolve) => {
    let size = 0;
    const leave = (body: Body) => {
      request.off("data", take).off("end", finish).off("close", abort).off("error", abort);
      if (body.kind !== "body") buffer.drop();
      resolve(body);
    };
    const buffer = new BodyBuffer(unprovedRequestOf(request)?.openBody(() => leave({ kind: "crowded" })));
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes + MAX_DISCARDED_BYTES) leave({ kind: "too-large" });
      else if (size > maxBytes) buffer.drop();
      else if (!buffer.add(chunk, maxBytes)) leave({ kind: "crowded" });
    };
    const abort = () => leave({ kind: "aborted" });
    const finish = () => {
      if (!request.complete) abort();
      else leave(size > maxBytes ? { kind: "too-large" } : { kind: "body", bytes: buffer.bytes });
    };
    request.on("data", take).on("end", finish).on("close", abort).on("error", abort);
    if (request.destroyed) abort();
  });
}

/** The received part of a body, in one buffer. A caller may send single bytes, and a buffer for each would cost hundreds of bytes. */
class BodyBuffer {
  readonly #room: BodyRoom | undefined;
  #buffer = Buffer.alloc(0);
  #size = 0;

  constructor(room: BodyRoom | undefined) {
    this.#room = room;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Adds the chunk. Returns false when there is no room for it. */
  add(chunk: Buffer, maxBytes: number): boolean {
    const size = this.#size + chunk.length;
    if (size > this.#buffer.length) {
      const capacity = Math.min(maxBytes, Math.max(FIRST_ROOM_BYTES, size, this.#buffer.length * ROOM_GROWTH));
      if (this.#room?.grow(capacity) === false) return false;
      const larger = Buffer.allocUnsafeSlow(capacity);
      this.#buffer.copy(larger, 0, 0, this.#size);
      release(this.#buffer);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#size);
    this.#size = size;
    return true;
  }

  drop(): void {
    release(this.#buffer);
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
    this.#room?.grow(0);
  }
}

/**
 * Frees the memory immediately. Otherwise callers that break off hundreds of bodies a second would leave tens of megabytes to the garbage
 * collector. Call it only when nothing else uses the buffer's memory.
 */
function release({ buffer, length }: Buffer): void {
  if (length > 0 && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

async function decode(request: IncomingMessage, bytes: Buffer, maxBytes: number): Promise<Body> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  const name = encoding.trim().toLowerCase();
  if (name === "identity" || name === "") return { kind: "body", bytes };
  if (name !== "gzip" && name !== "x-gzip") return { kind: "wrong-type", found: `Content-Encoding: ${encoding}` };
  const unzipped = await (unprovedRequestOf(request) ?? new Unzip()).unzip(bytes, maxBytes);
  switch (unzipped.kind) {
    case "bytes":
      return { kind: "body", bytes: unzipped.bytes };
    case "broken":
      return { kind: "bad-encoding", problem: unzipped.problem };
    case "too-large":
    case "crowded":
      return { kind: unzipped.kind };
  }
}

/** Accepts `application/json`, with UTF-8 or no charset. Other parameters do not matter. */
function isJsonType(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  if (type !== "application/json") return false;
  return parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/.test(parameter));
}
