import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Agent, request } from "undici";
import { messageOf } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";

/**
 * More than 100 requests on one connection, or 30 s without a request, may cause errors (json-api 4). Both constants stay below these
 * limits.
 */
const MAX_REQUESTS_PER_CONNECTION = 99;
const IDLE_MS = 25_000;
/** The longest file, in bytes. The platform allows 10 MB (json-api 15); the rest is a margin. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** The longest answer that is no file, in bytes. A page of 1000 objects has a few megabytes, and parsing needs several times the memory. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** Several values of one name become separate headers. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** The longest answer, packed and unpacked. Default: `MAX_JSON_BYTES`. */
  readonly maxBytes?: number;
}

/** The answer is longer than allowed, packed or unpacked. The connection is closed if the rest has not been received. */
export class AnswerTooLong extends Error {
  constructor(maxBytes: number) {
    super(`the answer has more than ${maxBytes} bytes`);
    this.name = "AnswerTooLong";
  }
}

export class WireAbandoned extends Error {
  /** True when this request may have arrived. */
  readonly left: boolean;

  constructor(left: boolean, cause?: unknown) {
    super("the connections to the platform were ended", { cause });
    this.name = "WireAbandoned";
    this.left = left;
  }
}

/** An unpacked answer. Header names are in lower case. */
export interface Exchanged {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends HTTP requests over persistent connections, which it renews in time. Rejects when no whole answer came, also with `AnswerTooLong`
 * and `WireAbandoned`.
 */
export interface Wire {
  exchange(exchange: Exchange): Promise<Exchanged>;
  /** Ends the connections after the running requests are answered. Resolves only then. */
  close(): Promise<void>;
  /**
   * Ends the connections and all running requests immediately, for a server that stops. Sent requests may have been carried out. Every
   * running or later exchange rejects with `WireAbandoned`. A call that waits for its turn, or between two attempts, notices this only when
   * it sends. Safe to repeat, and safe to call after `close`, which then resolves.
   */
  abandon(): Promise<void>;
}

const unzip = promisify(gunzip);

/** Unpacks at most `maxBytes` bytes, because a small answer may unpack to a thousand times its size. */
async function unpacked(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw codeOf(error) === "ERR_BUFFER_TOO_LARGE" ? new AnswerTooLong(maxBytes) : error;
  }
}

async function whole(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early destroys the body and closes its connection.
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new AnswerTooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Connections by undici. `ca`: an additional trusted authority (the sandbox's, in tests). */
export function openWire(options: { parallel: number; ca?: string }): Wire {
  const agent = new Agent({
    connections: options.parallel,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxRequestsPerClient: MAX_REQUESTS_PER_CONNECTION,
    // The caller bounds the time by the signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(options.ca === undefined ? {} : { connect: { ca: options.ca } }),
  });
  const ending = new AbortController();
  const send = async ({ method, url, headers, body, signal: given, maxBytes = MAX_JSON_BYTES }: Exchange): Promise<Exchanged> => {
    const signal = AbortSignal.any([given, ending.signal]);
    const response = await request(url, { method, headers, signal, dispatcher: agent, ...present({ body }) });
    const bytes = await whole(response.body, maxBytes);
    const flat = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
    const packed = flat["content-encoding"]?.trim().toLowerCase() === "gzip" && bytes.length > 0;
    return { status: response.statusCode, headers: flat, body: packed ? await unpacked(bytes, maxBytes) : bytes };
  };
  return {
    async exchange(exchange) {
      if (ending.signal.aborted) throw new WireAbandoned(false);
      try {
        return await send(exchange);
      } catch (error) {
        throw ending.signal.aborted ? new WireAbandoned(!neverLeft(error), error) : error;
      }
    },
    close: () => agent.close(),
    async abandon() {
      // A closing agent of undici forgets its running requests and cannot destroy them, so they are aborted here.
      ending.abort(new Error("abandoned"));
      await agent.destroy();
    },
  };
}

/** Codes of failures before a connection exists: of the system, of name resolution, of undici. */
const BEFORE_SENDING = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_CLOSED",
];

/** True when a failed exchange has certainly sent nothing. False: it may have arrived. */
export function neverLeft(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && BEFORE_SENDING.includes(code);
}

/** The reason of a failed exchange, in words. For a host with several addresses only the errors of the addresses have a message. */
export function reasonOf(error: unknown): string {
  const own = messageOf(error);
  if (own !== "") return own;
  const inner = error instanceof AggregateError ? error.errors.map((each: unknown) => messageOf(each)).filter((each) => each !== "") : [];
  return inner.length > 0 ? inner.join("; ") : (codeOf(error) ?? "no reason given");
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}
