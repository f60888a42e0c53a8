import { describe, expect, it } from "vitest";
import { CATALOGUE, type Catalogue } from "../../../../src/platform/entities/catalogue.ts";
import type { Fields } from "../../../../src/platform/entities/field.ts";
import type { Path } from "../../../../src/platform/entities/read.ts";
import { CATALOGUE as SANDBOX } from "../../../../src/tools/sandbox/types/catalogue.ts";

type SalePath<P extends string> = Path<Catalogue["retaildemand"]["fields"], P>;

/** Accepts only what can be expanded. The compiler is the test. */
function expanded<const P extends string>(path: P extends SalePath<P> ? P : never): string {
  return path;
}

describe("paths that are expanded", () => {
  it("are those of the tables, at most three deep", () => {
    expect(expanded("agent")).toBe("agent");
    expect(expanded("positions.assortment")).toBe("positions.assortment");
    expect(expanded("positions.assortment.uom")).toBe("positions.assortment.uom");
    expect(expanded("retailShift.retailStore.organization")).toBe("retailShift.retailStore.organization");
    // A type that is not in the catalogue, so any path is accepted.
    expect(expanded("store.owner")).toBe("store.owner");
    // @ts-expect-error four levels
    expanded("retailShift.retailStore.organization.owner");
    // @ts-expect-error a sum is no object
    expanded("sum");
    // @ts-expect-error a buyer has no such field
    expanded("agent.cashiers");
  });
});

describe("the tables of fields", () => {
  // The sandbox has tables of its own, read from the same reference.
  const types = Object.values(CATALOGUE).flatMap((ours): [string, { fields: Fields; order: readonly string[] }][] => [[ours.name, ours]]);

  it.each(types)("of %s have every field of the reference, with its filter class and writability", (name, ours) => {
    const theirs = SANDBOX.get(name)?.fields.filter((field) => !NOT_OURS.has(field.name)) ?? [];
    expect(theirs.length).toBeGreaterThan(0);
    const wrong = theirs.flatMap((field) => {
      const flags: readonly string[] | undefined = ours.fields[field.name]?.flags;
      if (flags === undefined) return [`${field.name} is missing`];
      const faults = [
        flags.includes("readOnly") === (field.write === "never") || `${field.name}: read only`,
        flags.includes("once") === (field.write === "once") || `${field.name}: once`,
        flags.includes("required") === (field.required || (flags.includes("required") && REQUIRED_BY_RULE.has(field.name))) ||
          `${field.name}: required`,
        flags.includes("expand") === field.expand || `${field.name}: expand`,
        field.name === "syncId" ||
          FILTERS.every(([letter, is]) => flags.includes(letter) === (field.filter === is)) ||
          `${field.name}: filter ${field.filter}`,
      ];
      return faults.filter((fault) => fault !== true);
    });
    expect(wrong).toEqual([]);
  });

  it.each(types)("of %s are sorted by what the reference lists", (name, ours) => {
    expect([...ours.order].sort()).toEqual([...(SANDBOX.get(name)?.order ?? [])].sort());
  });
});

const NOT_OURS = new Set(["id"]);
/** Members that the reference demands in its rules and not in its columns: 13.3 and D33. */
const REQUIRED_BY_RULE = new Set(["components", "sum"]);
const FILTERS = [
  ["E", "equality"],
  ["C", "order"],
  ["T", "text"],
  ["A", "attributes"],
] as const;
