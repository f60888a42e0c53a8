import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Clock } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Solution } from "./installation.ts";
import { readToken, TOKEN_LIFE_S } from "./vendor-token.ts";

/** States that a solution may report (platform-contracts 3.8). */
const REPORTABLE = ["Activating", "SettingsRequired", "Activated"];
const PATH = /^\/api\/vendor\/1\.0\/apps\/([^/]+)\/([^/]+)\/status$/;
const MAX_BODY_BYTES = 64 * 1024;
/** Clocks may differ by this much. */
const SKEW_S = 60;

/** A call that a solution made to us, as the platform's log would show it. */
export interface ReceivedCall {
  method: string;
  accountId: string;
  status?: string;
  answered: number;
  /** Why it was refused. */
  problem?: string;
}

/** A call to an address of the platform beside the status calls. */
export interface OtherCall {
  method: string;
  path: string;
  authorization: string | undefined;
  body: Buffer;
  /** What is wrong with the solution's own token; counts it as seen. */
  tokenProblem(): string | undefined;
}

/** The rest of the platform, as far as whoever plays it needs it; undefined: no such address. */
export type OtherAddresses = (call: OtherCall) => { status: number; answer: object; problem?: string } | undefined;

/**
 * The platform's side of the vendor contract: a small server for the status calls of
 * platform-contracts 3.8. It is as strict as the platform: no gzip in Accept-Encoding is 415, a token
 * that is wrong, too old or seen before is 401.
 */
export class VendorSide {
  readonly #server: Server;
  readonly #solution: Solution;
  readonly #clock: Clock;
  readonly #statuses = new Map<string, string>();
  readonly #seenTokens = new Set<string>();
  readonly #received: ReceivedCall[] = [];
  readonly #others: OtherAddresses;

  constructor(solution: Solution, clock: Clock, others: OtherAddresses = () => undefined) {
    this.#solution = solution;
    this.#clock = clock;
    this.#others = others;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        reply(response, 500, errorBody(500, error instanceof Error ? error.message : String(error)));
      });
    });
  }

  /** Listens on this machine, at a free port unless one is named. */
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

  /** The platform's own view of an installation; undefined: not installed. */
  statusOf(accountId: string): string | undefined {
    return this.#statuses.get(accountId);
  }

  setStatus(accountId: string, status: string | undefined): void {
    if (status === undefined) this.#statuses.delete(accountId);
    else this.#statuses.set(accountId, status);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const [, appId, accountId = ""] = PATH.exec(path) ?? [];
    const method = request.method ?? "";
    const body = await readBody(request);
    const { status, answer, reported, problem } = this.#judge(request, { path, appId, accountId, method, body });
    this.#received.push({
      method,
      accountId,
      answered: status,
      ...(reported === undefined ? {} : { status: reported }),
      ...(problem === undefined ? {} : { problem }),
    });
    reply(response, status, answer);
  }

  #judge(
    request: IncomingMessage,
    call: { path: string; appId: string | undefined; accountId: string; method: string; body: Buffer },
  ): Judged {
    const { authorization } = request.headers;
    if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return refuse(415, 1062, "Accept-Encoding: gzip is mandatory");
    if (call.appId === undefined) {
      const other = this.#others({ ...call, authorization, tokenProblem: () => this.#tokenProblem(authorization) });
      return other ?? refuse(404, 1005, "no such address");
    }
    const problem = this.#tokenProblem(authorization);
    if (problem !== undefined) return refuse(401, 1056, problem);
    const current = call.appId === this.#solution.appId ? this.#statuses.get(call.accountId) : undefined;
    if (current === undefined) return refuse(404, 2004, "the solution is not installed");
    if (call.method === "GET") return { status: 200, answer: { status: current } };
    if (call.method !== "PUT") return refuse(405, 1005, "method not allowed");
    const reported = statusIn(call.body);
    if (reported === undefined || !REPORTABLE.includes(reported)) return refuse(400, 2001, "status is missing or unknown");
    this.#statuses.set(call.accountId, reported);
    return { status: 200, answer: { status: reported }, reported };
  }

  #tokenProblem(authorization: string | undefined): string | undefined {
    const token = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1];
    if (token === undefined) return "no bearer token";
    const read = readToken(token, this.#solution.secretKey);
    if (read.kind === "wrong") return read.problem;
    const { sub, iat, jti } = read.claims;
    const nowS = this.#clock.nowMs() / 1000;
    if (sub !== this.#solution.appUid) return "sub is not the appUid";
    if (typeof iat !== "number" || iat > nowS + SKEW_S || iat + TOKEN_LIFE_S < nowS - SKEW_S) return "iat is missing or out of its time";
    if (typeof jti !== "string" || this.#seenTokens.has(jti)) return "jti is missing or was seen before";
    this.#seenTokens.add(jti);
    return undefined;
  }
}

interface Judged {
  status: number;
  answer: object;
  reported?: string;
  problem?: string;
}

function refuse(status: number, code: number, error: string): Judged {
  return { status, answer: errorBody(code, error), problem: error };
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

function statusIn(body: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    const status = typeof value === "object" && value !== null ? (value as Record<string, unknown>).status : undefined;
    return typeof status === "string" ? status : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
