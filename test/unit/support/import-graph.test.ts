import { describe, expect, it } from "vitest";
import { circlesIn, crowdedFolders, type ImportGraph, siblingGraphs } from "../../support/import-graph.ts";

const graph = (edges: Readonly<Record<string, readonly string[]>>): ImportGraph =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));

/** The cycles between files and folders that are beside each other in any folder. */
const circlesOfFolders = (files: ImportGraph) => [...siblingGraphs(files)].flatMap(([, siblings]) => circlesIn(siblings));

describe("circles of imports", () => {
  it("are none where every import points down, also when two ways lead to one file", () => {
    expect(circlesIn(graph({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] }))).toEqual([]);
  });

  it("are told with all files that lead to one another, and without those that only lead to them", () => {
    expect(circlesIn(graph({ top: ["a"], a: ["b"], b: ["c", "leaf"], c: ["a"], leaf: [] }))).toEqual([["a", "b", "c"]]);
  });

  it("are told one by one where they do not touch", () => {
    expect(circlesIn(graph({ a: ["b"], b: ["a"], c: ["d"], d: ["c", "a"] }))).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  it("of sibling folders are found where no file is in a circle", () => {
    const files = graph({ "src/x/one.ts": ["src/y/two.ts"], "src/y/two.ts": [], "src/y/three.ts": ["src/x/four.ts"], "src/x/four.ts": [] });
    expect(circlesIn(files)).toEqual([]);
    expect(circlesOfFolders(files)).toEqual([["src/x/", "src/y/"]]);
  });

  it("of a folder and a file beside it are found at any depth", () => {
    const files = graph({ "src/a/b/door.ts": ["src/a/b/in/one.ts"], "src/a/b/in/one.ts": [], "src/a/b/in/two.ts": ["src/a/b/door.ts"] });
    expect(circlesOfFolders(files)).toEqual([["src/a/b/door.ts", "src/a/b/in/"]]);
  });

  it("are no matter of a folder's inside", () => {
    const files = graph({
      "src/a/one.ts": ["src/a/in/two.ts", "test/x.ts"],
      "src/a/in/two.ts": ["src/a/in/three.ts"],
      "src/a/in/three.ts": [],
    });
    expect(circlesOfFolders(files)).toEqual([]);
  });
});

describe("a crowded folder", () => {
  it("holds more files itself than it may; what lies in its folders does not count", () => {
    const files = ["src/a/1.ts", "src/a/2.ts", "src/a/3.ts", "src/a/in/1.ts", "src/b/1.ts", "src/b/2.ts"];
    expect([...crowdedFolders(files, 2)]).toEqual([["src/a", 3]]);
  });
});
