import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

/** RS256 needs RSA; solutions accept no key below 2048 bits (interface 5). */
const KEY_BITS = 2048;

/** A key pair that the platform signs QR tokens with. */
export interface QrKey {
  /** Goes into the token's header and names the key in the set. */
  readonly kid: string;
  readonly privateKey: KeyObject;
}

/** A new pair. It is made outside of the event loop, which takes tenths of a second. */
export async function makeQrKey(): Promise<QrKey> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: KEY_BITS });
  return named(privateKey);
}

/** The pair whose private half was kept as PEM. */
export function readQrKey(pem: string): QrKey {
  return named(createPrivateKey(pem));
}

/** The private half as PEM, for whoever keeps it. */
export function qrKeyText({ privateKey }: QrKey): string {
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** One public key of a key set (RFC 7517). */
type PublicKeyEntry = { kid: string; kty: string; n: string; e: string; use: "sig"; alg: "RS256" };

/** The document at the key address: public halves only (platform-contracts 5.2). */
export function keySetOf(keys: readonly QrKey[]): { keys: PublicKeyEntry[] } {
  return { keys: keys.map(({ kid, privateKey }) => ({ kid, ...publicMembers(privateKey), use: "sig", alg: "RS256" })) };
}

function publicMembers(privateKey: KeyObject): { kty: string; n: string; e: string } {
  const { kty = "", n = "", e = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return { kty, n, e };
}

/** The name follows from the key (RFC 7638), so that a kept key has the same name at the next start. */
function named(privateKey: KeyObject): QrKey {
  const { kty, n, e } = publicMembers(privateKey);
  const kid = createHash("sha256").update(JSON.stringify({ e, kty, n })).digest("base64url");
  return { kid, privateKey };
}
