import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { present } from "../../../kernel/present.ts";
import type { Solution } from "./installation.ts";
import { keySetOf, type QrKey } from "./qr-key.ts";
import { KEYS_PATH } from "./qr-key-address.ts";
import { type Judged, type OtherAddresses, refuse, VendorDesk } from "./vendor-desk.ts";

const ACCOUNT = /^\/api\/vendor\/1\.0\/apps\/[^/]+\/([^/]+)\/status$/;
const MAX_BODY_BYTES = 64 * 1024;

/** A solution's call, as the platform's log would show it. */
export interface ReceivedCall {
  method: string;
  /** Empty: the call is no status call. */
  accountId: string;
  status?: string;
  answered: number;
  /** The reason for a refusal. */
  problem?: string;
  /** True: the solution could not foresee the refusal, so the refusal does not count as its fault. */
  excused?: boolean;
}

/**
 * The platform's side of the vendor contract: a small server for the calls of platform-contracts 3.8 and for the QR keys. Like the
 * platform, it answers 415 to a call without gzip in Accept-Encoding, except for the QR keys.
 */
export class VendorSide {
  readonly #server: Server;
  readonly #desk: VendorDesk;
  readonly #received: ReceivedCall[] = [];
  readonly #keys: readonly QrKey[];

  /** `keys`: the keys that the platform's key address publishes. */
  constructor(solution: Solution, clock: Clock, others: OtherAddresses = () => undefined, keys: readonly QrKey[] = []) {
    this.#keys = keys;
    this.#desk = new VendorDesk(solution, clock, others);
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        reply(response, 500, errorBody(500, error instanceof Error ? error.message : String(error)));
      });
    });
  }

  /** Listens on this machine. Port 0 chooses a free port. */
  async open(port = 0): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
  }

  get base(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string")
      throw new Failure("vendor-side-closed", "fault", "the platform's server is not listening");
    return `http://127.0.0.1:${address.port}`;
  }

  get received(): readonly ReceivedCall[] {
    return this.#received;
  }

  /** Returns the platform's status of an installation. Undefined: not installed. */
  statusOf(accountId: string): string | undefined {
    return this.#desk.statusOf(accountId);
  }

  setStatus(accountId: string, status: string | undefined): void {
    this.#desk.setStatus(accountId, status);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const [, accountId = ""] = ACCOUNT.exec(path) ?? [];
    const method = request.method ?? "";
    const body = await readBody(request);
    if (path === KEYS_PATH) return published(response, this.#keys);
    const { status, answer, reported, problem, excused } = this.#judge(request, path, method, body);
    this.#received.push({
      method,
      accountId,
      answered: status,
      ...present({ status: reported, problem, excused }),
    });
    reply(response, status, answer);
  }

  #judge({ headers }: IncomingMessage, path: string, method: string, body: Buffer): Judged {
    if (!/\bgzip\b/.test(headers["accept-encoding"] ?? "")) return refuse(415, 1062, "Accept-Encoding: gzip is mandatory");
    return this.#desk.answer({ method, path, authorization: headers.authorization, body });
  }
}

function published(response: ServerResponse, keys: readonly QrKey[]): void {
  response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(keySetOf(keys)));
}

function errorBody(code: number, error: string): object {
  return { errors: [{ error, code }] };
}

function reply(response: ServerResponse, status: number, answer: object): void {
  const packed = gzipSync(JSON.stringify(answer));
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-encoding": "gzip",
    "content-length": packed.length,
  });
  response.end(packed);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new Failure("body-too-large", "caller", "the body is too large");
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
