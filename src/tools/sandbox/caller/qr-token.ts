import { createHmac, createPublicKey, sign } from "node:crypto";
import type { Chance, Clock } from "../../../kernel/clock.ts";
import type { QrKey } from "./qr-key.ts";

export interface QrTokenMaker {
  readonly issuer: string;
  readonly lifeS: number;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Replacements for members of a correct token. `null` omits a member. */
export interface QrTokenChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * Makes an RS256 token for one QR call (platform-contracts 5.2). The header has `kid`. The claims are `iss`, `id`, and `iat` and `exp` in
 * seconds. `changes` can make a token that a solution must refuse.
 */
export function makeQrToken(key: QrKey, { issuer, lifeS, clock, chance }: QrTokenMaker, changes: QrTokenChanges = {}): string {
  const iat = Math.floor(clock.nowMs() / 1000);
  const header = changed({ alg: "RS256", typ: "JWT", kid: key.kid }, changes.header);
  const claims = changed({ iss: issuer, id: chance.uuid(), iat, exp: iat + lifeS }, changes.claims);
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${signatureOf(signed, header.alg, key)}`;
}

function changed(members: object, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...members, ...changes }).filter(([, value]) => value !== null));
}

/**
 * Signs with the algorithm in the header. `none` has no signature. HS256 uses the public key as secret, as a forged token would.
 * Every other algorithm gets an RS256 signature.
 */
function signatureOf(signed: string, algorithm: unknown, { privateKey }: QrKey): string {
  if (algorithm === "none") return "";
  if (algorithm === "HS256") {
    const secret = createPublicKey(privateKey).export({ type: "spki", format: "pem" });
    return createHmac("sha256", secret).update(signed).digest("base64url");
  }
  return sign("RSA-SHA256", Buffer.from(signed), privateKey).toString("base64url");
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
