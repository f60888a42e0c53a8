import { chmodSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { caOf, namedRegisters } from "../../../src/agent/commands/options.ts";
import { readAgentConfig } from "../../../src/agent/config.ts";
import { readServer } from "../../../src/agent/dial/server-address.ts";
import { dataFolder, lockFolderOf } from "../../../src/agent/folder/data-folder.ts";
import { LogTail } from "../../../src/agent/log-tail.ts";

const here = { plain: false, production: false };

describe("the server's address", () => {
  it.each(["wss://fiscal.shop.example/agents", "https://fiscal.shop.example/agents/"])("is read with ws as http: %s", (text) => {
    expect(readServer(text, here)).toEqual({
      kind: "address",
      address: {
        base: "https://fiscal.shop.example/agents",
        enrolUrl: "https://fiscal.shop.example/agents/enrol",
        connectUrl: "wss://fiscal.shop.example/agents/connect",
      },
    });
  });

  it("without TLS is for this machine, or for whoever says --plain outside production", () => {
    for (const text of ["ws://127.0.0.1:8080/agents", "ws://localhost/agents", "http://[::1]:80/agents"]) {
      expect(readServer(text, { plain: false, production: true }).kind).toBe("address");
    }
    const far = "ws://10.0.0.7:8080/agents";
    expect(readServer(far, here).kind).toBe("invalid");
    expect(readServer(far, { plain: true, production: false }).kind).toBe("address");
    expect(readServer(far, { plain: true, production: true }).kind).toBe("invalid");
    expect(readServer("ws://127.evil.example/agents", here).kind).toBe("invalid");
  });

  it.each([
    "",
    "shop7",
    "ftp://fiscal.shop.example/agents",
    "wss://fiscal.shop.example/agents?code=1",
    "wss://user@fiscal.shop.example/agents",
    "wss://:secret@fiscal.shop.example/agents",
  ])("is refused as %j", (text) => {
    expect(readServer(text, here).kind).toBe("invalid");
  });
});

it("a file of certificates that is too large is called so", () => {
  const file = join(mkdtempSync(join(tmpdir(), "agent-ca-")), "ca.pem");
  const certificate = "-----BEGIN CERTIFICATE-----\n";
  writeFileSync(file, certificate);
  expect(caOf(file)).toEqual({ ca: certificate });
  writeFileSync(file, certificate.padEnd(1024 * 1024 + 1, "A"));
  expect(() => caOf(file)).toThrow("is larger than 1048576 bytes");
  writeFileSync(file, "no certificate");
  expect(() => caOf(file)).toThrow("holds no PEM certificate");
});

describe("the registers of an agent", () => {
  function folderWith(settings: string) {
    const path = mkdtempSync(join(tmpdir(), "agent-options-"));
    writeFileSync(join(path, "agent.json"), settings);
    return dataFolder(path);
  }

  it("are hidden from other users when the agent begins, because an address may contain a device's password", () => {
    const folder = folderWith('{"registers":{"main":"shtrih-m+tcp://10.0.0.7:7778?systemPassword=30"}}');
    writeFileSync(join(folder.path, "record.sqlite.copy"), "", { mode: 0o666 });
    chmodSync(folder.settings, 0o644);
    lockFolderOf(folder).release();
    const modes = readdirSync(folder.path).map((name) => [name, statSync(join(folder.path, name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({ "agent.json": 0o600, "agent.lock": 0o600, "record.sqlite.copy": 0o600 });
  });

  it("are those of agent.json, and the command line wins", () => {
    const folder = folderWith('{"registers":{"main":"emulator:one","bar":"emulator:two"},"permit":"https://local.example"}');
    const written = (options: string[]) => Object.fromEntries(namedRegisters(folder, options).map((one) => [one.name, one.written]));
    expect(written([])).toEqual({ main: "emulator:one", bar: "emulator:two" });
    expect(written(["main=shtrih-m+tcp://10.0.0.7:7778?systemPassword=30"])).toEqual({
      main: "shtrih-m+tcp://10.0.0.7:7778?systemPassword=30",
      bar: "emulator:two",
    });
  });

  it.each([
    ["an agent in an agent", ["main=agent:shop7"], /behind another agent/],
    ["an unknown protocol", ["main=lpt:1"], /unknown register protocol "lpt"; known addresses: (?!.*agent:)/],
    ["a name twice", ["main=emulator:a", "main=emulator:b"], /twice/],
    ["one address twice", ["main=emulator:a", "bar=emulator:a?drive=any"], /same address emulator:a/],
    ["a wrong name", ["Main=emulator:a"], /name of a register/],
    ["no address", ["main"], /NAME=ADDRESS/],
  ])("are refused with %s", (_what, options, words) => {
    expect(() => namedRegisters(folderWith("{}"), options)).toThrow(
      expect.objectContaining({ code: "configuration", message: expect.stringMatching(words) }),
    );
  });

  it("are refused when agent.json cannot be read", () => {
    for (const settings of ["{", '{"registers":["emulator:one"]}'])
      expect(() => namedRegisters(folderWith(settings))).toThrow(/agent\.json expects/);
  });
});

describe("the agent's environment", () => {
  it("has defaults, and hides nothing that is wrong", () => {
    expect(readAgentConfig({})).toMatchObject({ dataDir: "./agent-data", logLevel: "info", proxyEnv: {}, clockAheadMs: 0 });
    expect(readAgentConfig({ HTTPS_PROXY: "http://proxy.example:3128" }).proxyEnv).toEqual({ HTTPS_PROXY: "http://proxy.example:3128" });
    expect(readAgentConfig({ CLOCK_AHEAD_MS: "5", NODE_ENV: "production" }).clockAheadMs).toBe(0);
    expect(() => readAgentConfig({ LOG_LEVEL: "loud" })).toThrow(/LOG_LEVEL expects/);
    expect(() => readAgentConfig({ NODE_ENV: "Production" })).toThrow(/NODE_ENV expects production/);
  });
});

describe("the end of the agent's log", () => {
  it("gives frames that a server takes, whatever the lines hold", () => {
    const tail = new LogTail();
    for (let number = 0; number < 3_000; number += 1) tail.add(`${"\u0001\u2028".repeat(100)} ${number}`);
    let lines = 0;
    for (let batch = tail.take(); batch !== undefined; batch = tail.take()) {
      expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThan(1024 * 1024);
      expect(batch.log.length).toBeLessThanOrEqual(1_000);
      lines += batch.log.length + (batch.dropped ?? 0);
    }
    expect(lines).toBe(3_000);
    expect(Buffer.byteLength(JSON.stringify(tail.newest(1_000)))).toBeLessThan(1024 * 1024);
  });
});
