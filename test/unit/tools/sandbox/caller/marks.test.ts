import { describe, expect, it } from "vitest";
import { gtinOf, inventMark } from "../../../../../src/tools/sandbox/caller/marks.ts";
import { SeededRandom } from "../../../../../src/tools/seeded-random.ts";

describe("invented marking codes", () => {
  it("the check digit of the reference's GTIN comes out", () => {
    expect(gtinOf("0460000000000")).toBe("04600000000008");
  });

  it("a code of shoes has the three parts of shape A", () => {
    const mark = inventMark("shoes", "04600000000008", new SeededRandom(1));
    const [identity, key, signature] = mark.split("\u001d");
    expect(identity).toMatch(/^010460000000000821[A-Za-z0-9]{13}$/);
    expect(key).toMatch(/^91[A-Za-z0-9]{4}$/);
    expect(signature).toMatch(/^92[A-Za-z0-9]{88}$/);
  });

  it("a code of clothing has the length of shape B without its separators", () => {
    expect(inventMark("clothing", "04600000000008", new SeededRandom(1)).replaceAll("\u001d", "")).toHaveLength(83);
  });

  it("two codes drawn one after the other differ", () => {
    const random = new SeededRandom(1);
    expect(inventMark("shoes", "04600000000008", random)).not.toBe(inventMark("shoes", "04600000000008", random));
  });
});
