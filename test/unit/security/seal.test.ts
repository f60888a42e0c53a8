import { describe, expect, it } from "vitest";
import { Secret } from "../../../src/kernel/secret.ts";
import { createSeal } from "../../../src/security/seal.ts";

const seal = createSeal(new Secret("key of the tests"));

describe("a sealed secret", () => {
  it("opens under the same key and at the same place", () => {
    expect(seal.open(seal.seal("пароль 30", "row 1"), "row 1")).toBe("пароль 30");
    expect(seal.open(seal.seal("", "row 1"), "row 1")).toBe("");
  });

  it("opens in another process that has the same SECRET_KEY", () => {
    expect(createSeal(new Secret("key of the tests")).open(seal.seal("30", "row 1"), "row 1")).toBe("30");
  });

  it("shows neither the text nor that two texts are the same", () => {
    const first = seal.seal("secret-text", "row 1");
    expect(first).not.toBe(seal.seal("secret-text", "row 1"));
    expect(first).not.toContain("secret-text");
    expect(Buffer.from(first.split(".")[2] ?? "", "base64url").toString("latin1")).not.toContain("secret-text");
  });

  it("is refused in another row", () => {
    expect(() => seal.open(seal.seal("30", "row 1"), "row 2")).toThrow(expect.objectContaining({ code: "seal-broken" }));
  });

  it("names SECRET_KEY when it was sealed under another one", () => {
    const other = createSeal(new Secret("another key"));
    expect(() => other.open(seal.seal("30", "row 1"), "row 1")).toThrow(
      expect.objectContaining({ code: "seal-key", message: expect.stringContaining("SECRET_KEY") }),
    );
  });

  it("is refused after any of its bytes was changed", () => {
    const sealed = seal.seal("30", "row 1");
    const [version, name, data = ""] = sealed.split(".");
    const bytes = Buffer.from(data, "base64url");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const text = [version, name, changed.toString("base64url")].join(".");
      expect(() => seal.open(text, "row 1")).toThrow(expect.objectContaining({ code: "seal-broken" }));
    }
  });

  it.each(["", "plain text", "s1", "s1.a", "s2.a.b"])("is told from text that never was sealed such as %j", (text) => {
    expect(() => seal.open(text, "row 1")).toThrow(expect.objectContaining({ code: "seal-broken" }));
  });

  it("is refused when it is cut short", () => {
    const [version, name] = seal.seal("30", "row 1").split(".");
    expect(() => seal.open(`${version}.${name}.AAAA`, "row 1")).toThrow(expect.objectContaining({ code: "seal-broken" }));
  });
});
