import { describe, expect, it } from "vitest";
import { sample } from "../support/extent.ts";
import { attackOn } from "../support/patterns/attacks.ts";
import { patternsBelow } from "../support/patterns/sources.ts";

/** The least number of patterns. With fewer the search is broken, and the rule below would be useless. */
const MIN_PATTERNS = 200;
/** The number of patterns that the short run attacks. */
const SHORT_COUNT = 60;

describe("the regular expressions of the sources", () => {
  const all = patternsBelow("src");
  const distinct = new Map(all.map((pattern) => [`${pattern.flags} ${pattern.source}`, pattern]));

  it("are all seen", () => {
    expect(all.length).toBeGreaterThan(MIN_PATTERNS);
  });

  it("take no more steps than in proportion to a text, whatever it is made of", () => {
    const attacked = sample([...distinct.values()], SHORT_COUNT).flatMap(({ place, source, flags }) => {
      const attack = attackOn(source, flags);
      return attack === undefined ? [] : [`${place} /${source}/${flags} with ${JSON.stringify(attack)}`];
    });
    expect(attacked).toEqual([]);
  });
});

describe("the search for attacks", () => {
  it.each([
    ["nested repetition", "^(a+)+$", ""],
    ["two ways to the same text", "^(?:a|a)*b", ""],
    ["repetition beside the like of it", "\\d+x?\\d+y", ""],
    ["repetition that is tried from each place", "\\s+$", ""],
    ["the same with a bounded beginning", "(?:ab){2}[^c]*c", "g"],
    ["the same after the end of a word", "\\beyJ[\\w-]+\\.", "g"],
    ["a dot that ends with its line", "[?#].*$", ""],
    ["a lazy repetition whose end never comes", "<!--[^]*?-->", "g"],
    ["a look ahead to the end", "a(?=[^b]*b)", "g"],
    ["a group that may be empty", "^(?:x*)*y$", ""],
  ])("finds one on %s", (_, source, flags) => {
    expect(attackOn(source, flags)).toBeDefined();
  });

  it.each([
    ["a plain class", "^[a-z]+$", ""],
    ["a repetition that ends the match", "\\s+", "g"],
    ["a bounded repetition", "[a-z]{1,64}@", "g"],
    ["a repetition that begins only where its run begins", "(?<![^\\s@])[^\\s@]+@", "g"],
    ["parts that cannot be mistaken", "^\\d+(?:\\.\\d+)?(?:e\\d+)?$", "i"],
    ["one place only", "[ \\t]*x", "y"],
  ])("finds none on %s", (_, source, flags) => {
    expect(attackOn(source, flags)).toBeUndefined();
  });
});
