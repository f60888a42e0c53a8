import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Secret } from "../../../src/kernel/secret.ts";
import { bearerOf, makeToken, readToken } from "../../../src/security/token.ts";
import { claimsOf, signToken } from "../../support/vendor-token.ts";

const SECRET = "a secret of the catalogue entry, long enough for anybody";
const NOW_S = 1_770_000_000;
const NOW_MS = NOW_S * 1000;
const GOOD = { iat: NOW_S, exp: NOW_S + 300, jti: "5bb5e9ba-4b3c-4a53-9a5c-2b1cf2c4f1a8" };

const read = (token: string, secret = SECRET) => readToken(token, new Secret(secret), NOW_MS);
const readClaims = (claims: Record<string, unknown>) => read(signToken(claims, SECRET));

describe("a token of the platform's", () => {
  it("is valid when HS256 signs exp, iat and jti", async () => {
    expect(await readClaims(GOOD)).toEqual({ kind: "valid", id: GOOD.jti, expiresAtMs: (NOW_S + 300) * 1000 });
  });

  it.each(["x", "short", "0123456789012345678901234567890"])("is read with a secret below 32 bytes such as %j", async (secret) => {
    expect(await read(signToken(GOOD, secret), secret)).toMatchObject({ kind: "valid" });
  });

  it("is valid without typ and with unknown claims", async () => {
    const token = signToken({ ...GOOD, aud: "whoever", extra: [1] }, SECRET, { header: { alg: "HS256" } });
    expect(await read(token)).toMatchObject({ kind: "valid" });
  });

  it("is refused when another secret signed it", async () => {
    expect(await read(signToken(GOOD, "another"))).toEqual({ kind: "refused", reason: "signature", words: "The token is not valid" });
  });

  it("is refused when a claim was changed after signing", async () => {
    const [header, , signature] = signToken(GOOD, SECRET).split(".");
    const changed = Buffer.from(JSON.stringify({ ...GOOD, exp: NOW_S + 301 })).toString("base64url");
    expect(await read(`${header}.${changed}.${signature}`)).toMatchObject({ kind: "refused", reason: "signature" });
  });

  const otherAlgorithms: [string, string][] = [
    [
      "none without a signature",
      `${signToken(GOOD, SECRET, { header: { alg: "none" } })
        .split(".")
        .slice(0, 2)
        .join(".")}.`,
    ],
    ["none with a signature", signToken(GOOD, SECRET, { header: { alg: "none" } })],
    ["HS512", signToken(GOOD, SECRET, { header: { alg: "HS512" }, digest: "sha512" })],
    ["RS256", signToken(GOOD, SECRET, { header: { alg: "RS256" } })],
    ["hs256 in small letters", signToken(GOOD, SECRET, { header: { alg: "hs256" } })],
    ["nothing at all", signToken(GOOD, SECRET, { header: { typ: "JWT" } })],
    ["HS256 with an unknown critical extension", signToken(GOOD, SECRET, { header: { alg: "HS256", crit: ["x"], x: 1 } })],
  ];
  it.each(otherAlgorithms)("is refused when its algorithm is %s", async (_name, token) => {
    expect(await read(token)).toMatchObject({ kind: "refused", reason: "malformed" });
  });

  it("tells nothing about its claims when the signature is wrong", async () => {
    const old = signToken({ ...GOOD, exp: NOW_S - 1000 }, "another");
    expect(await read(old)).toEqual({ kind: "refused", reason: "signature", words: "The token is not valid" });
  });

  it("is good for 60 s after exp and no longer", async () => {
    expect(await readClaims({ ...GOOD, iat: NOW_S - 300, exp: NOW_S - 59 })).toMatchObject({ kind: "valid" });
    expect(await readClaims({ ...GOOD, iat: NOW_S - 300, exp: NOW_S - 61 })).toMatchObject({ kind: "refused", reason: "expired" });
  });

  it("may be issued up to 60 s ahead of our clock and no more", async () => {
    expect(await readClaims({ ...GOOD, iat: NOW_S + 60 })).toMatchObject({ kind: "valid" });
    expect(await readClaims({ ...GOOD, iat: NOW_S + 62, exp: NOW_S + 400 })).toMatchObject({ kind: "refused", reason: "too-early" });
  });

  const badClaims: [string, Record<string, unknown>][] = [
    ["exp is missing", { ...GOOD, exp: undefined }],
    ["iat is missing", { ...GOOD, iat: undefined }],
    ["jti is missing", { ...GOOD, jti: undefined }],
    ["exp is a string", { ...GOOD, exp: String(NOW_S + 300) }],
    ["iat is a string", { ...GOOD, iat: String(NOW_S) }],
    ["jti is a number", { ...GOOD, jti: 5 }],
    ["jti is empty", { ...GOOD, jti: "" }],
    ["jti is longer than any id", { ...GOOD, jti: "a".repeat(129) }],
    ["exp lies three thousand years ahead", { ...GOOD, exp: 1e12 }],
    ["nbf lies ahead", { ...GOOD, nbf: NOW_S + 1000 }],
  ];
  it.each(badClaims)("is refused when %s", async (_name, claims) => {
    expect(await readClaims(claims)).toMatchObject({ kind: "refused" });
  });

  it.each(["", "a", "a.b", "a.b.c", "....", "{}.{}.{}", "e30.e30.e30", "a".repeat(5000)])("is refused when it is %j", async (token) => {
    expect(await read(token)).toMatchObject({ kind: "refused" });
  });
});

describe("a token of ours", () => {
  const made = () => makeToken({ appUid: "fiscal-solution.dev", secret: new Secret("short"), id: "one", nowMs: NOW_MS + 999 });

  it("carries sub, iat, jti and an exp below the platform's 300 s", async () => {
    expect(claimsOf(await made())).toEqual({
      header: { alg: "HS256", typ: "JWT" },
      claims: { sub: "fiscal-solution.dev", iat: NOW_S, jti: "one", exp: NOW_S + 120 },
    });
  });

  it("is signed by HMAC with SHA-256 over its first two parts", async () => {
    const [header, claims, signature] = (await made()).split(".");
    expect(signature).toBe(createHmac("sha256", "short").update(`${header}.${claims}`).digest("base64url"));
  });
});

describe("the Authorization header", () => {
  it("gives its token whatever the case of Bearer", () => {
    expect(bearerOf("Bearer a.b.c")).toBe("a.b.c");
    expect(bearerOf("bearer  a.b.c ")).toBe("a.b.c");
  });

  it.each([undefined, "", "Bearer", "Bearer ", "Basic a.b.c", "a.b.c", "Bearer a.b", "Bearer a.b.c.d", "Bearer a.b.c, Bearer a.b.c"])(
    "gives nothing when it is %j",
    (header) => {
      expect(bearerOf(header)).toBeUndefined();
    },
  );
});
