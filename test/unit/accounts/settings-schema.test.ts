import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  BUILT_IN_SETTINGS,
  controlOf,
  describeSetting,
  SETTING_NAMES,
  type SettingName,
  settingNamed,
  settingsSchema,
} from "../../../src/accounts/settings-schema.ts";

const read = (name: SettingName, text: string): unknown => settingsSchema.shape[name].safeParse(text).data;

describe("the schema of settings", () => {
  it("describes every setting: what it is for and what it takes", () => {
    for (const name of SETTING_NAMES) {
      expect(describeSetting(name)).toEqual({
        description: expect.stringMatching(/\.$/),
        values: expect.stringMatching(/./),
        scope: expect.stringMatching(/^(store|account)$/),
      });
    }
  });

  it("knows its names and no member of every object", () => {
    expect(settingNamed("paper")).toBe("paper");
    for (const name of ["", "Paper", "toString", "__proto__", "constructor"]) expect(settingNamed(name)).toBeUndefined();
  });

  const taken: [SettingName, string, unknown][] = [
    ["register", "emulator:one", "emulator:one"],
    ["taxSystem", "patent", "patent"],
    ["vatPayer", "yes", true],
    ["vatPayer", "no", false],
    ["timeZone", "Asia/Yekaterinburg", "Asia/Yekaterinburg"],
    ["paper", "a4", "a4"],
    ["shiftOpening", "automatic", "automatic"],
    ["buyerContact", "none", "none"],
    ["itemKind", "excisable", "excisable"],
    ["markPolicy", "correct-or-unverifiable", "correct-or-unverifiable"],
    ["senderEmail", "shop@example.ru", "shop@example.ru"],
    ["address", "  г. Москва, ул. Тверская, 1 ", "г. Москва, ул. Тверская, 1"],
    ["place", "https://shop.example", "https://shop.example"],
    ["signatureScheme", "pair", "pair"],
    ["signatureScheme", "pkcs1-sha256-body", "pkcs1-sha256-body"],
  ];
  it.each(taken)("reads %s=%s", (name, text, value) => {
    expect(read(name, text)).toBe(value);
  });

  const refused: [SettingName, string][] = [
    ["taxSystem", "usn"],
    ["vatPayer", "maybe"],
    ["timeZone", "Mars/Olympus"],
    ["paper", "57"],
    ["shiftOpening", "sometimes"],
    ["buyerContact", "fax"],
    ["itemKind", "GOOD"],
    ["markPolicy", "some"],
    ["senderEmail", "shop"],
    ["senderEmail", `${"a".repeat(60)}@example.ru`],
    ["address", "a".repeat(257)],
    ["address", "two\nlines"],
    ["place", "bell \u0007"],
    ["signatureScheme", "md5"],
    ["register", "a".repeat(513)],
    ["acquirer", "a".repeat(513)],
    ["qrExpiryMinutes", "0"],
    ["qrExpiryMinutes", "61"],
    ["qrExpiryMinutes", "1.5"],
    ["qrExpiryMinutes", "ten"],
    ["qrDescription", "a".repeat(141)],
    ["qrDescription", "two\nlines"],
    ["lateMoney", "keep"],
  ];
  it.each(refused)("does not take %s=%j", (name, text) => {
    expect(settingsSchema.shape[name].safeParse(text).success).toBe(false);
  });

  it("takes its own defaults back as text", () => {
    expect(settingsSchema.partial().parse({ ...BUILT_IN_SETTINGS, vatPayer: "yes", qrExpiryMinutes: "10" })).toEqual(BUILT_IN_SETTINGS);
  });
});

describe("the longest text that a form lets an owner type", () => {
  it.each(SETTING_NAMES)("is the longest that the setting %s accepts", (name) => {
    const control = controlOf(name);
    const { maxLength } = z.toJSONSchema(settingsSchema.shape[name], { io: "input", unrepresentable: "any" });
    if (control.kind === "text") expect(control.maxLength).toBe(maxLength ?? control.maxLength);
  });

  it("is 254 letters for the address that gets alerts", () => {
    expect(controlOf("alertEmail")).toEqual({ kind: "text", maxLength: 254 });
  });
});
