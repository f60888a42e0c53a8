import { describe, expect, test } from "vitest";
import { sayIn } from "../../../../src/web/language.ts";
import { readAddress } from "../../../../src/web/settings/register-input.ts";
import { registerSection } from "../../../../src/web/settings/register-section.ts";
import type { SettingsPageServices } from "../../../../src/web/settings/services.ts";

const FORMS: SettingsPageServices["registers"]["forms"] = [
  { scheme: "emulator", place: { kind: "name" }, options: {} },
  { scheme: "device+tcp", place: { kind: "network", port: 7778 }, options: { password: { values: { least: 0, most: 9 }, secret: true } } },
];
const REGISTERS: SettingsPageServices["registers"] = {
  forms: FORMS,
  addressOf: (form, parts) => `${form.scheme}:${parts.name ?? parts.host}`,
  partsOf: () => undefined,
  problemOf: (address) => `${address} is no address`,
  ports: async () => [],
};

describe("an address that no protocol takes", () => {
  test("is explained beside the control of its place, in the language of the page", () => {
    const form = new Map([
      ["register.scheme", "emulator"],
      ["register.name", "Касса"],
    ]);
    const read = readAddress(sayIn("ru"), REGISTERS, form, "");
    expect(read.kind === "wrong" && read.problems).toEqual(
      new Map([["name", "Такой адрес не подходит. Принимается, например: emulator:kassa-1."]]),
    );
  });

  test("that was typed whole gets examples, and nothing of it comes back in Russian words", () => {
    const form = new Map([["register", "device+tcp://10.0.0.7?password=7"]]);
    const read = readAddress(sayIn("ru"), REGISTERS, form, "");
    expect(read.kind === "wrong" && read.problems).toEqual(
      new Map([["register", "Такой адрес не подходит. Принимается, например: emulator:kassa-1, device+tcp://192.168.1.50:7778."]]),
    );
  });
});

test("another kind of register is asked for in the body of a request: what was typed may hold a password", () => {
  const view = {
    storeId: "s",
    forms: FORMS,
    parts: {},
    problems: new Map(),
    seen: { version: "", shown: "" },
    address: "",
    ports: [],
    mayChange: true,
  };
  const markup = registerSection(sayIn("ru"), view).toString();
  expect(markup).toContain('hx-post="/settings/stores/s/register/form"');
  expect(markup).not.toContain("hx-get");
});

describe("a stored password", () => {
  const STORED = "device+tcp:10.0.0.7?password=***";
  const registers: typeof REGISTERS = {
    ...REGISTERS,
    addressOf: (form, parts) => `${form.scheme}:${parts.host}?password=${parts.password}`,
    partsOf: (address) => ({ scheme: "device+tcp", host: address.slice(11).split("?")[0] ?? "", password: "***" }),
    problemOf: () => undefined,
  };
  const typed = (host: string, more: Record<string, string> = {}) =>
    new Map(Object.entries({ "shown.register": STORED, "register.scheme": "device+tcp", "register.host": host, ...more }));

  test("is kept while the host stays", () => {
    expect(readAddress(sayIn("ru"), registers, typed("10.0.0.7"), STORED)).toMatchObject({ kind: "address", address: STORED });
  });

  test.each([
    ["by the parts", typed("evil.example"), "password"],
    ["by the whole address", typed("10.0.0.7", { register: "device+tcp:evil.example?password=***" }), "register"],
    ["with an invented old address", typed("evil.example", { "shown.register": "device+tcp:evil.example?password=***" }), "password"],
  ])("is sent to no other device that somebody names who does not know it: %s", (_way, form, control) => {
    const read = readAddress(sayIn("ru"), registers, form, STORED);
    expect(read.kind === "wrong" && [...read.problems]).toEqual([[control, "Адрес изменился. Введите пароль ещё раз."]]);
  });

  test("that is typed again goes to the new device", () => {
    const read = readAddress(sayIn("ru"), registers, typed("10.0.0.8", { "register.password": "7" }), STORED);
    expect(read).toMatchObject({ kind: "address", address: "device+tcp:10.0.0.8?password=7" });
  });
});
