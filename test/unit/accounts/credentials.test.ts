import { describe, expect, it } from "vitest";
import { credentialTable } from "../../../src/accounts/credentials.ts";
import { Secret } from "../../../src/kernel/secret.ts";

const set = (appId: string) => ({ appId, appUid: `${appId}.vendor`, secretKey: new Secret("hidden"), test: false });

describe("the table of credential sets", () => {
  it("finds each set by its appId", () => {
    const table = credentialTable([set("a"), set("b")]);
    expect(table.get("b")?.appUid).toBe("b.vendor");
    expect(table.get("c")).toBeUndefined();
  });

  it("is refused when an appId is in it twice", () => {
    expect(() => credentialTable([set("a"), set("a")])).toThrow(expect.objectContaining({ code: "credentials-repeated" }));
  });

  it("shows no secret when it is printed", () => {
    expect(JSON.stringify([...credentialTable([set("a")]).values()])).not.toContain("hidden");
  });
});
