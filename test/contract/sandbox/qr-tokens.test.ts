import { createPublicKey } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeQr } from "../../support/fake-qr.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { temporaryFolder } from "../../support/server-process.ts";

describe("tokens of QR payment for calls of one's own", () => {
  let sandbox: TestSandbox;
  let qr: FakeQr;
  beforeAll(async () => {
    sandbox = await testSandbox({ tokenSeconds: 7 });
    qr = new FakeQr();
    qr.jwks = sandbox.jwks;
  });
  afterAll(() => sandbox.close());

  const own = (path: string, body?: unknown) => sandbox.call("POST", `${sandbox.base}/sandbox/qr/${path}`, body);
  const proved = async (wish: object = {}) => qr.prove(String((await own("token", wish)).at("token")));

  it("the key address answers everybody with public keys of RSA 2048 alone", async () => {
    const response = await fetch(sandbox.jwks);
    const document = (await response.json()) as { keys: Record<string, string>[] };
    expect([response.status, sandbox.jwks.startsWith(sandbox.base), document.keys.length]).toEqual([200, true, 1]);
    const [key = {}] = document.keys;
    expect(Object.keys(key).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    expect(createPublicKey({ key, format: "jwk" }).asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  it("a plain one is right, has an id of its own and lives as long as the option says", async () => {
    const [first, second] = [await proved(), await proved({ key: "current" })];
    expect([first.problem, second.problem]).toEqual([undefined, undefined]);
    expect(first.claims.id).not.toBe(second.claims.id);
    expect(Number(first.claims.exp) - Number(first.claims.iat)).toBe(7);
    expect(first.claims.iss).toBe(sandbox.issuer);
  });

  it.each([
    ["an issuer of others", { claims: { iss: "https://elsewhere.example" } }, "iss"],
    ["a moment that has passed", { claims: { exp: 1 } }, "exp"],
    ["no end", { claims: { exp: null } }, "exp"],
    ["jti in the place of id", { claims: { id: null, jti: "one" } }, "id"],
    ["another kid", { header: { kid: "other" } }, "kid"],
    ["no kid", { header: { kid: null } }, "kid"],
    ["no algorithm", { header: { alg: "none" } }, "algorithm"],
    ["the public key for a secret", { header: { alg: "HS256" } }, "algorithm"],
    ["a key that was never in the set", { key: "unknown" }, "kid"],
  ])("with %s it is wrong in that alone", async (_, wish, problem) => {
    expect((await proved(wish)).problem).toBe(problem);
  });

  it("claims that are named take the place of its own, others stand beside them", async () => {
    const { claims, problem } = await proved({ claims: { id: "chosen", aud: "somebody" } });
    expect([claims.id, claims.aud, problem]).toEqual(["chosen", "somebody", undefined]);
    expect((await proved({ claims: { id: "chosen" } })).problem).toBe("id");
  });

  it("a key that is rotated leaves the set, and signs on as the previous one", async () => {
    expect((await own("token", { key: "previous" })).status).toBe(409);
    const before = await proved();
    const { kid } = (await own("keys/rotate")).body as { kid: string };
    const [after, previous] = [await proved(), await proved({ key: "previous" })];
    expect([after.kid, after.problem]).toEqual([kid, undefined]);
    expect([previous.kid, previous.problem]).toEqual([before.kid, "kid"]);
    const { keys } = (await (await fetch(sandbox.jwks)).json()) as { keys: { kid: string }[] };
    expect(keys.map((key) => key.kid)).toEqual([kid]);
  });

  it("the key address fails when it is told to, until it is healed; tokens are made meanwhile", async () => {
    expect((await own("keys/fail")).status).toBe(200);
    expect((await fetch(sandbox.jwks)).status).toBe(500);
    expect((await proved()).problem).toBe("keys 500");
    expect((await own("keys/heal")).status).toBe(200);
    expect((await proved()).problem).toBeUndefined();
  });

  it("wishes that are none are refused", async () => {
    const statuses = await Promise.all(
      [
        own("token", { key: "golden" }),
        own("token", { claims: [] }),
        own("token", { header: "x" }),
        own("token", "[]"),
        own("keys/melt"),
        own("keys"),
      ].map(async (answer) => (await answer).status),
    );
    expect(statuses).toEqual([400, 400, 400, 400, 404, 405]);
    expect((await sandbox.call("GET", `${sandbox.base}/sandbox/qr/token`)).status).toBe(405);
  });

  it("the profile names the issuer", async () => {
    const production = await testSandbox({ profile: "production" });
    expect([sandbox.issuer, production.issuer]).toEqual(["https://platform.example", "https://moysklad.ru"]);
    await production.close();
  });

  it("keys last with the folder, the one that has left the set too", async () => {
    const data = temporaryFolder();
    const kids = async (at: TestSandbox) => {
      const fake = new FakeQr();
      fake.jwks = at.jwks;
      const token = async (key: string) => String((await at.call("POST", `${at.base}/sandbox/qr/token`, { key })).at("token"));
      const [current, previous] = [await fake.prove(await token("current")), await fake.prove(await token("previous"))];
      return [current.kid, current.problem, previous.kid, previous.problem];
    };
    const first = await testSandbox({ data });
    await first.call("POST", `${first.base}/sandbox/qr/keys/rotate`);
    const before = await kids(first);
    await first.close();
    const second = await testSandbox({ data });
    expect(await kids(second)).toEqual(before);
    expect(before.slice(1, 4)).toEqual([undefined, expect.any(String), "kid"]);
    await second.close();
  });
});
