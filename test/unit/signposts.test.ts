import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const SOURCES = new URL("../../src/", import.meta.url);
const TABLE = readFileSync(new URL("README.md", SOURCES), "utf8").split("# Where to change what")[1] ?? "";
const ROWS = TABLE.split("\n").filter((line) => line.startsWith("| ") && line.includes("`"));

it.each(ROWS)("the signpost leads to files and names that exist: %s", (row) => {
  const named = [...row.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const files = named.filter((name) => name.includes("/"));
  expect(files).not.toEqual([]);
  for (const file of files) expect([file, existsSync(new URL(file, SOURCES))]).toEqual([file, true]);
  const texts = files.map((file) => readFileSync(new URL(file, SOURCES), "utf8")).join("\n");
  for (const name of named.filter((each) => !each.includes("/"))) expect(texts).toContain(`const ${name} =`);
});

it("the table of signposts is short", () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(10);
  expect(ROWS.length).toBeLessThanOrEqual(25);
});
