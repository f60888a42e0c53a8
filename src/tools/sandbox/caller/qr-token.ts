import { createHmac, createPublicKey, sign } from "node:crypto";
import type { Chance, Clock } from "../../../kernel/clock.ts";
import type { QrKey } from "./qr-key.ts";

/** Who makes tokens, and how long they live. */
export interface QrTokenMaker {
  readonly issuer: string;
  readonly lifeS: number;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Members that differ from those of a right token; `null` leaves a member out. */
export interface QrTokenChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * A token of its own for one QR call: RS256, `kid` in the header, claims `iss`, `id`, `iat` and `exp` in seconds
 * (platform-contracts 5.2). With changes it becomes one that a solution may have to refuse.
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
 * A stated algorithm other than RS256 is carried out as an attacker would: `none` has no signature, HS256 takes the public key,
 * which everybody knows, for the secret.
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
