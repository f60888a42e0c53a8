import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readOrder, sortStored } from "../../../../../src/tools/sandbox/reading/order.ts";
import { pageHead, pageRows, readPage } from "../../../../../src/tools/sandbox/reading/page.ts";
import type { Stored, Values } from "../../../../../src/tools/sandbox/values/stored.ts";
import { asked, place, readingOf, typeOfTable } from "../../../../support/sandbox-reading.ts";

const THING = typeOfTable("id uuid\nname string(255)\nlastName string(255)\nweight number\nshared bool", {
  order: ["id", "name", "lastname", "weight", "shared", "version"],
});

const things = fc.array(
  fc.record({ name: fc.constantFrom("а", "б", "В", ""), weight: fc.constantFrom(0, 1, 2.5), shared: fc.boolean() }, { requiredKeys: [] }),
  { maxLength: 20 },
);
const orders = fc.array(fc.record({ name: fc.constantFrom("name", "weight", "shared", "id", "version"), descending: fc.boolean() }), {
  maxLength: 3,
});

describe("the order of a list", () => {
  it("is total and stable: every neighbour is in order, and equals keep the order of creation", () => {
    fc.assert(
      fc.property(things, orders, (all, keys) => {
        const stored = all.map((values, at) => ({ type: "thing", id: String(at).padStart(3, "0"), values }));
        const sorted = sortStored(stored, keys, THING);
        expect(new Set(sorted)).toEqual(new Set(stored));
        for (const [at, next] of sorted.entries()) {
          const before = sorted[at - 1];
          if (before !== undefined) expect(inOrder(before, next, keys)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("puts missing values last when ascending and first when descending", () => {
    const stored = [{ name: "б" }, {}, { name: "а" }].map((values, at) => ({ type: "thing", id: String(at), values }));
    const ids = (text: string) => sortStored(stored, readOrder(text, THING), THING).map(({ id }) => id);
    expect(ids("name")).toEqual(["2", "0", "1"]);
    expect(ids("name,desc")).toEqual(["1", "0", "2"]);
  });

  it("takes keys as its list has them, whatever the field's own letter case", () => {
    const stored = [{ lastName: "Б" }, { lastName: "А" }].map((values, at) => ({ type: "thing", id: String(at), values }));
    expect(sortStored(stored, readOrder("lastname", THING), THING).map(({ id }) => id)).toEqual(["1", "0"]);
    expect(() => readOrder("lastName", THING)).toThrow("1063");
  });

  it.each([
    ["nothing,asc", "1063"],
    ["name,up", "1042"],
    ["name,ASC", "1042"],
    ["name,asc,desc", "1096"],
    [";name", "1096"],
    [",asc", "1096"],
  ])("is refused when it says %s, with %s", (text, code) => {
    expect(() => readOrder(text, THING)).toThrow(code);
  });

  it("may end with a semicolon or be empty", () => {
    expect(readOrder("name;weight,desc;", THING)).toEqual([
      { name: "name", descending: false },
      { name: "weight", descending: true },
    ]);
    expect(readOrder("", THING)).toEqual([]);
  });
});

describe("pages", () => {
  it("part a list, whatever the limit: every element once, in order", () => {
    fc.assert(
      fc.property(fc.nat(30), fc.integer({ min: 1, max: 12 }), (many, limit) => {
        const reading = readingOf([THING]);
        place(
          reading,
          "thing",
          Array.from({ length: many }, (): Values => ({})),
        );
        const stored = [...reading.account.objects.all("thing").values()];
        const seen: unknown[] = [];
        let offset: number | undefined = 0;
        while (offset !== undefined) {
          const query = { limit: String(limit), offset: String(offset) };
          const of = asked(reading, query);
          const page = readPage("entity/thing", of.call);
          const { meta } = pageHead("entity/thing", "thing", stored.length, page, of);
          expect(meta).toMatchObject({ size: many, limit, offset });
          for (const row of pageRows(stored, page, of, {})) seen.push(row.id);
          const next: unknown = Reflect.get(Object(meta), "nextHref");
          offset = typeof next === "string" ? Number(new URL(next).searchParams.get("offset")) : undefined;
        }
        expect(seen).toEqual(stored.map(({ id }) => id));
      }),
      { numRuns: 50 },
    );
  });
});

/**
 * Whether `a` comes before `b` by the words of json-api 6.3: the first key that differs decides, and a missing value is the greatest. When
 * all keys are equal, the older object comes first.
 */
function inOrder(a: Stored, b: Stored, keys: readonly { name: string; descending: boolean }[]): boolean {
  for (const { name, descending } of keys) {
    const [left, right] = [a, b].map((stored) => (name === "id" ? stored.id : stored.values[name]));
    if (left === right) continue;
    const rising = right === undefined || (left !== undefined && less(left, right));
    return rising !== descending;
  }
  return a.id < b.id;
}

function less(a: unknown, b: unknown): boolean {
  return typeof a === "string" && typeof b === "string" ? a < b : Number(a) < Number(b);
}
