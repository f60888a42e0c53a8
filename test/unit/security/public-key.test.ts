import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readPublicKey } from "../../../src/security/public-key.ts";
import { CERTIFICATE_PEM, CERTIFICATE_SPKI_BASE64 } from "../../support/vendor-keys.ts";

const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
const spki = pair.publicKey.export({ type: "spki", format: "der" });
const oneLine = spki.toString("base64");

describe("the public key of an installation", () => {
  it("is read from one line of Base64 of SPKI DER and comes out byte for byte", () => {
    expect(readPublicKey(oneLine)).toEqual({ kind: "key", spki });
  });

  it("checks a signature of the pair's private half after it was read", () => {
    const reading = readPublicKey(oneLine);
    if (reading.kind !== "key") throw new Error(reading.problem);
    const key = createPublicKey({ key: reading.spki, format: "der", type: "spki" });
    const bytes = Buffer.from("{}");
    expect(verify("sha256", bytes, key, sign("sha256", bytes, pair.privateKey))).toBe(true);
  });

  const spellings: [string, string][] = [
    ["PEM armour", String(pair.publicKey.export({ type: "spki", format: "pem" }))],
    ["PEM armour with Windows line ends", String(pair.publicKey.export({ type: "spki", format: "pem" })).replaceAll("\n", "\r\n")],
    ["PEM armour with line breaks spelt out", String(pair.publicKey.export({ type: "spki", format: "pem" })).replaceAll("\n", "\\n")],
    ["PKCS#1 in PEM armour", String(pair.publicKey.export({ type: "pkcs1", format: "pem" }))],
    ["PKCS#1 as one line of Base64", pair.publicKey.export({ type: "pkcs1", format: "der" }).toString("base64")],
    ["the URL-safe alphabet without padding", spki.toString("base64url")],
    ["white space in and around it", `  ${oneLine.replaceAll(/(.{76})/g, "$1\r\n\t")} \n`],
    ["no padding", oneLine.replace(/=+$/, "")],
    ["Base64 over the whole PEM text", Buffer.from(String(pair.publicKey.export({ type: "spki", format: "pem" }))).toString("base64")],
  ];
  it.each(spellings)("is also read when it comes with %s", (_name, text) => {
    expect(readPublicKey(text)).toEqual({ kind: "key", spki });
  });

  it("is taken out of an X.509 certificate, armoured or not", () => {
    const expected = { kind: "key", spki: Buffer.from(CERTIFICATE_SPKI_BASE64, "base64") };
    expect(readPublicKey(CERTIFICATE_PEM)).toEqual(expected);
    expect(readPublicKey(CERTIFICATE_PEM.replaceAll(/-----.*-----|\s/g, ""))).toEqual(expected);
  });

  it("is refused below 2048 bits with its size in the words", () => {
    expect(readPublicKey(base64Of(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey))).toEqual({
      kind: "unusable",
      problem: "the RSA key has 1024 bits, at least 2048 are needed",
    });
  });

  it("is refused with the name of the algorithm when it is no RSA key", () => {
    const curve = readPublicKey(base64Of(generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey));
    expect(curve).toEqual({ kind: "unusable", problem: "the key is no RSA public key (its algorithm is elliptic curve)" });
    const edwards = readPublicKey(base64Of(generateKeyPairSync("ed25519").publicKey));
    expect(edwards).toEqual({ kind: "unusable", problem: "the key is no RSA public key (its algorithm is Ed25519)" });
  });

  it("is refused when its algorithm has a name that is none, however long", () => {
    const element = (tag: number, content: Buffer) =>
      Buffer.concat([Buffer.of(tag, 0x82, content.length >> 8, content.length & 0xff), content]);
    for (const length of [12, 300, 20_000]) {
      const der = element(0x30, Buffer.concat([element(0x30, element(0x06, Buffer.alloc(length, 0xff))), element(0x03, Buffer.of(0))]));
      expect(readPublicKey(der.toString("base64"))).toEqual({ kind: "unusable", problem: "the key is no RSA public key" });
    }
  });

  it("is refused when a private key was sent, and the words do not repeat it", () => {
    const reading = readPublicKey(String(pair.privateKey.export({ type: "pkcs8", format: "pem" })));
    expect(reading).toEqual({ kind: "unusable", problem: "a private key was sent instead of a public one" });
  });

  const broken: [string, string][] = [
    ["nothing", ""],
    ["armour around nothing", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----"],
    ["characters outside Base64", "this is not a key!"],
    ["a plain access token", "asdfasdfgaerdfgqawefgqaergqa"],
    ["half of a key", oneLine.slice(0, 200)],
    ["a key with bytes behind it", Buffer.concat([spki, Buffer.from([0, 1, 2])]).toString("base64")],
    ["zeros", Buffer.alloc(300).toString("base64")],
    ["deeply nested sequences", Buffer.concat(Array.from({ length: 500 }, () => Buffer.from([0x30, 0x80]))).toString("base64")],
    ["more text than any key has", "A".repeat(40_000)],
    ["a private key without armour", pair.privateKey.export({ type: "pkcs1", format: "der" }).toString("base64")],
  ];
  it.each(broken)("is refused with a reason and without an exception when it is %s", (_name, text) => {
    const reading = readPublicKey(text);
    expect(reading.kind).toBe("unusable");
    expect(reading).toHaveProperty("problem", expect.stringMatching(/key/));
  });

  it("never throws, whatever single byte of it was changed", () => {
    for (let at = 0; at < 40; at++) {
      const changed = Buffer.from(spki);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      expect(["key", "unusable"]).toContain(readPublicKey(changed.toString("base64")).kind);
    }
  });
});

function base64Of(key: KeyObject): string {
  return key.export({ type: "spki", format: "der" }).toString("base64");
}
