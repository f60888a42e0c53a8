import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "../../../src/kernel/cut-text.ts";
import { composed, decomposed } from "../../../src/kernel/normal-form.ts";
import { withoutEnd, withoutSlashes } from "../../../src/kernel/text-end.ts";
import { lastSegment, withoutQuery } from "../../../src/kernel/web-address.ts";

/**
 * The longest time for cutting a text. Reading a text of sixteen million characters takes ten times as long, cutting it
 * less than a tenth.
 */
const LONGEST_CUT_MS = 10;

/** The thread's own time for the work, in the shortest of several tries. It does not grow when a busy machine lets the thread wait. */
function cpuOf<T>(work: () => T): { cpuMs: number; result: T } {
  let cpuMs = Number.POSITIVE_INFINITY;
  let result = work();
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = process.threadCpuUsage();
    result = work();
    const { user, system } = process.threadCpuUsage(before);
    cpuMs = Math.min(cpuMs, (user + system) / 1_000);
  }
  return { cpuMs, result };
}

const TRIES = 4;

describe("the end of a text", () => {
  it("loses what is dropped there and nothing before it", () => {
    const isBreak = (character: string) => character === "\r" || character === "\n";
    expect(withoutEnd("a\nb\r\n\n", isBreak)).toBe("a\nb");
    expect(withoutEnd("\r\n", isBreak)).toBe("");
    expect(withoutEnd("", isBreak)).toBe("");
    expect(withoutSlashes("https://shop.example/a//")).toBe("https://shop.example/a");
  });
});

describe("an address", () => {
  it("has a path that ends before its query, and a last segment", () => {
    expect(withoutQuery("/a/b?c=/d#e")).toBe("/a/b");
    expect(withoutQuery("/a#b?c")).toBe("/a");
    expect([lastSegment("https://a.example/entity/product/7?x=/y"), lastSegment("/a/"), lastSegment("7"), lastSegment("")]).toEqual([
      "7",
      "",
      "7",
      "",
    ]);
  });
});

describe("a text that is cut", () => {
  it("ends between words", () => {
    expect(cutText("одно два три", 12)).toBe("одно два три");
    expect(cutText("одно два три", 11)).toBe("одно два");
    expect(cutText("одно два три", 8)).toBe("одно два");
  });

  it("ends neither inside a number with a comma, a dot or a colon, nor on such a sign", () => {
    expect([cutText("итого 12,50 рублей", 12), cutText("адрес 10.0.0.1 занят", 15), cutText("в 12:30 закрыто", 8)]).toEqual([
      "итого",
      "адрес",
      "в",
    ]);
    expect([cutText("один, два", 6), cutText("один: два", 6)]).toEqual(["один", "один"]);
  });

  it("ends before a number that may go on", () => {
    expect(cutText("звоните +7 (900) 123-45-67 сейчас", 20)).toBe("звоните");
  });

  it("is a part of a word only where that is long and of letters alone", () => {
    expect([cutText("однослово", 4), cutText("однослово1", 4), cutText("одно@слово", 4), cutText("a однослово", 4)]).toEqual([
      "одно",
      "",
      "",
      "a",
    ]);
  });

  it("shows nothing of what follows a blank at its beginning, because that may be a secret too", () => {
    const texts = [" +79991234567 в магазине", "\n eyJhbGciOi.eyJzdWIi.c2ln", "  buyer@shop.example"];
    expect(texts.map((text) => cutText(text, 9))).toEqual(["", "", ""]);
  });

  it("shows nothing of a word whose end is far away, because it may be a secret", () => {
    expect([cutText("я".repeat(1_000), 4), cutText("я".repeat(10_000), 4), cutText(`${"я".repeat(2_000)}@shop.example`, 4)]).toEqual([
      "яяяя",
      "",
      "",
    ]);
  });

  /** As long as the longest answer of the platform (16 MiB). */
  const MANY = 16 * 1024 * 1024;

  it.each(["a", "щ", "漢", "가", "½", "1", "\u00a0", "\u3000", "😀", "-", "a\u0301"])(
    "is not read to its end, however long it is: %j",
    (unit) => {
      const text = `${unit.repeat(MANY / unit.length)}!`;
      // Makes V8 join the text's parts in memory, which must not be measured.
      text.charCodeAt(0);
      const tries = [1, 2, 3].map(() => cpuOf(() => [0, 1, 200, 8_192].map((most) => cutText(text, most).length <= most)));
      expect(tries.map(({ result }) => result)).toEqual(Array(3).fill([true, true, true, true]));
      // A collection of garbage may fall into a try. Reading the whole text would take long in each of them.
      expect(Math.min(...tries.map(({ cpuMs }) => cpuMs))).toBeLessThan(LONGEST_CUT_MS);
    },
  );

  it("is its beginning, and never longer than was said", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(60), (text, most) => {
        const cut = cutText(text, most);
        expect(cut === text || (cut.length <= most && text.toWellFormed().startsWith(cut.replace(/\ufffd$/, "").toWellFormed()))).toBe(
          true,
        );
      }),
    );
  });
});

describe("a text's normal forms", () => {
  it("are those of Unicode where a letter has no more marks than any language gives it", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."иеaÅﬁ½가"), maxLength: 10 }), fc.nat(8), (text, marks) => {
        const given = `${text}\u0306\u0316\u0323\u0301`.slice(0, text.length + Math.min(marks, 4));
        expect([composed(given), decomposed(given)]).toEqual([given.normalize("NFC"), given.normalize("NFKD")]);
      }),
    );
  });

  it("leave of a run of marks the first eight", () => {
    expect(composed(`a${"\u0323".repeat(8)}`)).toBe(`ạ${"\u0323".repeat(7)}`);
    expect(composed(`b${"\u0315\u0316".repeat(100_000)}c`)).toBe(`b${"\u0316".repeat(4)}${"\u0315".repeat(4)}c`);
    expect(decomposed("\u0315\u0316".repeat(100_000))).toHaveLength(8);
    expect(decomposed("\u{1e8d0}".repeat(20))).toBe("\u{1e8d0}".repeat(8));
  });
});
