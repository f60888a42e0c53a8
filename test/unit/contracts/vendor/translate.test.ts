import { describe, expect, it } from "vitest";
import { activationSchema } from "../../../../src/contracts/vendor/schema.ts";
import { activationOf, changeOf } from "../../../../src/contracts/vendor/translate.ts";

const body = (changes: Record<string, unknown>) => activationSchema.parse({ appUid: "a.b", cause: "Install", ...changes });

describe("an activation body in our words", () => {
  it("is empty when nothing but the required fields came", () => {
    expect(activationOf(body({}))).toEqual({});
    expect(activationOf(body({ accountName: null, access: null, subscription: null, additional: null }))).toEqual({});
    expect(activationOf(body({ additional: { fiscalApi: null } }))).toEqual({});
  });

  it("takes the first token that there is out of the access", () => {
    const access = [{ resource: "r1" }, { resource: "r2", access_token: "" }, { resource: "r3", access_token: "token" }];
    const activation = activationOf(body({ access }));
    expect(activation.accessToken?.reveal()).toBe("token");
    expect(activation.access).toEqual([
      { resource: "r1", scope: [] },
      { resource: "r2", scope: [] },
      { resource: "r3", scope: [] },
    ]);
  });

  it("keeps the known fields of a subscription that are there", () => {
    const subscription = { tariffId: "t", trial: "true", partner: null, unknown: 1 };
    expect(changeOf(body({ subscription }))).toEqual({ subscription: { tariffId: "t", trial: true } });
  });

  it("never carries a token in a change", () => {
    expect(changeOf(body({ access: [{ access_token: "token" }], accountName: "n" }))).toEqual({ accountName: "n" });
  });

  it("names what is wrong with a key that is missing or no text", () => {
    const keyOf = (token: unknown) => activationOf(body({ additional: { fiscalApi: { id: "reg", token } } })).fiscalKey;
    expect(keyOf(undefined)).toEqual({ registrationId: "reg", key: { kind: "unusable", problem: "no public key was sent" } });
    expect(keyOf({})).toEqual({ registrationId: "reg", key: { kind: "unusable", problem: "the public key is no text" } });
  });
});
