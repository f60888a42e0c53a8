import { createPublicKey } from "node:crypto";
import { certificateOf, type SigningKey } from "./signing-key.ts";

/** Forms of a public key that break the contract. The contract requires Base64 of SPKI DER on one line (interface 5, Public key). */
export type KeyForm = "pem" | "url-safe" | "pkcs1" | "pkcs1-pem" | "certificate";

export function publicKeyAs(form: KeyForm, signingKey: SigningKey): string {
  const { publicKey } = signingKey;
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
      return certificateOf(signingKey);
  }
}
