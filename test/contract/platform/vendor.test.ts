import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Secret } from "../../../src/kernel/secret.ts";
import { openWire, type Wire } from "../../../src/platform/api/exchange.ts";
import type { VendorClient } from "../../../src/platform/vendor/client.ts";
import { FakeSolution } from "../../support/fake-solution.ts";
import { ADMINISTRATOR, EMPLOYEE, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { ENTRY, vendorClient } from "../../support/vendor-client.ts";

describe("the vendor client against the sandbox", () => {
  let solution: FakeSolution;
  let sandbox: TestSandbox;
  let wire: Wire;
  let client: VendorClient;
  let own: { appId: string; accountId: string };
  beforeAll(async () => {
    solution = await FakeSolution.open();
    sandbox = await testSandbox({ solution: { target: solution.url, ...ENTRY } });
    await sandbox.beginSolution();
    wire = openWire({ parallel: 2 });
    client = vendorClient({ url: sandbox.base, wire });
    own = { appId: ENTRY.appId, accountId: sandbox.account.id };
  });
  afterAll(async () => {
    await wire.close();
    await Promise.all([sandbox.close(), solution.close()]);
  });
  const foreign = () => ({ appId: ENTRY.appId, accountId: randomUUID() });

  /** Opens the solution's window as the user, and returns what the window's address and page state for the solution. */
  const open = async (login: string, under = "") => {
    const opened = await sandbox.call("POST", `${sandbox.base}/sandbox/context/${encodeURIComponent(login)}${under}`);
    return { key: new Secret(String(opened.at("contextKey"))), token: new Secret(String(opened.at("token"))) };
  };

  it("reads and tells a status, also when it was there before", async () => {
    expect(await client.status(own)).toMatchObject({ kind: "installed", status: "Activated" });
    for (const status of ["SettingsRequired", "SettingsRequired", "Activated"] as const) {
      expect(await client.tellStatus(own, status)).toEqual({ kind: "reported" });
      expect(await client.status(own)).toMatchObject({ status });
    }
  });

  it("learns that an account does not have the solution", async () => {
    const reply = { status: 404, errors: [{ code: 2004 }] };
    expect(await client.status(foreign())).toMatchObject({ kind: "not-installed", reply });
    expect(await client.tellStatus(foreign(), "Activated")).toMatchObject({ kind: "not-installed", reply });
    expect(await client.changeLoyalty(foreign(), { externalSearch: false })).toMatchObject({ kind: "not-installed", reply });
  });

  it("connects loyalty and changes it", async () => {
    const connection = { url: "https://us.example/loyalty", token: new Secret("of tills"), externalSearch: true };
    expect(await client.connectLoyalty(own, connection)).toEqual({ kind: "connected" });
    expect(await client.changeLoyalty(own, { externalSearch: false })).toEqual({ kind: "connected" });
  });

  it("learns that there is no process to end", async () => {
    const end = { asyncProcessId: randomUUID(), notification: { text: "Готово" } };
    expect(await client.completeButton(ENTRY.appId, end)).toMatchObject({ kind: "unknown-process", reply: { status: 404 } });
  });

  it("learns by key who opened the window: an administrator, and one who is none", async () => {
    const { key } = await open(ADMINISTRATOR.login);
    const employee = { accountId: own.accountId, uid: ADMINISTRATOR.login };
    expect(await client.userByKey(ENTRY.appId, key)).toMatchObject({ kind: "user", administrator: true, employee });
    const seller = await open(EMPLOYEE.login);
    expect(await client.userByKey(ENTRY.appId, seller.key)).toMatchObject({ kind: "user", administrator: false });
    expect(await client.userByKey(ENTRY.appId, new Secret(randomUUID()))).toMatchObject({ kind: "expired", reply: { status: 404 } });
  });

  it("learns by token who sits there, and the token is spent then", async () => {
    const { token } = await open(ADMINISTRATOR.login);
    const user = { accountId: own.accountId, userUid: ADMINISTRATOR.login, role: "admin", administrator: true };
    expect(await client.userByToken(ENTRY.appId, token)).toMatchObject({ kind: "user", ...user });
    expect(await client.userByToken(ENTRY.appId, token)).toMatchObject({ kind: "spent", reply: { errors: [{ code: 3007 }] } });
    const seller = await open(EMPLOYEE.login);
    expect(await client.userByToken(ENTRY.appId, seller.token)).toMatchObject({ kind: "user", role: "cashier", administrator: false });
  });

  it("learns nothing of who sits in front of another solution", async () => {
    const { key, token } = await open(ADMINISTRATOR.login, "/another");
    expect(await client.userByKey(ENTRY.appId, key)).toMatchObject({ kind: "foreign", reply: { status: 403 } });
    expect(await client.userByToken(ENTRY.appId, token)).toMatchObject({ kind: "spent", reply: { errors: [{ code: 3007 }] } });
  });

  it("keeps a one-time token that was sent with a wrong secret", async () => {
    const { token } = await open(ADMINISTRATOR.login);
    const wrong = vendorClient({ url: sandbox.base, wire, secretKey: "another" });
    expect(await wrong.userByToken(ENTRY.appId, token)).toMatchObject({ kind: "unauthorized", reply: { errors: [{ code: 1056 }] } });
    expect(await client.userByToken(ENTRY.appId, token)).toMatchObject({ kind: "user" });
  });
});
