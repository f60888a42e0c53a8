import { describe, expect, it } from "vitest";
import { matching } from "../../../../../src/tools/sandbox/reading/list.ts";
import { renderObject } from "../../../../../src/tools/sandbox/reading/render.ts";
import { hasWordFrom } from "../../../../../src/tools/sandbox/reading/search.ts";
import { asked, place, readingOf, typeOfTable } from "../../../../support/sandbox-reading.ts";

describe("a search", () => {
  it.each([
    ["чай зелёный", "зел", true],
    ["чай зелёный", "елёный", false],
    ["«чай»", "чай", true],
    ["a-1", "1", true],
    ["ааб аб", "аб", true],
    ["чай100", "100", false],
    ["", "а", false],
  ])("finds in '%s' a word that begins with '%s': %s", (text, prefix, found) => {
    expect(hasWordFrom(text, prefix)).toBe(found);
  });

  it("of several types lets the better matches of each come first", () => {
    const table = "id uuid\nname string(255)";
    const types = [
      typeOfTable(table, { name: "a" }),
      typeOfTable(table, { name: "b" }),
      typeOfTable(table, { name: "all", gathers: ["a", "b"] }),
    ];
    const reading = readingOf(types);
    place(reading, "a", [{ name: "зелёный чай" }, { name: "чай чёрный" }]);
    place(reading, "b", [{ name: "Чай" }]);
    const [, , all] = types;
    const found = all === undefined ? [] : matching(all, asked(reading, { search: "чай" }));
    expect(found.map(({ values }) => values.name)).toEqual(["Чай", "чай чёрный", "зелёный чай"]);
  });
});

describe("an expanded object that the caller may not see", () => {
  it("stays a reference, and its meta says that it is not permitted", () => {
    const secret = typeOfTable("id uuid\nname string(255)", { name: "secret", visible: () => false });
    const thing = typeOfTable("id uuid\nsecret ref:secret exp");
    const reading = readingOf([secret, thing]);
    const [id = ""] = place(reading, "secret", [{ name: "x" }]);
    const stored = { type: "thing", id: "1", values: { secret: { type: "secret", id } } };
    expect(renderObject(stored, reading, { secret: {} }).secret).toEqual({
      meta: expect.objectContaining({ permitted: false, type: "secret" }),
    });
  });
});
