import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import forge from "node-forge";

/** The size of the platform's key pair for an installation (platform-contracts 3.4). */
const KEY_BITS = 2048;

const CERTIFICATE_YEARS = 1;

/** The platform's private key, and the public key for the solution. */
export interface SigningKey {
  privateKey: KeyObject;
  /** SPKI DER in standard Base64 on one line, without PEM headers (platform-contracts 3.4). */
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

/** Returns the signature of the body: RSASSA-PKCS1-v1_5 with SHA-256, in standard Base64 (interface 5). */
export function signBody(body: Buffer, key: SigningKey): string {
  return sign("RSA-SHA256", body, key.privateKey).toString("base64");
}

/** Returns the public key in a self-signed X.509 certificate, in PEM. */
export function certificateOf({ privateKey }: SigningKey): string {
  const signer = forge.pki.privateKeyFromPem(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(signer.n, signer.e);
  certificate.serialNumber = "01";
  certificate.validity.notAfter.setFullYear(certificate.validity.notBefore.getFullYear() + CERTIFICATE_YEARS);
  const name = [{ name: "commonName", value: "conformance-run" }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.sign(signer, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}
