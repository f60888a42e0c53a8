import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEVELOPMENT_CREDENTIAL, readConfig, readTimeZone } from "../../../src/app/config.ts";
import { systemChance } from "../../../src/kernel/clock.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { PLATFORM_PROFILES } from "../../../src/kernel/platform-profile.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { checkPassword, hashPassword } from "../../../src/security/password.ts";

const ROW = { appId: "app-1", appUid: "shop.fiscal", secretKey: "hush-of-the-cabinet" };
const PRODUCTION = { NODE_ENV: "production", CREDENTIALS: JSON.stringify([ROW]), SECRET_KEY: "a key of the shop's own" };

/** The lines with which a start of the server ends. */
function complaints(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof Failure && error.code === "configuration" && error.kind === "caller") return error.message.split("\n");
    throw error;
  }
  return [];
}

/** Writes the text to a file for the test and returns its path. */
function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "credentials.json");
  writeFileSync(path, text);
  return path;
}

describe("the configuration of an empty environment", () => {
  it("is that of a developer at home", () => {
    const { secretKey, credentials, defaultAcquirer, codeChannel, consoleUsers, ...plain } = readConfig({});
    expect(plain).toEqual({
      host: "127.0.0.1",
      port: 8080,
      dataDir: "./data",
      profile: PLATFORM_PROFILES.canonical,
      defaultRegister: "emulator:{store}",
      defaultTaxSystem: "osn",
      moneyScale: 1,
      cashScale: 100,
      timeZone: "Europe/Moscow",
      bankAddresses: { yookassa: "https://api.yookassa.ru/v3", tbank: "https://securepay.tinkoff.ru/v2" },
      trustedProxies: [],
      clockAheadMs: 0,
      agents: { on: true, url: "ws://127.0.0.1:8080/agents", urlIsSet: false, pingMs: 5_000, silenceMs: 12_000, limit: 5_000 },
      logLevel: "info",
      production: false,
    });
    expect(defaultAcquirer?.reveal()).toBe("simulated");
    expect(codeChannel.reveal()).toBe("file");
    expect(secretKey.reveal()).toMatch(/^development-/);
    expect(consoleUsers.map(({ login }) => login)).toEqual(["operator"]);
    expect(credentials.map((row) => ({ ...row, secretKey: row.secretKey.reveal() }))).toEqual([{ ...DEVELOPMENT_CREDENTIAL, test: true }]);
  });

  it("is the same when every value is empty or blank", () => {
    const names = ["HOST", "PORT", "PUBLIC_URL", "DATABASE_URL", "PLATFORM_PROFILE", "CREDENTIALS", "CONSOLE_USERS", "SECRET_KEY"];
    const more = ["FISCAL_MONEY_SCALE", "FISCAL_CASH_SCALE", "TIME_ZONE", "PLATFORM_BASE_URL", "QR_ISSUER", "LOG_LEVEL", "NODE_ENV"];
    const ofPayments = ["DEFAULT_ACQUIRER", "YOOKASSA_URL", "TBANK_URL", "TRUSTED_PROXIES", "CLOCK_AHEAD_MS", "CODE_CHANNEL"];
    const blank = Object.fromEntries([...names, ...more, ...ofPayments].map((name, index) => [name, index % 2 === 0 ? "" : "  "]));
    expect(JSON.stringify(readConfig(blank))).toBe(JSON.stringify(readConfig({})));
  });
});

describe("the configuration of agents", () => {
  it("follows the public address unless it has its own", () => {
    expect(readConfig({ PUBLIC_URL: "https://fiscal.example" }).agents.url).toBe("wss://fiscal.example/agents");
    expect(readConfig({ PUBLIC_URL: "https://fiscal.example", AGENTS_URL: "wss://a.example/agents/" }).agents.url).toBe(
      "wss://a.example/agents",
    );
  });

  it.each([
    [{ AGENTS: "yes" }, 'AGENTS expects on or off; it is "yes"'],
    [{ AGENTS_URL: "https://a.example" }, "AGENTS_URL expects an address such as wss://"],
    [{ AGENT_LIMIT: "0" }, "AGENT_LIMIT expects whole connections from 1 to 100000"],
    [{ AGENT_SILENCE_MS: "5000" }, "AGENT_SILENCE_MS expects more than AGENT_PING_MS, which is 5000; it is 5000"],
    [{ NODE_ENV: "Production" }, "NODE_ENV expects production, written so"],
    [{ NODE_ENV: " prod" }, "NODE_ENV expects production, written so"],
    [{ NODE_ENV: "production", AGENTS_URL: "ws://a.example/agents" }, "AGENTS_URL expects a wss address when NODE_ENV is production"],
  ])("refuses %j", (environment, words) => {
    expect(() => readConfig(environment)).toThrow(words);
  });
});

describe("the configuration", () => {
  it("takes over every value that is given", () => {
    const config = readConfig({
      HOST: "::1",
      PORT: "0",
      PUBLIC_URL: "https://fiscal.shop.example/base//",
      DATA_DIR: "/var/lib/fiscal",
      DATABASE_URL: "postgres://user:hush@db.example:5432/fiscal",
      DEFAULT_REGISTER: "shtrih-m+tcp://10.0.0.7:7778",
      DEFAULT_TAX_SYSTEM: "usn-income",
      FISCAL_MONEY_SCALE: "100",
      FISCAL_CASH_SCALE: "1",
      TIME_ZONE: "Asia/Vladivostok",
      DEFAULT_ACQUIRER: "tbank?terminalKey=Terminal&password=hush",
      YOOKASSA_URL: "http://127.0.0.1:9000/v3/",
      TBANK_URL: "http://127.0.0.1:9001/v2",
      TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8,fd00::/8",
      CLOCK_AHEAD_MS: "3600000",
      LOG_LEVEL: "silent",
    });
    expect(config).toMatchObject({
      host: "::1",
      port: 0,
      publicUrl: "https://fiscal.shop.example/base",
      dataDir: "/var/lib/fiscal",
      defaultRegister: "shtrih-m+tcp://10.0.0.7:7778",
      defaultTaxSystem: "usn-income",
      moneyScale: 100,
      cashScale: 1,
      timeZone: "Asia/Vladivostok",
      bankAddresses: { yookassa: "http://127.0.0.1:9000/v3", tbank: "http://127.0.0.1:9001/v2" },
      trustedProxies: ["127.0.0.1", "10.0.0.0/8", "fd00::/8"],
      clockAheadMs: 3_600_000,
      logLevel: "silent",
    });
    expect(config.defaultAcquirer?.reveal()).toBe("tbank?terminalKey=Terminal&password=hush");
    expect(config.databaseUrl?.reveal()).toBe("postgres://user:hush@db.example:5432/fiscal");
  });

  it("shows no secret wherever it is printed", () => {
    const secrets = { DATABASE_URL: "postgres://user:hush@db.example:5432/fiscal", DEFAULT_ACQUIRER: "yookassa?shopId=1&secretKey=hush" };
    const config = readConfig({ ...PRODUCTION, ...secrets });
    for (const printed of [inspect(config, { depth: 9 }), JSON.stringify(config)]) expect(printed).not.toMatch(/hush|of the shop's own/);
  });

  it("ignores variables that are not its own", () => {
    expect(JSON.stringify(readConfig({ PATH: "/bin", PORT_NUMBER: "x" }))).toBe(JSON.stringify(readConfig({})));
  });
});

describe("a wrong value", () => {
  it.each([
    ["PORT", "65536", "a port number, 0 to 65535"],
    ["PORT", "-1", "a port number, 0 to 65535"],
    ["PORT", "http", "a port number, 0 to 65535"],
    ["PORT", "80.5", "a port number, 0 to 65535"],
    ["PUBLIC_URL", "fiscal.shop.example", "https://fiscal.shop.example"],
    ["PUBLIC_URL", "ftp://fiscal.shop.example", "https://fiscal.shop.example"],
    ["PLATFORM_PROFILE", "staging", "canonical, production"],
    ["PLATFORM_PROFILE", "toString", "canonical, production"],
    ["DEFAULT_TAX_SYSTEM", "usn", "osn, usn-income, usn-income-expense, eshn, patent"],
    ["DEFAULT_TAX_SYSTEM", "constructor", "osn, usn-income, usn-income-expense, eshn, patent"],
    ["FISCAL_MONEY_SCALE", "10", "1 (roubles) or 100 (kopecks)"],
    ["FISCAL_CASH_SCALE", "1.0", "1 (roubles) or 100 (kopecks)"],
    ["TIME_ZONE", "Europe/Atlantis", "a time zone such as Europe/Moscow"],
    ["PLATFORM_BASE_URL", "api.platform.example", "the address of the platform's JSON API"],
    ["PLATFORM_APPS_URL", "file:///etc/passwd", "the platform's side of the vendor contract"],
    ["PLATFORM_UI_URL", "javascript:alert(1)", "the platform's web application"],
    ["QR_JWKS_URL", "keys", "the keys of QR payment tokens"],
    ["YOOKASSA_URL", "api.yookassa.ru", "the address of YooKassa's API"],
    ["TBANK_URL", "ftp://bank.example", "the address of T-Bank's API"],
    ["TRUSTED_PROXIES", "10.0.0.0/33", "networks separated by commas"],
    ["TRUSTED_PROXIES", "proxy.example", "networks separated by commas"],
    ["CLOCK_AHEAD_MS", "-1", "whole milliseconds"],
    ["LOG_LEVEL", "loud", "trace, debug, info, warn, error, fatal, silent"],
  ])("of %s, %j, is refused by a line with its name, what it expects and what it is", (name, value, expected) => {
    const lines = complaints({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name} expects `));
    expect(lines[0]).toContain(expected);
    expect(lines[0]).toContain(JSON.stringify(value));
  });

  it.each([
    ["DATABASE_URL", "mysql://user:hush@db/fiscal", "postgres://USER:PASSWORD@HOST:PORT/DATABASE"],
    ["DATABASE_URL", "user:hush@db/fiscal", "postgres://USER:PASSWORD@HOST:PORT/DATABASE"],
    ["DATABASE_URL", "postgres://user:hush@db:port/fiscal", "postgres://USER:PASSWORD@HOST:PORT/DATABASE"],
    ["SECRET_KEY", "hush", "at least 16 characters"],
    ["CREDENTIALS", '[{"secretKey": "hush', "it is not JSON"],
    ["CREDENTIALS", "hush", "it is not JSON"],
    ["CREDENTIALS", "[]", "there is none in it"],
    ["CREDENTIALS", '{"appId":"a","appUid":"u","secretKey":"hush"}', "a JSON array"],
    ["CREDENTIALS", '[{"appId":"a","secretKey":"hush"}]', "a row lacks one of them"],
    ["CREDENTIALS", '[{"appId":"","appUid":"u","secretKey":"hush"}]', "a row lacks one of them"],
    ["CREDENTIALS", '["hush"]', "a row lacks one of them"],
    [
      "CREDENTIALS",
      '[{"appId":"a","appUid":"u","secretKey":"hush"},{"appId":"a","appUid":"v","secretKey":"hush"}]',
      "each appId once; a is there twice",
    ],
  ])("of the secret %s (%j) is refused without being repeated", (name, value, expected) => {
    const lines = complaints({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name} expects `));
    expect(lines[0]).toContain(expected);
    expect(lines[0]).not.toContain("hush");
  });

  it("does not hide the next: there is a line for each", () => {
    const lines = complaints({ PORT: "x", LOG_LEVEL: "y", SECRET_KEY: "hush", TIME_ZONE: "z" });
    expect(lines.map((line) => line.split(" ")[0]).toSorted()).toEqual(["LOG_LEVEL", "PORT", "SECRET_KEY", "TIME_ZONE"]);
  });
});

describe("CREDENTIALS", () => {
  const rows = JSON.stringify([ROW, { ...ROW, appId: "app-2", test: true }]);
  const read = (value: string) =>
    readConfig({ CREDENTIALS: value }).credentials.map((row) => ({ ...row, secretKey: row.secretKey.reveal() }));
  const expected = [
    { ...ROW, test: false },
    { ...ROW, appId: "app-2", test: true },
  ];

  it("are read from JSON, live unless the row says test", () => {
    expect(read(rows)).toEqual(expected);
  });

  it("are read from a file that is named after @", () => {
    expect(read(`@${fileWith(rows)}`)).toEqual(expected);
  });

  it("in a file that is not there are refused by its name", () => {
    const path = join(tmpdir(), "there-is-no-such-folder", "credentials.json");
    expect(complaints({ CREDENTIALS: `@${path}` })).toEqual([
      expect.stringMatching(/^CREDENTIALS expects .*no such file.*credentials\.json/),
    ]);
  });

  it("in a file that is broken are refused without its text", () => {
    const lines = complaints({ CREDENTIALS: `@${fileWith(`${rows},`)}` });
    expect(lines).toEqual([expect.stringMatching(/^CREDENTIALS expects .*not JSON$/)]);
    expect(lines.join()).not.toContain(ROW.secretKey);
  });
});

describe("the addresses of the platform", () => {
  const { canonical, production } = PLATFORM_PROFILES;

  it("are those of the profile that was chosen", () => {
    expect(readConfig({ PLATFORM_PROFILE: "production" }).profile).toEqual(production);
  });

  it("follow PLATFORM_BASE_URL when only that is given, and the names stay", () => {
    expect(readConfig({ PLATFORM_BASE_URL: "http://127.0.0.1:9100/" }).profile).toEqual({
      ...canonical,
      baseUrl: "http://127.0.0.1:9100",
      appsUrl: "http://127.0.0.1:9100",
      uiUrl: "http://127.0.0.1:9100",
    });
  });

  it("go before PLATFORM_BASE_URL where one is given for itself", () => {
    const { profile } = readConfig({
      PLATFORM_BASE_URL: "https://api.example",
      PLATFORM_APPS_URL: "https://apps.example/",
      PLATFORM_UI_URL: "https://ui.example",
      QR_JWKS_URL: "https://keys.example/jwks.json",
      QR_ISSUER: "issuer",
    });
    expect(profile).toMatchObject({
      baseUrl: "https://api.example",
      appsUrl: "https://apps.example",
      uiUrl: "https://ui.example",
      qrJwksUrl: "https://keys.example/jwks.json",
      qrIssuer: "issuer",
    });
  });

  it("given for the apps alone leave the others to the profile", () => {
    expect(readConfig({ PLATFORM_APPS_URL: "https://apps.example" }).profile).toEqual({ ...canonical, appsUrl: "https://apps.example" });
  });
});

describe("the time zone alone", () => {
  it("is read whatever else is wrong, with the server's default", () => {
    expect(readTimeZone({ PORT: "many", NODE_ENV: "production" })).toBe("Europe/Moscow");
    expect(readTimeZone({ TIME_ZONE: " " })).toBe("Europe/Moscow");
    expect(readTimeZone({ TIME_ZONE: "Asia/Omsk" })).toBe("Asia/Omsk");
    expect(() => readTimeZone({ TIME_ZONE: "Omsk" })).toThrow(/^TIME_ZONE expects a time zone such as Europe\/Moscow; it is "Omsk"$/);
  });
});

describe("the users of the console", () => {
  it("come from the variable or from the file that it names", async () => {
    const rows = [{ login: "anna", password: await hashPassword(new Secret("a password of anna"), systemChance) }];
    for (const text of [JSON.stringify(rows), `@${fileWith(JSON.stringify(rows))}`])
      expect(readConfig({ CONSOLE_USERS: text }).consoleUsers.map(({ login }) => login)).toEqual(["anna"]);
  });

  it.each([
    "anna",
    '[{"login":"anna"}]',
    '[{"login":"anna","password":"a password"}]',
    '[{"login":"","password":"scrypt$32768$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]',
    '[{"login":"a","password":"scrypt$32768$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},{"login":"a","password":"scrypt$32768$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]',
    "@/nowhere/users.json",
  ])("are refused in one line without their text: %s", (text) => {
    const lines = complaints({ CONSOLE_USERS: text });
    expect(lines).toEqual([expect.stringMatching(/^CONSOLE_USERS expects /)]);
    expect(lines.join()).not.toMatch(/a password"|scrypt\$/);
  });
});

describe("a default register of an empty value", () => {
  it("is none, also outside production", () => {
    for (const text of ["", "  "]) expect(readConfig({ DEFAULT_REGISTER: text })).not.toHaveProperty("defaultRegister");
  });
});

describe("production", () => {
  it("starts with credentials and a key of its own, and without a default register", () => {
    const config = readConfig(PRODUCTION);
    expect(config).toMatchObject({ production: true });
    expect(config).not.toHaveProperty("defaultRegister");
    expect(config).not.toHaveProperty("defaultAcquirer");
    expect(readConfig({ ...PRODUCTION, DEFAULT_REGISTER: "shtrih-m+tcp://10.0.0.7:7778" }).defaultRegister).toMatch(/^shtrih-m/);
  });

  it("refuses what is public or no cash register, each by a line of its own", () => {
    const lines = complaints({ NODE_ENV: "production", DEFAULT_REGISTER: "emulator:{store}" });
    expect(lines.map((line) => line.split(" expects ")[0])).toEqual(["CREDENTIALS", "SECRET_KEY", "DEFAULT_REGISTER"]);
    expect(lines.join()).not.toContain(DEVELOPMENT_CREDENTIAL.secretKey);
    expect(lines.join()).not.toContain(readConfig({}).secretKey.reveal());
  });

  it("refuses the development secret also under another appId and in the second row", () => {
    const rows = [ROW, { appId: "app-2", appUid: "other", secretKey: DEVELOPMENT_CREDENTIAL.secretKey }];
    expect(complaints({ ...PRODUCTION, CREDENTIALS: JSON.stringify(rows) })).toEqual([expect.stringMatching(/^CREDENTIALS /)]);
  });

  it("has no console unless somebody is named for it, and takes no public password", async () => {
    expect(readConfig(PRODUCTION).consoleUsers).toEqual([]);
    const [development] = readConfig({}).consoleUsers;
    const rows = [{ login: "anna", password: development?.passwordHash.reveal() }];
    expect(await checkPassword(new Secret("operator-development-only"), rows[0]?.password ?? "")).toBe(true);
    expect(complaints({ ...PRODUCTION, CONSOLE_USERS: JSON.stringify(rows) })).toEqual([expect.stringMatching(/^CONSOLE_USERS /)]);
  });

  it("refuses the development key also when it is written out", () => {
    const key = readConfig({}).secretKey.reveal();
    expect(complaints({ ...PRODUCTION, SECRET_KEY: key })).toEqual([expect.stringMatching(/^SECRET_KEY /)]);
  });

  it.each([
    ["DEFAULT_ACQUIRER", "simulated", "the simulated one moves no money"],
    ["DEFAULT_ACQUIRER", "simulated?payAfterMs=5", "the simulated one moves no money"],
    ["YOOKASSA_URL", "http://bank.example/v3", "an https address"],
    ["TBANK_URL", "http://127.0.0.1:9001/v2", "an https address"],
    ["CLOCK_AHEAD_MS", "1", "it is for tests of expiry"],
  ])("refuses %s=%s, which is for tests", (name, value, words) => {
    expect(complaints({ ...PRODUCTION, [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} expects .*${words}`))]);
  });

  it("takes a real acquirer, or none", () => {
    const setting = "yookassa?shopId=1&secretKey=hush";
    expect(readConfig({ ...PRODUCTION, DEFAULT_ACQUIRER: setting }).defaultAcquirer?.reveal()).toBe(setting);
    expect(readConfig({ ...PRODUCTION, DEFAULT_ACQUIRER: "none" })).not.toHaveProperty("defaultAcquirer");
  });

  it("is no other word than production", () => {
    expect(readConfig({ NODE_ENV: "test" })).toMatchObject({ production: false, defaultRegister: "emulator:{store}" });
  });
});

describe("the configuration of one of several processes", () => {
  const CLUSTER = { CLUSTER_URL: "http://10.0.0.5:9101/", DATABASE_URL: "postgres://fiscal:hush@10.0.0.9/fiscal" };

  it("has a lease of three seconds, its lock at the database, no default register and no default acquirer", () => {
    const { cluster, defaultRegister, defaultAcquirer } = readConfig(CLUSTER);
    expect(defaultAcquirer).toBeUndefined();
    expect(cluster).toMatchObject({ url: "http://10.0.0.5:9101", leaseMs: 3_000 });
    expect(cluster?.sessionUrl.reveal()).toBe(CLUSTER.DATABASE_URL);
    expect(defaultRegister).toBeUndefined();
    const session = "postgres://fiscal:hush@10.0.0.10/fiscal";
    expect(readConfig({ ...CLUSTER, DATABASE_SESSION_URL: session }).cluster?.sessionUrl.reveal()).toBe(session);
    expect(readConfig({}).cluster).toBeUndefined();
  });

  it.each<[Record<string, string>, string]>([
    [{ CLUSTER_URL: CLUSTER.CLUSTER_URL }, "CLUSTER_URL expects DATABASE_URL: an SQLite database serves one process"],
    [{ ...CLUSTER, DEFAULT_REGISTER: "emulator:{store}" }, "DEFAULT_REGISTER expects no emulator: address when CLUSTER_URL is set"],
    ...["simulated", "simulated?payAfterMs=5"].map((acquirer): [Record<string, string>, string] => [
      { ...CLUSTER, DEFAULT_ACQUIRER: acquirer },
      "DEFAULT_ACQUIRER expects a real acquirer, or none, when CLUSTER_URL is set",
    ]),
    [{ ...CLUSTER, CLUSTER_LEASE_MS: "999" }, "CLUSTER_LEASE_MS expects whole milliseconds from 1000 to 10000"],
    [{ ...CLUSTER, CLUSTER_LEASE_MS: "10001" }, "CLUSTER_LEASE_MS expects whole milliseconds from 1000 to 10000"],
    ...["https://10.0.0.5:9101", "http://10.0.0.5", "http://10.0.0.5:9101/internal", "10.0.0.5:9101", "http://a:b@10.0.0.5:9101"].map(
      (url): [Record<string, string>, string] => [{ ...CLUSTER, CLUSTER_URL: url }, "CLUSTER_URL expects http://HOST:PORT"],
    ),
    [{ ...CLUSTER, DATABASE_SESSION_URL: "mysql://10.0.0.9/fiscal" }, "DATABASE_SESSION_URL expects postgres://"],
  ])("is refused with one line: %o", (environment, line) => {
    const lines = complaints(environment);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(line);
    expect(lines[0]).not.toContain("hush");
  });
});
