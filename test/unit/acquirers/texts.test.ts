import { describe, expect, it } from "vitest";
import { cutAtCharacter, wordsOf } from "../../../src/acquirers/texts.ts";

describe("a text for a bank", () => {
  it.each([
    ["short", 10, "short"],
    ["абвгд", 3, "абв"],
    ["ab👍", 3, "ab"],
    ["ab👍", 4, "ab👍"],
    ["a👨‍👩‍👧", 5, "a"],
    ["", 0, ""],
  ])("%j of at most %i is %j", (text, maxLength, cut) => {
    expect(cutAtCharacter(text, maxLength)).toBe(cut);
  });
});

describe("words of a bank", () => {
  it("stand in one line of at most 200 characters", () => {
    expect(wordsOf("Отказ", undefined, "нет\r\nденег\u0000")).toBe("Отказ: нет денег");
    expect(wordsOf(undefined, " ")).toBeUndefined();
    expect(wordsOf("x".repeat(500))).toHaveLength(200);
  });
});
