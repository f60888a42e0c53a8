import { describe, expect, it } from "vitest";
import { readToken, signToken } from "../../../../../src/tools/sandbox/caller/vendor-token.ts";

/** The example token of jwt.io. Its secret is `your-256-bit-secret`. */
const KNOWN_TOKEN =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c";

describe("tokens of the vendor contract", () => {
  it("the example that every JWT library knows comes out byte for byte", () => {
    expect(signToken({ sub: "1234567890", name: "John Doe", iat: 1516239022 }, "your-256-bit-secret")).toBe(KNOWN_TOKEN);
  });

  it("a token is read back with its claims", () => {
    const read = readToken(KNOWN_TOKEN, "your-256-bit-secret");
    expect(read).toEqual({ kind: "claims", claims: { sub: "1234567890", name: "John Doe", iat: 1516239022 } });
  });

  it("another secret, another algorithm and a missing part are told apart", () => {
    const [, claims = "", signature = ""] = KNOWN_TOKEN.split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    expect(readToken(KNOWN_TOKEN, "other")).toEqual({ kind: "wrong", problem: "wrong signature" });
    expect(readToken(`${none}.${claims}.${signature}`, "your-256-bit-secret")).toEqual({
      kind: "wrong",
      problem: "algorithm is not HS256",
    });
    expect(readToken(`${claims}.${signature}`, "your-256-bit-secret")).toEqual({ kind: "wrong", problem: "not three parts" });
  });
});
