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
    const read = readAddress(sayIn("ru"), REGISTERS, form);
    expect(read.kind === "wrong" && read.problems).toEqual(
      new Map([["name", "Такой адрес не подходит. Принимается, например: emulator:kassa-1."]]),
    );
  });

  test("that was typed whole gets examples, and nothing of it comes back in Russian words", () => {
    const form = new Map([["register", "device+tcp://10.0.0.7?password=7"]]);
    const read = readAddress(sayIn("ru"), REGISTERS, form);
    expect(read.kind === "wrong" && read.problems).toEqual(
      new Map([["register", "Такой адрес не подходит. Принимается, например: emulator:kassa-1, device+tcp://192.168.1.50:7778."]]),
    );
  });
});

test("another kind of register is asked for in the body of a request: what was typed may hold a password", () => {
  const view = { storeId: "s", forms: FORMS, parts: {}, problems: new Map(), address: "", ports: [], mayChange: true };
  const markup = registerSection(sayIn("ru"), view).toString();
  expect(markup).toContain('hx-post="/settings/stores/s/register/form"');
  expect(markup).not.toContain("hx-get");
});
