import { describe, expect, it } from "vitest";
import { visible, visibleLine } from "../../../src/kernel/visible.ts";

const at = (code: number) => String.fromCharCode(code);
const RIGHT_TO_LEFT_MARKS = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];

describe("a text from outside that is shown", () => {
  it("has every control of C0 and C1, DEL and every mark of direction in letters", () => {
    const controls = [...Array.from({ length: 32 }, (_, code) => code), ...Array.from({ length: 33 }, (_, more) => 0x7f + more)];
    for (const code of [...controls, ...RIGHT_TO_LEFT_MARKS, 0x2028, 0x2029]) {
      const letters = `a\\u${code.toString(16).padStart(4, "0")}b`;
      expect(visibleLine(`a${at(code)}b`)).toBe(letters);
      expect(visible(`a${at(code)}b`)).toBe(code === 9 || code === 10 ? `a${at(code)}b` : letters);
    }
  });

  it("is left as it is otherwise", () => {
    const text = "Хлеб «Дарницкий» 0,5 кг — 45 ₽ 🥖 \u00a0\u200b é ¿ \\u001b";
    expect([visible(text), visibleLine(text)]).toEqual([text, text]);
  });

  it("is the same JSON as before", () => {
    const value = { name: "a\u009b31mb\u202e\u001b[2J\u007f\n", "k\u0085": ["\u2028"] };
    for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, 2)]) {
      expect(JSON.parse(visible(text))).toEqual(value);
      expect(visible(text)).not.toMatch(/[\u007f-\u009f\u2028\u202e]/);
    }
  });
});
