import { describe, expect, it } from "vitest";
import { normalPhone } from "../../../src/loyalty/phone.ts";

describe("a phone", () => {
  const spellings = [
    "9039993344",
    "89039993344",
    "79039993344",
    "+79039993344",
    "+7 (903) 999-33-44",
    "8 (903) 999-33-44",
    " 8-903-999-33-44 ",
    "8 903 999 33 44",
    "8\u00a0903\u2009999\u201133\u201344",
    "(903) 9993344",
    "903.999.33.44",
    "+8 903 999-33-44",
    "007 903 999 33 44",
    "8 10 7 903 999 33 44",
  ];
  it.each(spellings)("FreeOpenSourcePOS/FloCafe#116, #117: is one number however it is spelled: %s", (spelling) => {
    expect(normalPhone(spelling)).toBe("+79039993344");
  });

  it.each([
    ["+44 20 7946 0958", "+442079460958"],
    ["+375 (29) 123-45-67", "+375291234567"],
    ["0044 20 7946 0958", "+442079460958"],
    ["8 10 44 20 7946 0958", "+442079460958"],
    ["+1 202-555-0123", "+12025550123"],
    ["+86 139 1234 5678", "+8613912345678"],
  ])("of another country keeps its code: %s", (spelling, number) => {
    expect(normalPhone(spelling)).toBe(number);
  });

  it.each([
    "",
    "   ",
    "903",
    "+7",
    "abc",
    "9039993344 ext. 5",
    "903999334",
    "+7903999334400000",
    "1".repeat(100),
    "+999 1234567890",
    "++79039993344",
  ])("is none: %j", (text) => {
    expect(normalPhone(text)).toBeUndefined();
  });

  it("stays what it is when it is read again", () => {
    expect(normalPhone(normalPhone("8 (903) 999-33-44") ?? "")).toBe("+79039993344");
  });
});
