import { describe, expect, it } from "vitest";
import { OrderedObjects } from "../../../src/http/ordered-objects.ts";

const named = (...names: string[]) => names.map((name) => ({ name }));

function filled(objects: readonly { name: string }[]): OrderedObjects<{ name: string }> {
  const ordered = new OrderedObjects<{ name: string }>();
  for (const object of objects) ordered.add(object);
  return ordered;
}

describe("ordered objects", () => {
  it("stand in the order in which they were added, whichever of them are deleted", () => {
    const objects = named("a", "b", "c", "d", "e");
    const [a, , c, , e] = objects;
    const ordered = filled(objects);
    for (const gone of [c, a, e]) expect(gone !== undefined && ordered.delete(gone)).toBe(true);
    expect([...ordered].map(({ name }) => name)).toEqual(["b", "d"]);
    expect([ordered.size, ordered.first?.name]).toEqual([2, "b"]);
  });

  it("keep their places when they are added again, and get the last place when they were deleted before", () => {
    const [a = { name: "" }, b = { name: "" }] = named("a", "b");
    const ordered = filled([a, b, a]);
    expect([...ordered]).toEqual([a, b]);
    ordered.delete(a);
    ordered.add(a);
    expect([...ordered]).toEqual([b, a]);
  });

  it("can be deleted while they are looked at, and once only", () => {
    const objects = named("a", "b", "c");
    const ordered = filled(objects);
    const seen: string[] = [];
    for (const object of ordered) {
      seen.push(object.name);
      expect([ordered.delete(object), ordered.delete(object)]).toEqual([true, false]);
    }
    expect(seen).toEqual(["a", "b", "c"]);
    expect([ordered.size, ordered.first, ordered.has(objects[0] ?? { name: "" })]).toEqual([0, undefined, false]);
  });
});
