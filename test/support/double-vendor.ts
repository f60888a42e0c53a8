import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { systemClock } from "../../src/kernel/clock.ts";
import { readToken } from "../../src/tools/sandbox/caller/vendor-token.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";

export const DOUBLE_APP = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
};

export interface Installed {
  accountId: string;
  state: "active" | "suspended" | "uninstalled";
  registrationId?: string;
  key?: KeyObject;
  /** The key before this one. This server never forgets it. */
  formerKey?: KeyObject;
}

const PATH = /^\/vendor\/api\/(?:platform\/)?vendor\/1\.0\/apps\/([^/]+)\/([^/]+)(\/[a-z]+)?$/;
const MAX_BODY_BYTES = 1024 * 1024;
const SKEW_S = 60;

/** The vendor contract. */
export class VendorDouble {
  readonly installed = new Map<string, Installed>();
  readonly #seen = new Map<string, { call: string; reply: Reply }>();

  byRegistration(id: string): Installed | undefined {
    return [...this.installed.values()].find(({ registrationId }) => registrationId === id);
  }

  answer(request: Incoming): Reply {
    const [, appId, accountId = "", under = ""] = PATH.exec(request.path) ?? [];
    if (accountId === "") return vendorError(404, "no such address");
    const claims = appId === DOUBLE_APP.appId ? claimsOf(request.headers.authorization) : undefined;
    if (claims === undefined) return vendorError(401, "the token is not valid");
    if (request.body.length > MAX_BODY_BYTES) return vendorError(413, "too large");
    const jti = String(claims.jti);
    const call = JSON.stringify([request.method, request.path, request.headers.x_platform_requestid, request.body.toString("base64")]);
    const seen = this.#seen.get(jti);
    if (seen !== undefined) return seen.call === call ? seen.reply : vendorError(401, "the token was used before");
    const reply = this.#work(request, accountId, under);
    this.#seen.set(jti, { call, reply });
    return reply;
  }

  #work(request: Incoming, accountId: string, under: string): Reply {
    const found = this.installed.get(accountId);
    if (under === "/event") return { status: 200, body: "" };
    if (under !== "") return { status: 400, body: JSON.stringify({ error: { code: 400, errorMessage: "Такого действия нет." } }) };
    if (request.method === "GET") return found?.state === "active" ? stateIs() : vendorError(404, "not installed");
    const body = objectIn(request.body);
    if (request.method === "DELETE") return this.#stop(found, body.cause === "Uninstall" ? "uninstalled" : "suspended");
    if (request.body.length === 0 || Object.keys(body).length === 0) return vendorError(400, "the body is no JSON object");
    if (body.appUid !== DOUBLE_APP.appUid) return vendorError(400, "appUid is another's", "appUid");
    if (typeof body.cause !== "string") return vendorError(400, "cause is missing", "cause");
    if (body.cause === "Install" || body.cause === "Resume") this.#start(accountId, body);
    return stateIs();
  }

  #start(accountId: string, body: Record<string, unknown>): void {
    const { fiscalApi } = { ...(body.additional as { fiscalApi?: { id: string; token: string } } | null) };
    const before = this.installed.get(accountId);
    const key = fiscalApi === undefined ? undefined : keyIn(fiscalApi.token);
    this.installed.set(accountId, {
      ...before,
      accountId,
      state: "active",
      ...(fiscalApi === undefined ? {} : { registrationId: fiscalApi.id }),
      ...(key === undefined ? {} : { key, ...(before?.key === undefined ? {} : { formerKey: before.key }) }),
    });
  }

  #stop(found: Installed | undefined, state: Installed["state"]): Reply {
    if (found === undefined) return { status: 204, body: "" };
    found.state = state;
    return { status: 200, body: "" };
  }
}

export function stateIs(status = "Activated"): Reply {
  return { status: 200, body: JSON.stringify({ status }) };
}

export function vendorError(status: number, error: string, parameter?: string): Reply {
  return { status, body: JSON.stringify({ errors: [{ error, code: status, ...(parameter === undefined ? {} : { parameter }) }] }) };
}

/** The claims of a valid token. */
function claimsOf(authorization: string | undefined): Record<string, unknown> | undefined {
  const read = readToken(/^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "", DOUBLE_APP.secretKey);
  if (read.kind === "wrong") return undefined;
  const { iat, exp, jti } = read.claims;
  const nowS = systemClock.nowMs() / 1000;
  const right = typeof iat === "number" && typeof exp === "number" && typeof jti === "string";
  return right && exp > nowS - SKEW_S && iat < nowS + SKEW_S ? read.claims : undefined;
}

const MIN_KEY_BITS = 2048;

/** Reads a key: SPKI or PKCS#1 in DER, or a certificate, each of them also in PEM. */
function keyIn(token: string): KeyObject | undefined {
  const der = Buffer.from(token.replaceAll(/-----[A-Z0-9 ]+-----|\s/g, ""), "base64");
  const key =
    keyBy(() => createPublicKey({ key: der, type: "spki", format: "der" })) ??
    keyBy(() => createPublicKey({ key: der, type: "pkcs1", format: "der" })) ??
    keyBy(() => new X509Certificate(der).publicKey);
  return (key?.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_KEY_BITS ? key : undefined;
}

function keyBy(read: () => KeyObject): KeyObject | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
