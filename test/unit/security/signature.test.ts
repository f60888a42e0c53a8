import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_SIGNATURE_SCHEME,
  decodeSignature,
  KeyCache,
  pair,
  SIGNATURE_SCHEME_NAMES,
  SIGNATURE_SCHEMES,
  type SignatureScheme,
  signatureSchemeNamed,
  verifySignature,
} from "../../../src/security/signature.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const BODY = Buffer.from('{"name":"Хлеб \\"Дарницкий\\"","sum":"2000"}');

function schemeOf(name: string): SignatureScheme {
  const scheme = signatureSchemeNamed(name);
  if (scheme === undefined) throw new Error(`no row ${name}`);
  return scheme;
}

function signed(content: Buffer, options: { digest?: string; pss?: boolean; key?: KeyObject; salt?: number } = {}): Buffer {
  const { digest = "sha256", pss = false, key = privateKey, salt = constants.RSA_PSS_SALTLEN_DIGEST } = options;
  return pss
    ? sign(digest, content, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: salt })
    : sign(digest, content, { key, padding: constants.RSA_PKCS1_PADDING });
}

describe("the default scheme", () => {
  const scheme = schemeOf(DEFAULT_SIGNATURE_SCHEME);
  const value = signed(BODY);

  it("is PKCS #1 v1.5 with SHA-256 over the raw body in standard Base64", () => {
    expect(verifySignature(scheme, publicKey, BODY, value.toString("base64"))).toBe(true);
  });

  it("takes the URL-safe alphabet, missing padding, hex in both cases and white space around the value", () => {
    const base64 = value.toString("base64");
    for (const text of [
      value.toString("base64url"),
      base64.replace(/=+$/, ""),
      value.toString("hex"),
      value.toString("hex").toUpperCase(),
      ` ${base64} `,
    ]) {
      expect(verifySignature(scheme, publicKey, BODY, text), text).toBe(true);
    }
  });

  it("refuses one changed byte of the body and another installation's key", () => {
    const changed = Buffer.from(BODY);
    changed[10] = (changed[10] ?? 0) ^ 1;
    expect(verifySignature(scheme, publicKey, changed, value.toString("base64"))).toBe(false);
    expect(verifySignature(scheme, stranger.publicKey, BODY, value.toString("base64"))).toBe(false);
    expect(verifySignature(scheme, publicKey, BODY, signed(BODY, { key: stranger.privateKey }).toString("base64"))).toBe(false);
  });

  it("refuses a value that is no signature at all without throwing", () => {
    for (const text of ["", "=", "not base64!", "QUJD", "a".repeat(512), "A".repeat(344), "0".repeat(100_000), "данные", "..", "a.b.c"]) {
      expect(verifySignature(scheme, publicKey, BODY, text), text.slice(0, 20)).toBe(false);
    }
  });

  it("refuses what other rows of the table would accept", () => {
    expect(verifySignature(scheme, publicKey, BODY, signed(BODY, { digest: "sha1" }).toString("base64"))).toBe(false);
    expect(verifySignature(scheme, publicKey, BODY, signed(BODY, { pss: true }).toString("base64"))).toBe(false);
  });
});

describe("pairing", () => {
  const hexDigest = createHash("sha256").update(BODY).digest("hex");
  const header = Buffer.from('{"alg":"RS256"}').toString("base64url");
  const payload = BODY.toString("base64url");
  const jws = `${header}.${payload}.${signed(Buffer.from(`${header}.${payload}`)).toString("base64url")}`;
  const cases: Record<string, string> = {
    "pkcs1-sha256-body": signed(BODY).toString("base64"),
    "pkcs1-sha1-body": signed(BODY, { digest: "sha1" }).toString("base64"),
    "pkcs1-sha512-body": signed(BODY, { digest: "sha512" }).toString("hex"),
    "pss-sha256-body": signed(BODY, { pss: true }).toString("base64"),
    "pss-sha384-body": signed(BODY, { pss: true, digest: "sha384", salt: 20 }).toString("base64"),
    "pkcs1-sha256-body-utf16le": signed(Buffer.from(BODY.toString("utf8"), "utf16le")).toString("base64"),
    "pkcs1-sha256-body-base64": signed(Buffer.from(BODY.toString("base64"))).toString("base64"),
    "pkcs1-sha256-sha256-hex": signed(Buffer.from(hexDigest)).toString("base64"),
    "pss-sha256-sha256-bytes": signed(Buffer.from(hexDigest, "hex"), { pss: true }).toString("base64url"),
    jws,
  };

  for (const [name, value] of Object.entries(cases)) {
    it(`finds the row ${name} among all of them`, () => {
      expect(pair(publicKey, BODY, value)?.name).toBe(name);
      expect(verifySignature(schemeOf(name), publicKey, BODY, value)).toBe(true);
    });
  }

  it("finds a JWS whose payload was left out", () => {
    const [head, , signature] = jws.split(".");
    expect(pair(publicKey, BODY, `${head}..${signature}`)?.name).toBe("jws");
  });

  it("finds nothing for a JWS over other bytes, without a signature, or with an algorithm that is not RSA", () => {
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
    const hmac = `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.${payload}.${"A".repeat(342)}`;
    expect(pair(publicKey, Buffer.from("{}"), jws)).toBeUndefined();
    const strange = ['{"alg":{"toString":0,"valueOf":0}}', '{"alg":["RS256"]}', '{"alg":null}', '{"alg":256}', "null", "[]", '"RS256"'];
    for (const text of strange) {
      const value = `${Buffer.from(text).toString("base64url")}.${payload}.${"A".repeat(342)}`;
      expect(pair(publicKey, BODY, value)).toBeUndefined();
    }
    for (const value of [none, hmac, `x.${payload}.${"A".repeat(342)}`, `${jws}.${jws}`])
      expect(pair(publicKey, BODY, value)).toBeUndefined();
  });

  it("finds nothing for a signature by another key", () => {
    expect(pair(publicKey, BODY, signed(BODY, { key: stranger.privateKey }).toString("base64"))).toBeUndefined();
  });
});

describe("the table of schemes", () => {
  it("has unique names, the default first", () => {
    expect(new Set(SIGNATURE_SCHEME_NAMES).size).toBe(SIGNATURE_SCHEMES.length);
    expect(SIGNATURE_SCHEME_NAMES[0]).toBe(DEFAULT_SIGNATURE_SCHEME);
    expect(signatureSchemeNamed("md5")).toBeUndefined();
  });
});

describe("decoding a signature", () => {
  it("reads hex digits as hex only at twice the key's length, else as Base64", () => {
    expect(decodeSignature("deadbeef", 4)?.toString("hex")).toBe("deadbeef");
    expect(decodeSignature("deadbeef", 6)).toEqual(Buffer.from("deadbeef", "base64"));
    expect(decodeSignature("deadbeef", 5)).toBeUndefined();
  });
});

describe("the cache of parsed keys", () => {
  const spkis = Array.from({ length: 3 }, () =>
    generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ type: "spki", format: "der" }),
  );
  const [first, second, third] = spkis as [Buffer, Buffer, Buffer];

  it("parses a key once and forgets the one that was not used for longest", () => {
    const cache = new KeyCache(2);
    const parsed = cache.of(first);
    expect(cache.of(first)).toBe(parsed);
    const other = cache.of(second);
    cache.of(first);
    cache.of(third);
    expect(cache.size).toBe(2);
    expect(cache.of(first)).toBe(parsed);
    expect(cache.of(second)).not.toBe(other);
    cache.close();
    expect(cache.size).toBe(0);
  });
});
