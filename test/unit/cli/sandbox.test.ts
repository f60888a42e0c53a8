import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/cli/command.ts";
import { readSandboxOptions } from "../../../src/cli/sandbox.ts";
import { describeSettings, readSetting } from "../../../src/tools/sandbox/setting-choices.ts";
import { defaultSettings, type SandboxSettings } from "../../../src/tools/sandbox/settings.ts";

describe("the command line of the sandbox", () => {
  it("without options takes a free port, memory and the decisions of the reference", () => {
    expect(readSandboxOptions([])).toEqual({
      port: 0,
      data: undefined,
      products: undefined,
      seed: undefined,
      administrator: undefined,
      employees: [],
      token: undefined,
      profile: "canonical",
      limited: true,
      faults: [],
      publicUrl: undefined,
      tls: false,
      tokenSeconds: 60,
      settings: defaultSettings("canonical"),
    });
  });

  it("takes every option that the surface names", () => {
    const line =
      "--port 8081 --data d --products 100000 --seed 7 --admin boss@shop:a:b --employee a@shop:1 --employee b@shop:2 --token t0ken " +
      "--profile production --plan free --no-limits --set alwaysMilliseconds=true --set massStatus=200 --set stockDelayMs=500 " +
      "--fault lost-answer=0.1 --fault late-lists --public-url https://api.example.org/ --tls --token-seconds 5";
    expect(readSandboxOptions(line.split(" "))).toEqual({
      port: 8081,
      data: "d",
      products: 100_000,
      seed: 7,
      administrator: { login: "boss@shop", password: "a:b", administrator: true },
      employees: [
        { login: "a@shop", password: "1", administrator: false },
        { login: "b@shop", password: "2", administrator: false },
      ],
      token: "t0ken",
      profile: "production",
      limited: false,
      faults: [
        { name: "lost-answer", share: 0.1 },
        { name: "late-lists", share: 1 },
      ],
      publicUrl: "https://api.example.org",
      tls: true,
      tokenSeconds: 5,
      settings: { ...defaultSettings("production"), plan: "free", alwaysMilliseconds: true, massStatus: "200", stockDelayMs: 500 },
    });
  });

  it.each([
    ["--port", "70000"],
    ["--port", ""],
    ["--data", ""],
    ["--products", "-1"],
    ["--products", "many"],
    ["--seed", "1.5"],
    ["--admin", "nobody"],
    ["--admin", ":secret"],
    ["--employee", "a@shop:"],
    ["--token", "two words"],
    ["--profile", "other"],
    ["--plan", "trial"],
    ["--set", "gzip"],
    ["--set", "gzip=maybe"],
    ["--set", "userWeight=-1"],
    ["--set", "nothing=1"],
    ["--fault", "fire"],
    ["--fault", "lost-answer=2"],
    ["--fault", "lost-answer="],
    ["--public-url", "api.example.org"],
    ["--public-url", "https://api.example.org/?a=1"],
    ["--solution", "127.0.0.1:8080"],
    ["--token-seconds", "0"],
    ["--nothing", "1"],
  ])("names a wrong option in one line: %s %j", (option, value) => {
    let message = "";
    try {
      readSandboxOptions([`${option}=${value}`]);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      ({ message } = error);
    }
    expect(message).toContain(option);
    expect(message).not.toContain("\n");
  });

  // The table of the sandbox's surface: the settings that the profile decides.
  it.each([
    ["accept", "lenient", "strict"],
    ["alwaysMilliseconds", false, true],
    ["webhookAgent", "1.0", "2.0"],
    ["webhookUniqueness", "pair", "triple"],
  ])("has by its profile the default of %s, and a stated value stands above it", (name, canonical, production) => {
    const settingOf = (...args: string[]) => readSandboxOptions(args).settings[name as keyof SandboxSettings];
    expect([settingOf(), settingOf("--profile", "canonical"), settingOf("--profile", "production")]).toEqual([
      canonical,
      canonical,
      production,
    ]);
    expect(settingOf("--set", `${name}=${canonical}`, "--profile", "production")).toBe(canonical);
    expect(settingOf("--set", `${name}=${production}`)).toBe(production);
  });

  it("has every other default under both profiles alike", () => {
    const differing = Object.entries(defaultSettings("production")).filter(
      ([name, value]) => defaultSettings("canonical")[name as keyof SandboxSettings] !== value,
    );
    expect(differing.map(([name]) => name).sort()).toEqual(["accept", "alwaysMilliseconds", "webhookAgent", "webhookUniqueness"]);
  });

  it("takes no login twice", () => {
    expect(() => readSandboxOptions(["--admin", "a:1", "--employee", "a:2"])).toThrow("--employee: there are two logins a");
  });

  it("can set every setting but the plan to its default", () => {
    const { plan: _plan, ...others } = defaultSettings("canonical");
    for (const [name, value] of Object.entries(others)) expect(readSetting(`${name}=${value}`)).toEqual({ setting: { [name]: value } });
    expect(describeSettings()).toHaveLength(Object.keys(others).length);
  });
});
