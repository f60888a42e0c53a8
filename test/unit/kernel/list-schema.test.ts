import { describe, expect, it } from "vitest";
import { z } from "zod";
import { boundedList, listSpecOf } from "../../../src/kernel/list-schema.ts";

/** The schema of an item, which counts its uses. */
function counted() {
  const seen: unknown[] = [];
  const item = z.object({ a: z.string() }).or(
    z.number().transform((value) => {
      seen.push(value);
      return { a: String(value) };
    }),
  );
  return { seen, item };
}

describe("a bounded list", () => {
  it("gives what its items give", () => {
    const { item } = counted();
    expect(boundedList(item, { max: 3 }).parse([{ a: "x", b: 1 }, 2])).toEqual([{ a: "x" }, { a: "2" }]);
    expect(boundedList(item, { max: 3 }).parse([])).toEqual([]);
  });

  it("ends at the first thing wrong, and names its place", () => {
    const { seen, item } = counted();
    const read = z
      .object({ list: boundedList(item, { max: 1_000_000 }) })
      .safeParse({ list: [1, 2, { a: {} }, ...Array(500_000).fill(3)] });
    expect(read.error?.issues).toHaveLength(1);
    expect(read.error?.issues[0]?.path.slice(0, 2)).toEqual(["list", 2]);
    expect(seen).toEqual([1, 2]);
  });

  it("looks at no item where there are too many or too few", () => {
    const { seen, item } = counted();
    const list = boundedList(item, { min: 2, max: 3 });
    expect(list.safeParse([1, 2, 3, 4]).error?.issues).toMatchObject([{ code: "too_big", maximum: 3, path: [] }]);
    expect(list.safeParse([1]).error?.issues).toMatchObject([{ code: "too_small", minimum: 2, path: [] }]);
    expect(seen).toEqual([]);
    expect(list.safeParse("1").error?.issues).toMatchObject([{ code: "invalid_type", expected: "array" }]);
  });

  it("keeps what an item's own check says", () => {
    const item = z.string().refine((text) => text !== "b", { params: { problem: "b" }, message: "no b" });
    const [issue] = boundedList(item, { max: 9 }).safeParse(["a", "b"]).error?.issues ?? [];
    expect(issue).toMatchObject({ code: "custom", path: [1], message: "no b", params: { problem: "b" } });
  });

  it("tells what it is a list of, also under a description", () => {
    const item = z.string();
    const list = boundedList(item, { max: 9 });
    expect(listSpecOf(list.describe("words"))).toEqual({ item, min: 0, max: 9 });
    expect(listSpecOf(item)).toBeUndefined();
  });
});
