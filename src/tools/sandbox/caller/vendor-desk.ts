import type { Clock } from "../../../kernel/clock.ts";
import type { Solution } from "./installation.ts";
import { readToken, TOKEN_LIFE_S } from "./vendor-token.ts";

/** The statuses that a solution may report (platform-contracts 3.8). */
const REPORTABLE = ["Activating", "SettingsRequired", "Activated"];
const STATUS_PATH = /^\/api\/vendor\/1\.0\/apps\/([^/]+)\/([^/]+)\/status$/;
/** The allowed difference between the clocks of solution and platform. */
const SKEW_S = 60;

/**
 * The maximum number of used tokens in memory. One more token clears them all. A token lives five minutes, and no test makes this many
 * tokens in that time.
 */
const MAX_SEEN_TOKENS = 100_000;

interface DeskCall {
  method: string;
  path: string;
  authorization: string | undefined;
  body: Buffer;
}

/** A call to the platform, except a status call. */
export interface OtherCall extends DeskCall {
  /** Returns the problem of the solution's token. Undefined: the token is valid. A valid token is then marked as used. */
  tokenProblem(): string | undefined;
}

export interface Judged {
  status: number;
  answer: object;
  /** The status in the solution's call. */
  reported?: string;
  /** The reason for a refusal. */
  problem?: string;
  /** True: the solution could not foresee the refusal, so the refusal does not count as its fault. */
  excused?: boolean;
}

/** Answers calls that are not status calls. Undefined: the address does not exist. */
export type OtherAddresses = (call: OtherCall) => Omit<Judged, "reported"> | undefined;

/**
 * Answers a solution's calls in place of the platform (platform-contracts 3.8). As on the platform, a wrong, old or used token gets 401.
 */
export class VendorDesk {
  readonly #solution: Solution;
  readonly #clock: Clock;
  readonly #statuses = new Map<string, string>();
  readonly #seenTokens = new Set<string>();
  readonly #others: OtherAddresses;

  constructor(solution: Solution, clock: Clock, others: OtherAddresses = () => undefined) {
    this.#solution = solution;
    this.#clock = clock;
    this.#others = others;
  }

  /** Returns the platform's status of an installation. Undefined: not installed. */
  statusOf(accountId: string): string | undefined {
    return this.#statuses.get(accountId);
  }

  setStatus(accountId: string, status: string | undefined): void {
    if (status === undefined) this.#statuses.delete(accountId);
    else this.#statuses.set(accountId, status);
  }

  answer(call: DeskCall): Judged {
    const [, appId, accountId = ""] = STATUS_PATH.exec(call.path) ?? [];
    if (appId === undefined) {
      const other = this.#others({ ...call, tokenProblem: () => this.#tokenProblem(call.authorization) });
      return other ?? refuse(404, 1005, "no such address");
    }
    const problem = this.#tokenProblem(call.authorization);
    if (problem !== undefined) return refuse(401, 1056, problem);
    const current = appId === this.#solution.appId ? this.#statuses.get(accountId) : undefined;
    if (current === undefined) return refuse(404, 2004, "the solution is not installed");
    if (call.method === "GET") return { status: 200, answer: { status: current } };
    if (call.method !== "PUT") return refuse(405, 1005, "method not allowed");
    const reported = statusIn(call.body);
    if (reported === undefined) return refuse(400, 2001, "status is missing or unknown");
    this.#statuses.set(accountId, reported);
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
    if (this.#seenTokens.size >= MAX_SEEN_TOKENS) this.#seenTokens.clear();
    this.#seenTokens.add(jti);
    return undefined;
  }
}

/** Returns a refusal in the platform's format. */
export function refuse(status: number, code: number, error: string): Judged {
  return { status, answer: { errors: [{ error, code }] }, problem: error };
}

/** Returns the status in a solution's body. Undefined: the body states no known status. */
export function statusIn(body: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    const status: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "status") : undefined;
    return REPORTABLE.find((name) => name === status);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
