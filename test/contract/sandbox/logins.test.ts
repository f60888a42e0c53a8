import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tokenId } from "../../../src/tools/sandbox/account/users.ts";
import { ADMINISTRATOR, EMPLOYEE, type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const basic = (login: string, password: string) => `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`;
const OWNER = basic(ADMINISTRATOR.login, ADMINISTRATOR.password);
const SELLER = basic(EMPLOYEE.login, EMPLOYEE.password);

describe("logins of the sandbox", () => {
  let sandbox: TestSandbox;
  const clock = new VirtualClock(Date.UTC(2026, 2, 5, 9));
  beforeAll(async () => {
    sandbox = await testSandbox({ clock });
  });
  afterAll(() => sandbox.close());

  const ask = (authorization: string, path = "entity/uom?limit=1") => sandbox.call("GET", path, undefined, { authorization });
  const issue = (authorization: string) => sandbox.call("POST", "security/token", undefined, { authorization });

  it("Basic takes login and password, Bearer the token", async () => {
    expect((await ask(OWNER)).status).toBe(200);
    expect((await ask(SELLER)).status).toBe(200);
    expect((await ask(`Bearer ${sandbox.token}`)).status).toBe(200);
  });

  it("missing, wrong and malformed credentials are answered alike but for the reason in the text: 401, 1056 and the extended number in headers", async () => {
    const wrong = [
      "",
      basic(ADMINISTRATOR.login, "wrong"),
      basic("nobody@shop", "secret"),
      basic("", ""),
      `Basic ${Buffer.from("no colon").toString("base64")}`,
      "Basic %%%",
      "Basic",
      "Bearer nothing",
      "Digest abc",
    ];
    const answers: SandboxAnswer[] = [];
    for (const authorization of wrong) answers.push(await ask(authorization));
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.at("errors", 0, "error")).toMatch(/^Ошибка аутентификации: (?:Неправильный пароль|Неверный формат)/);
      expect(answer.at("errors", 0, "code")).toBe(1056);
      expect(answer.headers.get("x-platform-auth")).toBe("401000");
      expect(decodeURIComponent(answer.headers.get("x-platform-auth-message") ?? "")).toBe(answer.at("errors", 0, "error"));
    }
  });

  it("a token is issued to Basic without a body, and every earlier one of the same user is revoked", async () => {
    const first = await issue(SELLER);
    expect([first.status, Object.keys(first.body as object)]).toEqual([200, ["access_token"]]);
    expect((await ask(`Bearer ${first.at("access_token")}`)).status).toBe(200);
    expect((await issue(`Bearer ${first.at("access_token")}`)).at("errors", 0, "code")).toBe(1056);
    const second = await issue(SELLER);
    expect((await ask(`Bearer ${first.at("access_token")}`)).at("errors", 0, "code")).toBe(1056);
    expect((await ask(`Bearer ${second.at("access_token")}`)).status).toBe(200);
    expect((await ask(`Bearer ${sandbox.token}`)).status).toBe(200);
  });

  it("a token of one version is good in the others", async () => {
    const token = (await issue(SELLER)).at("access_token");
    expect((await ask(`Bearer ${token}`, `${sandbox.base}/api/remap/1.1/entity/uom`)).status).toBe(200);
  });

  it("a solution's token acts as administrator, meets 55005 where a user is asked for, and ends when it is revoked", async () => {
    const stored = { type: "token", id: tokenId("of-a-solution"), values: { appId: "00000000-0000-4000-8000-0000000000aa" } };
    await sandbox.account.commit(() => sandbox.account.put(stored));
    const authorization = "Bearer of-a-solution";
    const attribute = { name: "Срок", type: "string" };
    const asSeller = await sandbox.call("POST", "entity/product/metadata/attributes", attribute, { authorization: SELLER });
    expect(asSeller.at("errors", 0, "code")).toBe(14010);
    expect((await sandbox.call("POST", "entity/product/metadata/attributes", attribute, { authorization })).status).toBe(200);
    const denied = await issue(authorization);
    expect([denied.status, denied.at("errors", 0, "code")]).toEqual([403, 55005]);
    await sandbox.account.commit(() => sandbox.account.remove(stored));
    expect((await ask(authorization)).status).toBe(401);
  });

  it("a login that failed too often is 429 with code 1048, with its password too, for a minute and for itself", async () => {
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 22; attempt += 1) codes.push((await ask(basic(EMPLOYEE.login, "guess"))).at("errors", 0, "code"));
    expect(codes.slice(0, 20)).toEqual(Array(20).fill(1056));
    expect(codes.slice(20)).toEqual([1048, 1048]);
    const locked = await ask(SELLER);
    expect([locked.status, locked.headers.get("x-platform-auth")]).toEqual([429, "429001"]);
    expect((await ask(OWNER)).status).toBe(200);
    await clock.advance(60_000);
    expect((await ask(SELLER)).status).toBe(200);
  });

  it("employees may log in when the administrator is left out", async () => {
    const other = await testSandbox({ administrator: undefined });
    onTestFinished(() => other.close());
    expect((await other.call("GET", "entity/uom?limit=1", undefined, { authorization: basic("admin@shop", "secret") })).status).toBe(200);
    expect((await other.call("GET", "entity/uom?limit=1", undefined, { authorization: SELLER })).status).toBe(200);
  });
});
