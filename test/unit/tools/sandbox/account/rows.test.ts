import { describe, expect, it } from "vitest";
import { Rows } from "../../../../../src/tools/sandbox/account/rows.ts";
import type { Stored } from "../../../../../src/tools/sandbox/values/stored.ts";

const object = (id: number, name: string): Stored => ({ type: "thing", id: String(id), values: { name } });
const names = (rows: Rows) => rows.column("name", ({ values }) => values.name);
const present = (rows: Rows) => names(rows).filter((_, place) => rows.stored[place] !== undefined);

describe("rows of a type", () => {
  it("keep a column right through every change", () => {
    const rows = new Rows([object(1, "a"), object(2, "b")]);
    expect(names(rows)).toEqual(["a", "b"]);
    rows.changed(undefined, object(3, "c"));
    rows.changed(object(1, "a"), object(1, "A"));
    rows.changed(object(2, "b"), undefined);
    expect(present(rows)).toEqual(["A", "c"]);
  });

  it("put what was removed and is taken back at the end, as the objects themselves do", () => {
    const rows = new Rows([object(1, "a"), object(2, "b")]);
    rows.changed(object(1, "a"), undefined);
    rows.changed(undefined, object(1, "a"));
    expect(present(rows)).toEqual(["b", "a"]);
  });

  it("close up when more places are empty than taken", () => {
    const all = Array.from({ length: 3_000 }, (_, id) => object(id, String(id)));
    const rows = new Rows(all);
    names(rows);
    for (const each of all.slice(0, 2_500)) rows.changed(each, undefined);
    expect(rows.stored.length).toBeLessThan(1_600);
    rows.changed(all[2_999], object(2_999, "last"));
    expect(present(rows)).toEqual([...all.slice(2_500, 2_999).map(({ values }) => values.name), "last"]);
  });

  it("forget the column that was not used longest, and read it anew when it is asked for", () => {
    const rows = new Rows([object(1, "a")]);
    names(rows);
    for (let key = 0; key < 40; key += 1) rows.column(`other ${key}`, () => key);
    rows.changed(object(1, "a"), object(1, "b"));
    expect(names(rows)).toEqual(["b"]);
  });
});
