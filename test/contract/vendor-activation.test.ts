import { generateKeyPairSync, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ACCESS_TOKEN, FIRST, installBody, openVendor, SECOND, tokenOf, type VendorServer } from "../support/vendor.ts";

const spki = (bits: number) => generateKeyPairSync("rsa", { modulusLength: bits }).publicKey.export({ type: "spki", format: "der" });
const KEY = spki(2048);
const OTHER_KEY = spki(2048);

function withKey(id: string, token: unknown, changes: Record<string, unknown> = {}) {
  return installBody({ additional: { fiscalApi: { id, token } }, ...changes });
}

let vendor: VendorServer;
let accountId: string;
beforeEach(async () => {
  vendor = await openVendor();
  accountId = randomUUID();
});
afterEach(() => vendor.close());

const state = async (appId = FIRST.appId) => (await vendor.installations.get({ appId, accountId }))?.state;

describe("Install", () => {
  it("answers SettingsRequired while no register is set, as JSON that says so", async () => {
    const answer = await vendor.send({ accountId, body: installBody() });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.body).toEqual({ status: "SettingsRequired" });
    expect(await state()).toBe("settings_required");
  });

  it("answers Activated when there is a default register", async () => {
    vendor.set.complete = true;
    expect((await vendor.send({ accountId, body: installBody() })).body).toEqual({ status: "Activated" });
    expect(await state()).toBe("active");
  });

  it("keeps account name, access, subscription and the token, which lies sealed in the database", async () => {
    await vendor.send({ accountId, body: installBody() });
    const key = { appId: FIRST.appId, accountId };
    expect(await vendor.installations.get(key)).toMatchObject({
      accountName: "bakery-north",
      hasAccessToken: true,
      access: [
        { resource: "https://api.platform.example/api/remap/1.2", scope: ["custom"], permissions: { retailStore: { view: "ALL" } } },
      ],
      subscription: { tariffName: "Start", trial: true },
    });
    expect((await vendor.installations.accessToken(key))?.reveal()).toBe(ACCESS_TOKEN);
    const rows = await vendor.store.db.selectFrom("installations").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(ACCESS_TOKEN);
  });

  it("shows no secret in its answer, its headers or the log", async () => {
    const answer = await vendor.send({ accountId, body: withKey(randomUUID(), KEY.toString("base64")) });
    const seen = JSON.stringify([answer.text, answer.headers, vendor.lines]);
    for (const secret of [ACCESS_TOKEN, FIRST.secretKey, KEY.toString("base64").slice(40, 80)]) expect(seen).not.toContain(secret);
  });

  it("takes a body packed with gzip", async () => {
    const body = gzipSync(JSON.stringify(installBody()));
    expect((await vendor.send({ accountId, body, headers: { "Content-Encoding": "gzip" } })).status).toBe(200);
  });

  it("ignores unknown fields, takes null as absent and a scope that is no list", async () => {
    const access = [{ resource: "https://api.platform.example/api/remap/1.2", scope: "admin", access_token: ACCESS_TOKEN, since: 5 }];
    const body = installBody({ subscription: null, additional: null, access, brandNew: { deep: [1, 2] } });
    expect((await vendor.send({ accountId, body })).status).toBe(200);
    expect(await vendor.installations.get({ appId: FIRST.appId, accountId })).toMatchObject({ access: [{ scope: ["admin"] }] });
  });

  it("works without any access, subscription or fiscal key", async () => {
    const body = installBody({ access: undefined, subscription: undefined });
    expect((await vendor.send({ accountId, body })).status).toBe(200);
    expect(await vendor.installations.get({ appId: FIRST.appId, accountId })).toMatchObject({ hasAccessToken: false });
  });

  it("answers the same when it comes twice with tokens of its own", async () => {
    const body = withKey(randomUUID(), KEY.toString("base64"));
    const first = await vendor.send({ accountId, body, requestId: "same" });
    const second = await vendor.send({ accountId, body, requestId: "same" });
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect((await vendor.installations.list()).found).toHaveLength(1);
  });

  it("finds the settings of an earlier installation again", async () => {
    const key = { appId: FIRST.appId, accountId };
    await vendor.send({ accountId, body: installBody() });
    await vendor.settings.set(key, randomUUID(), "register", "emulator:one");
    await vendor.send({ accountId, method: "DELETE", body: { cause: "Uninstall" } });
    expect((await vendor.send({ accountId, body: installBody() })).body).toEqual({ status: "Activated" });
    expect(await vendor.settings.list(key)).toHaveLength(1);
  });

  it("answers Activated when the last setting is made between its question and its commit", async () => {
    let asked = 0;
    vendor.set.isComplete = async () => asked++ > 0;
    expect((await vendor.send({ accountId, body: installBody() })).body).toEqual({ status: "Activated" });
    expect(await state()).toBe("active");
  });
});

it("Install answers Activated when the settings page activates the installation before the call can", async () => {
  const key = { appId: FIRST.appId, accountId };
  let asked = 0;
  vendor.set.isComplete = async () => {
    asked += 1;
    if (asked === 2) await vendor.installations.completeSetUp(key);
    return asked > 1;
  };
  expect((await vendor.send({ accountId, body: installBody() })).body).toEqual({ status: "Activated" });
});

describe("Resume", () => {
  beforeEach(async () => {
    await vendor.send({ accountId, body: installBody() });
    await vendor.settings.set({ appId: FIRST.appId, accountId }, "*", "register", "emulator:one");
    await vendor.send({ accountId, method: "DELETE", body: { cause: "Suspend" } });
  });

  it("puts a suspended installation back with its settings and the new token", async () => {
    const access = [{ resource: "r", scope: ["admin"], access_token: "a-new-token" }];
    const answer = await vendor.send({ accountId, body: installBody({ cause: "Resume", access }) });
    expect(answer.body).toEqual({ status: "Activated" });
    expect((await vendor.installations.accessToken({ appId: FIRST.appId, accountId }))?.reveal()).toBe("a-new-token");
  });

  it("answers SettingsRequired when the settings have gone meanwhile", async () => {
    await vendor.settings.set({ appId: FIRST.appId, accountId }, "*", "register", "");
    expect((await vendor.send({ accountId, body: installBody({ cause: "Resume" }) })).body).toEqual({ status: "SettingsRequired" });
  });
});

describe.each(["TariffChanged", "Autoprolongation"])("%s", (cause) => {
  const change = { cause, access: undefined, subscription: { tariffId: "t2", trial: false, tariffName: "Pro" } };

  it("changes the subscription and leaves status and token alone", async () => {
    vendor.set.complete = true;
    await vendor.send({ accountId, body: installBody() });
    vendor.set.complete = false;
    expect((await vendor.send({ accountId, body: installBody(change) })).body).toEqual({ status: "Activated" });
    const key = { appId: FIRST.appId, accountId };
    expect(await vendor.installations.get(key)).toMatchObject({ state: "active", subscription: { tariffName: "Pro", trial: false } });
    expect((await vendor.installations.accessToken(key))?.reveal()).toBe(ACCESS_TOKEN);
  });

  it("ignores a token that comes along all the same", async () => {
    await vendor.send({ accountId, body: installBody() });
    await vendor.send({ accountId, body: installBody({ ...change, access: [{ access_token: "another" }] }) });
    expect((await vendor.installations.accessToken({ appId: FIRST.appId, accountId }))?.reveal()).toBe(ACCESS_TOKEN);
  });

  it("answers the current status of an installation that waits for settings, also when they would be complete", async () => {
    await vendor.send({ accountId, body: installBody() });
    vendor.set.complete = true;
    expect((await vendor.send({ accountId, body: installBody(change) })).body).toEqual({ status: "SettingsRequired" });
    expect(await state()).toBe("settings_required");
  });

  it("does not wake a suspended installation", async () => {
    vendor.set.complete = true;
    await vendor.send({ accountId, body: installBody() });
    await vendor.send({ accountId, method: "DELETE", body: { cause: "Suspend" } });
    expect((await vendor.send({ accountId, body: installBody(change) })).body).toEqual({ status: "SettingsRequired" });
    expect(await state()).toBe("suspended");
  });

  it("is answered 200 and kept nowhere for an account that never installed", async () => {
    expect((await vendor.send({ accountId, body: installBody(change) })).body).toEqual({ status: "SettingsRequired" });
    expect(await state()).toBeUndefined();
  });
});

describe("an unknown cause of an activation", () => {
  it("is answered with the current status, changes nothing and is logged", async () => {
    vendor.set.complete = true;
    await vendor.send({ accountId, body: installBody() });
    const body = installBody({ cause: "Moved", access: [{ access_token: "another" }], subscription: { tariffName: "Pro" } });
    expect(await vendor.send({ accountId, body })).toMatchObject({ status: 200, body: { status: "Activated" } });
    expect(await vendor.installations.get({ appId: FIRST.appId, accountId })).toMatchObject({ subscription: { tariffName: "Start" } });
    expect(vendor.lines).toContainEqual(expect.objectContaining({ level: "warn", values: expect.objectContaining({ cause: "Moved" }) }));
  });

  it("is also a number, and installs nothing", async () => {
    expect((await vendor.send({ accountId, body: installBody({ cause: 5 }) })).status).toBe(200);
    expect(await state()).toBeUndefined();
  });
});

describe("the public key of an activation", () => {
  const registrationId = randomUUID();
  const party = () => vendor.installations.byRegistration(registrationId);

  it("is found by the registration id", async () => {
    vendor.set.complete = true;
    await vendor.send({ accountId, body: withKey(registrationId, KEY.toString("base64")) });
    expect(await party()).toEqual({ appId: FIRST.appId, accountId, state: "active", keys: [{ spki: KEY }] });
  });

  const unreadable: [string, unknown][] = [
    ["an access token", "asdfasdfgaerdfgqawefgqaergqa"],
    ["a key of 1024 bits", spki(1024).toString("base64")],
    ["an empty text", ""],
    ["null", null],
    ["a number", 5],
    ["an object", { n: 1 }],
  ];
  it.each(unreadable)("leaves the activation standing when it is %s, with a reason for the fiscal part", async (_name, token) => {
    vendor.set.complete = true;
    expect((await vendor.send({ accountId, body: withKey(registrationId, token) })).body).toEqual({ status: "Activated" });
    expect(await party()).toEqual({ appId: FIRST.appId, accountId, state: "active", keys: [], keyProblem: expect.stringMatching(/key/) });
    expect(vendor.lines.filter((line) => line.level === "error")).toEqual([
      expect.objectContaining({ values: expect.objectContaining({ problem: expect.stringMatching(/key/) }) }),
    ]);
  });

  it("is good for ten minutes more after another has replaced it", async () => {
    await vendor.send({ accountId, body: withKey(registrationId, KEY.toString("base64")) });
    await vendor.send({ accountId, body: withKey(registrationId, OTHER_KEY.toString("base64"), { cause: "Resume" }) });
    const retiresAtMs = vendor.clock.nowMs() + 600_000;
    expect((await party())?.keys).toEqual([{ spki: OTHER_KEY }, { spki: KEY, retiresAtMs }]);
    await vendor.clock.advance(599_999);
    expect((await party())?.keys).toHaveLength(2);
    await vendor.clock.advance(1);
    expect((await party())?.keys).toEqual([{ spki: OTHER_KEY }]);
  });

  it("is kept by an activation that brings none", async () => {
    await vendor.send({ accountId, body: withKey(registrationId, KEY.toString("base64")) });
    await vendor.send({ accountId, body: installBody({ cause: "Resume" }) });
    expect((await party())?.keys).toEqual([{ spki: KEY }]);
  });

  it("is refused with 400 when its registration id is missing or no id", async () => {
    for (const id of [undefined, null, "", "a/b", {}, "a".repeat(65)]) {
      const answer = await vendor.send({
        accountId,
        body: installBody({ additional: { fiscalApi: { id, token: KEY.toString("base64") } } }),
      });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 400, parameter: "additional.fiscalApi.id" }] } });
    }
  });
});

describe("two entries of the catalogue and two accounts", () => {
  it("never touch each other", async () => {
    vendor.set.complete = true;
    const other = randomUUID();
    await vendor.send({ accountId, body: withKey("reg-1", KEY.toString("base64")) });
    await vendor.send({ accountId, entry: SECOND, body: withKey("reg-2", OTHER_KEY.toString("base64"), { appUid: SECOND.appUid }) });
    await vendor.send({ accountId: other, body: installBody() });
    await vendor.settings.set({ appId: FIRST.appId, accountId }, "store-1", "paper", "58");

    await vendor.send({ accountId, method: "DELETE", body: { cause: "Uninstall" } });

    expect(await state(FIRST.appId)).toBe("uninstalled");
    expect(await state(SECOND.appId)).toBe("active");
    expect((await vendor.installations.accessToken({ appId: SECOND.appId, accountId }))?.reveal()).toBe(ACCESS_TOKEN);
    expect((await vendor.installations.get({ appId: FIRST.appId, accountId: other }))?.state).toBe("active");
    expect(await vendor.installations.byRegistration("reg-2")).toMatchObject({ appId: SECOND.appId, keys: [{ spki: OTHER_KEY }] });
    expect(await vendor.settings.list({ appId: SECOND.appId, accountId })).toEqual([]);
  });

  it("cannot take over a registration id with another key", async () => {
    vendor.set.complete = true;
    await vendor.send({ accountId, body: withKey("reg-1", KEY.toString("base64")) });
    const thief = randomUUID();
    expect((await vendor.send({ accountId: thief, body: withKey("reg-1", OTHER_KEY.toString("base64")) })).status).toBe(200);
    expect(await vendor.installations.byRegistration("reg-1")).toEqual({
      appId: FIRST.appId,
      accountId,
      state: "active",
      keys: [{ spki: KEY }],
    });
    expect(await vendor.installations.keyProblem({ appId: FIRST.appId, accountId: thief })).toMatch(/belongs to another installation/);
  });
});

describe("a wrong activation body", () => {
  const wrong: [string, object | string | Buffer, string | undefined][] = [
    ["broken JSON", "{", undefined],
    ["nothing", "", undefined],
    ["a number", "5", undefined],
    ["a list", "[]", undefined],
    ["null", "null", undefined],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), undefined],
    ["JSON nested too deep", `${"[".repeat(100)}${"]".repeat(100)}`, undefined],
    ["no appUid", installBody({ appUid: undefined }), "appUid"],
    ["the appUid of another entry", installBody({ appUid: SECOND.appUid }), "appUid"],
    ["an appUid that is a list", installBody({ appUid: [FIRST.appUid] }), "appUid"],
    ["no cause", installBody({ cause: undefined }), "cause"],
    ["a cause that is an object", installBody({ cause: {} }), "cause"],
    ["a cause that is true", installBody({ cause: true }), "cause"],
    ["a cause that is null", installBody({ cause: null }), "cause"],
    ["an account name that is an object", installBody({ accountName: {} }), "accountName"],
    ["access that is an object", installBody({ access: {} }), "access"],
    ["an access token that is a list", installBody({ access: [{ access_token: [ACCESS_TOKEN] }] }), "access.0.access_token"],
    ["an access token of 5000 characters", installBody({ access: [{ access_token: "a".repeat(5000) }] }), "access.0.access_token"],
    ["a subscription that is a text", installBody({ subscription: "Start" }), "subscription"],
    ["trial that is a word", installBody({ subscription: { trial: "maybe" } }), "subscription.trial"],
    ["additional that is a list", installBody({ additional: [] }), "additional"],
    ["fiscalApi that is a text", installBody({ additional: { fiscalApi: "x" } }), "additional.fiscalApi"],
  ];
  it.each(wrong)("with %s is 400, names the field and installs nothing", async (_name, body, parameter) => {
    const answer = await vendor.send({ accountId, body });
    expect(answer.status).toBe(400);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.body).toEqual({ errors: [{ error: expect.any(String), code: 400, ...(parameter === undefined ? {} : { parameter }) }] });
    expect((await vendor.installations.list()).found).toEqual([]);
  });

  it("of another type is 415", async () => {
    const body = JSON.stringify(installBody());
    for (const type of ["text/plain", "application/xml", "application/json; charset=windows-1251"]) {
      const answer = await vendor.send({ accountId, body, headers: { "Content-Type": type } });
      expect(answer).toMatchObject({ status: 415, body: { errors: [{ code: 415 }] } });
    }
  });

  it("above 1 MiB is 413, also when gzip makes it small", async () => {
    const huge = JSON.stringify(installBody({ pad: "a".repeat(1024 * 1024) }));
    expect(await vendor.send({ accountId, body: huge })).toMatchObject({ status: 413, body: { errors: [{ code: 413 }] } });
    const bomb = await vendor.send({ accountId, body: gzipSync(huge), headers: { "Content-Encoding": "gzip" } });
    expect(bomb.status).toBe(413);
  });

  it("with broken gzip is 400", async () => {
    const body = gzipSync(JSON.stringify(installBody())).subarray(0, 50);
    expect((await vendor.send({ accountId, body, headers: { "Content-Encoding": "gzip" } })).status).toBe(400);
  });

  it("for an account id that is none is 400 and names it", async () => {
    for (const path of ["a".repeat(65), "a%2Fb", "a%20b", "%D0%B0"]) {
      const answer = await vendor.send({ accountId: path, body: installBody() });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 400, parameter: "accountId" }] } });
    }
  });
});

describe("a fault of ours", () => {
  it("is 503 without any detail, and the platform's repeat with the same token succeeds", async () => {
    const call = { accountId, body: installBody(), requestId: "r-1", token: tokenOf(FIRST, vendor.clock) };
    const whole = vendor.set.isComplete;
    vendor.set.isComplete = async () => {
      throw new Error("disk on fire at /var/lib/secret-place");
    };
    const answer = await vendor.send(call);
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({ errors: [{ error: expect.any(String), code: 503 }] });
    expect(answer.text).not.toContain("fire");
    vendor.set.isComplete = whole;
    expect((await vendor.send(call)).status).toBe(200);
  });

  it("is 503 when the database has gone", async () => {
    await vendor.store.close();
    expect((await vendor.send({ accountId, body: installBody() })).status).toBe(503);
  });

  it("is 503 after 8 s without a result, while the work goes on and the repeat finds its answer", async () => {
    const call = { accountId, body: installBody(), requestId: "r-1", token: tokenOf(FIRST, vendor.clock) };
    let asked = () => {};
    let go = () => {};
    const waiting = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    vendor.set.isComplete = async () => {
      asked();
      await held;
      return true;
    };
    const first = vendor.send(call);
    await waiting;
    await vendor.clock.advance(8_000);
    expect((await first).status).toBe(503);
    const second = vendor.send(call);
    go();
    expect((await second).body).toEqual({ status: "Activated" });
  });
});
