import { createPublicKey, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { makeSigningKey, signBody } from "../../../../../src/tools/sandbox/caller/signing-key.ts";

const key = makeSigningKey();

describe("the platform's key pair", () => {
  it("the public key is SPKI DER of an RSA key of 2048 bits in one line of Base64", () => {
    expect(key.publicKey).toMatch(/^MIIBIjANBgkqhkiG9w0B[A-Za-z0-9+/]+={0,2}$/);
    const read = createPublicKey({ key: Buffer.from(key.publicKey, "base64"), format: "der", type: "spki" });
    expect(read.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  it("a signature over the body holds under the public key and for those bytes only", () => {
    const body = Buffer.from('{"name":"00031"}');
    const publicKey = createPublicKey({ key: Buffer.from(key.publicKey, "base64"), format: "der", type: "spki" });
    const signature = Buffer.from(signBody(body, key), "base64");
    expect(signature).toHaveLength(256);
    expect(verify("RSA-SHA256", body, publicKey, signature)).toBe(true);
    expect(verify("RSA-SHA256", Buffer.from('{"name":"00032"}'), publicKey, signature)).toBe(false);
  });
});
