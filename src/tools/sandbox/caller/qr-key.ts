import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

/** RS256 needs an RSA key. Solutions refuse less than 2048 bits. */
const KEY_BITS = 2048;

/** A key pair for the platform's QR tokens. */
export interface QrKey {
  /** The key's id in token headers and in the key set. */
  readonly kid: string;
  readonly privateKey: KeyObject;
}

/** Makes a new pair. This takes tenths of a second, so it runs outside the event loop. */
export async function makeQrKey(): Promise<QrKey> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: KEY_BITS });
  return withKeyId(privateKey);
}

/** Reads a pair from its private key in PEM. */
export function readQrKey(pem: string): QrKey {
  return withKeyId(createPrivateKey(pem));
}

/** Returns the private key in PEM, for storage. */
export function qrKeyText({ privateKey }: QrKey): string {
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** One public key of a key set (RFC 7517). */
type PublicKeyEntry = { kid: string; kty: string; n: string; e: string; use: "sig"; alg: "RS256" };

/** Returns the document of the key address, with public keys only (platform-contracts 5.2). */
export function keySetOf(keys: readonly QrKey[]): { keys: PublicKeyEntry[] } {
  return { keys: keys.map(({ kid, privateKey }) => ({ kid, ...publicMembers(privateKey), use: "sig", alg: "RS256" })) };
}

function publicMembers(privateKey: KeyObject): { kty: string; n: string; e: string } {
  const { kty = "", n = "", e = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return { kty, n, e };
}

/** The key determines `kid` (RFC 7638), so a stored key keeps its `kid` after a restart. */
function withKeyId(privateKey: KeyObject): QrKey {
  const { kty, n, e } = publicMembers(privateKey);
  const kid = createHash("sha256").update(JSON.stringify({ e, kty, n })).digest("base64url");
  return { kid, privateKey };
}
