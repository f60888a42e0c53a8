import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import forge from "node-forge";

/** The platform makes one pair per installation (platform-contracts 4.2). */
const KEY_BITS = 2048;

/** The platform's half of a pair, and what it gives away at installation. */
export interface SigningKey {
  privateKey: KeyObject;
  /** SPKI DER in standard Base64 on one line, without armour (platform-contracts 3.4). */
  publicKey: string;
}

export function makeSigningKey(bits: number = KEY_BITS): SigningKey {
  const pair = forge.pki.rsa.generateKeyPair({ bits });
  const spki = forge.asn1.toDer(forge.pki.publicKeyToAsn1(pair.publicKey)).getBytes();
  return {
    privateKey: createPrivateKey(forge.pki.privateKeyToPem(pair.privateKey)),
    publicKey: forge.util.encode64(spki),
  };
}

/** RSASSA-PKCS1-v1_5 with SHA-256 over the bytes of the body, standard Base64 (interface 5). */
export function signBody(body: Buffer, key: SigningKey): string {
  return sign("RSA-SHA256", body, key.privateKey).toString("base64");
}
