import { createPublicKey, type JsonWebKey, randomUUID, verify } from "node:crypto";
import { systemClock } from "../../src/kernel/clock.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";
import type { VendorDouble } from "./double-vendor.ts";

/** The time after create at which the buyer at the simulated bank pays. */
const PAY_AFTER_MS = 40;
/** For an unknown key the server reads the keys again, but only once in this time. */
const READ_PAUSE_MS = 500;
const MAX_BODY_BYTES = 1024 * 1024;
const SKEW_S = 60;
const MOST_KOPECKS = 100_000_000;
const SAME_REFUND_MS = 60_000;
const ID = /^[\w-]{1,64}$/;

/** A payment as the server knows it. */
export interface QrDoublePayment {
  readonly accountId: string;
  readonly storeId: string;
  readonly amount: number;
  readonly data: string;
  readonly begunMs: number;
  cancelled: boolean;
  told: boolean;
  readonly refunds: { amount: number; atMs: number }[];
}

/** The content of a token, and why it is refused. `problem` undefined: it is proved. */
export type TokenReading = { header: Record<string, unknown>; claims: Record<string, unknown>; problem: string | undefined };

/** The QR contract with a simulated bank, in memory. It is right in everything that the rules examine. */
export class QrDouble {
  /** The address of the platform's keys. It is known when the run listens. */
  jwks = "";
  readonly payments = new Map<string, QrDoublePayment>();
  readonly used = new Set<string>();
  readonly #vendor: VendorDouble;
  #keys: (JsonWebKey & { kid: string })[] = [];
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(vendor: VendorDouble) {
    this.#vendor = vendor;
  }

  /** Names of the keys that were read. */
  get kids(): ReadonlySet<string> {
    return new Set(this.#keys.map(({ kid }) => kid));
  }

  async answer(request: Incoming): Promise<Reply> {
    const [, call] = /^\/qr\/payment\/(qr|state|cancel)$/.exec(request.path) ?? [];
    if (call === undefined) return qrError(404, 404);
    if (request.method !== "POST") return qrError(405, 405);
    if (request.raw.length > MAX_BODY_BYTES) return qrError(413, 413);
    if (request.headers["content-type"] !== "application/json") return qrError(415, 415);
    const { claims, problem } = await this.read(request);
    const id = idOf(claims);
    if (problem !== undefined || id === undefined || this.used.has(id)) return qrError(401, 401);
    this.used.add(id);
    const value = jsonIn(request.body);
    if (value === undefined) return qrError(400, 400);
    return this.#work(call, typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {});
  }

  /** The content of a token, and the first fault in it. For an unknown key the keys are read again. */
  async read({ headers }: Incoming): Promise<TokenReading> {
    const [head = "", body = "", signature = ""] = (/^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1] ?? "").split(".");
    const [header, claims] = [objectIn(Buffer.from(head, "base64url")), objectIn(Buffer.from(body, "base64url"))];
    return { header, claims, problem: await this.#problem(`${head}.${body}`, signature, header, claims) };
  }

  /** Whether a key of the set has made the signature, whatever key the token names. */
  async isSigned({ headers }: Incoming): Promise<boolean> {
    const [head = "", body = "", signature = ""] = (/^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1] ?? "").split(".");
    return this.#keys.some((key) => isBy(key, `${head}.${body}`, signature));
  }

  async readKeys(): Promise<void> {
    const response = await fetch(this.jwks);
    const { keys } = (await response.json()) as { keys: (JsonWebKey & { kid: string })[] };
    this.#keys = keys;
  }

  async #problem(signed: string, signature: string, { alg, kid }: Record<string, unknown>, claims: Record<string, unknown>) {
    if (alg !== "RS256" || typeof kid !== "string") return "header";
    if (!this.kids.has(kid)) await this.#refresh();
    const key = this.#keys.find((each) => each.kid === kid);
    if (key === undefined) return "kid";
    if (!isBy(key, signed, signature)) return "signature";
    const nowS = systemClock.nowMs() / 1000;
    if (claims.iss !== "https://platform.example") return "iss";
    if (!(Number(claims.exp) > nowS - SKEW_S)) return "exp";
    return Number(claims.iat) < nowS + SKEW_S ? undefined : "iat";
  }

  /** Reads the keys, but only once in a while. */
  async #refresh(): Promise<void> {
    const nowMs = systemClock.monotonicMs();
    if (nowMs - this.#readAtMs >= READ_PAUSE_MS) {
      this.#readAtMs = nowMs;
      this.#reading = this.readKeys();
    }
    await this.#reading;
  }

  #work(call: string, body: Record<string, unknown>): Reply {
    const { operationId, accountId, retailStoreId, amount } = body;
    for (const name of ["operationId", "accountId", "retailStoreId"] as const)
      if (typeof body[name] !== "string" || !ID.test(body[name])) return qrError(412, 999, name);
    if (typeof amount !== "number") return qrError(412, 999, "amount");
    if (!Number.isInteger(amount) || amount < 1 || amount > MOST_KOPECKS) return qrError(412, 1004, "amount");
    if (this.#vendor.installed.get(String(accountId))?.state !== "active") return qrError(403, 1001);
    const key = `${String(accountId)} ${String(operationId)}`;
    const found = this.payments.get(key);
    if (call === "qr") return this.#create(key, { accountId: String(accountId), storeId: String(retailStoreId), amount }, found);
    if (found === undefined || found.storeId !== retailStoreId) return qrError(404, 1002);
    return call === "state" ? stateOf(found, String(operationId)) : this.#cancel(found, amount);
  }

  #create(key: string, named: { accountId: string; storeId: string; amount: number }, found: QrDoublePayment | undefined): Reply {
    const operationId = key.split(" ")[1] ?? "";
    if (found !== undefined && found.storeId !== named.storeId) return qrError(404, 1002);
    if (found !== undefined && found.amount !== named.amount) return qrError(409, 1003);
    const digits = named.amount % 100;
    if (digits === 4) return qrError(424, 1005);
    const data = `https://qr.example/${randomUUID()}?type=02&sum=${named.amount}&cur=RUB`;
    const payment = found ?? { ...named, data, begunMs: systemClock.nowMs(), cancelled: false, told: false, refunds: [] };
    this.payments.set(key, payment);
    if (digits === 5) return qrError(424, 1007);
    return { status: 200, body: JSON.stringify({ operationId, data: payment.data }) };
  }

  #cancel(payment: QrDoublePayment, amount: number): Reply {
    if (statusOf(payment) === "REJECTED") return { status: 200, body: "{}" };
    if (!payment.told) {
      if (amount !== payment.amount) return qrError(412, 1004, "amount");
      payment.cancelled = true;
      return { status: 200, body: "{}" };
    }
    const nowMs = systemClock.nowMs();
    if (payment.refunds.some((refund) => refund.amount === amount && nowMs - refund.atMs < SAME_REFUND_MS))
      return { status: 200, body: "{}" };
    const given = payment.refunds.reduce((sum, refund) => sum + refund.amount, 0);
    if (given + amount > payment.amount) return qrError(412, 1004, "amount");
    if (payment.amount % 100 === 7) return qrError(424, 1005);
    payment.refunds.push({ amount, atMs: nowMs });
    return { status: 200, body: "{}" };
  }
}

export function qrError(status: number, code: number, parameter?: string): Reply {
  const error = {
    error: "Refused",
    code,
    errorMessage: "Оплата не прошла. Повторите её.",
    ...(parameter === undefined ? {} : { parameter }),
  };
  return { status, body: JSON.stringify({ errors: [error] }) };
}

export function statusOf({ amount, begunMs, cancelled }: QrDoublePayment): "IN_PROGRESS" | "DONE" | "REJECTED" {
  if (cancelled) return "REJECTED";
  if (systemClock.nowMs() < begunMs + PAY_AFTER_MS) return "IN_PROGRESS";
  const digits = amount % 100;
  if (digits === 1) return "REJECTED";
  return digits >= 2 && digits <= 6 ? "IN_PROGRESS" : "DONE";
}

function stateOf(payment: QrDoublePayment, operationId: string): Reply {
  const status = statusOf(payment);
  if (status === "DONE") payment.told = true;
  return { status: 200, body: JSON.stringify({ operationId, status }) };
}

/** The id of a token, which may have one of two names. */
export function idOf({ id, jti }: Record<string, unknown>): string | undefined {
  const found = id ?? jti;
  return typeof found === "string" ? found : undefined;
}

function isBy(key: JsonWebKey, signed: string, signature: string): boolean {
  return verify("RSA-SHA256", Buffer.from(signed), createPublicKey({ key, format: "jwk" }), Buffer.from(signature, "base64url"));
}

/** The body as JSON in UTF-8. Undefined: it is none. */
function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
