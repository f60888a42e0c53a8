import { createPublicKey } from "node:crypto";
import forge from "node-forge";
import type { SigningKey } from "./signing-key.ts";

/** How else than by the contract's own line a public key may be written (interface 5, Public key). */
export type KeyForm = "pem" | "url-safe" | "pkcs1" | "pkcs1-pem" | "certificate";

const CERTIFICATE_YEARS = 1;

export function publicKeyAs(form: KeyForm, { publicKey, privateKey }: SigningKey): string {
  const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), type: "spki", format: "der" });
  switch (form) {
    case "pem":
      return key.export({ type: "spki", format: "pem" }).toString();
    case "url-safe":
      return Buffer.from(publicKey, "base64").toString("base64url");
    case "pkcs1":
      return key.export({ type: "pkcs1", format: "der" }).toString("base64");
    case "pkcs1-pem":
      return key.export({ type: "pkcs1", format: "pem" }).toString();
    case "certificate":
      return certificateOf(
        key.export({ type: "spki", format: "pem" }).toString(),
        privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      );
  }
}

/** Signed by itself, in armour. */
function certificateOf(publicPem: string, privatePem: string): string {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicPem);
  certificate.serialNumber = "01";
  certificate.validity.notAfter.setFullYear(certificate.validity.notBefore.getFullYear() + CERTIFICATE_YEARS);
  const name = [{ name: "commonName", value: "conformance-run" }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.sign(forge.pki.privateKeyFromPem(privatePem), forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}
