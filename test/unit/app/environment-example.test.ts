import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { VARIABLES } from "../../../src/app/config.ts";

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8");

describe("the description of the environment", () => {
  it("in .env.example has every variable and no other", () => {
    const named = [...read(".env.example").matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);
    expect([...new Set(named)].toSorted()).toEqual(VARIABLES.toSorted());
  });

  it("in the README has every variable and no other", () => {
    const [, table = ""] = /\| Variable \|[^\n]*\n\|[-|]+\|\n([\s\S]*?)\n\n/.exec(read("README.md")) ?? [];
    const named = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
    expect(named.toSorted()).toEqual(VARIABLES.toSorted());
  });

  it("in the compose file passes every variable that a container needs", () => {
    const passed = [...read("docker-compose.yml").matchAll(/^ {2,6}([A-Z_]+):/gm)].map(([, name]) => name);
    for (const name of VARIABLES) expect(passed).toContain(name);
  });
});
