import { describe, expect, it } from "vitest";
import { Refusal } from "../../../../../src/tools/sandbox/call/refusal.ts";
import { matching } from "../../../../../src/tools/sandbox/reading/list.ts";
import { CATALOGUE } from "../../../../../src/tools/sandbox/types/catalogue.ts";
import type { Field } from "../../../../../src/tools/sandbox/types/field.ts";
import { asked, BASE, readingOf } from "../../../../support/sandbox-reading.ts";

/** The operators of each filter class of the tables (json-api 12, introduction). */
const OFFERED: Record<string, string[]> = {
  none: [],
  attributes: [],
  equality: ["=", "!="],
  order: ["=", "!=", "<", ">", "<=", ">="],
  text: ["=", "!=", "~", "~=", "=~"],
};
const OPERATORS = ["=", "!=", "<", ">", "<=", ">=", "~", "~=", "=~", "!~"];
const TYPES = [...CATALOGUE.values()].filter(({ inner }) => inner !== true);

describe.each(TYPES)("lists of $name", (type) => {
  const reading = readingOf(TYPES);
  const codeOf = (query: Record<string, string>) => {
    try {
      matching(type, asked(reading, query));
      return undefined;
    } catch (error) {
      return error instanceof Refusal ? error.errors[0]?.code : error;
    }
  };

  it("take exactly the operators that the table gives each field", () => {
    for (const field of type.fields) {
      const taken = OPERATORS.filter((operator) => codeOf({ filter: `${field.name}${operator}${constantFor(field)}` }) === undefined);
      expect([field.name, ...taken.sort()]).toEqual([field.name, ...offeredBy(field).sort()]);
    }
  });

  it("refuse every other field with 1034", () => {
    for (const field of type.fields.filter((each) => offeredBy(each).length === 0))
      expect([field.name, codeOf({ filter: `${field.name}=1` })]).toEqual([field.name, 1034]);
  });

  it("sort by every field of their list, both ways", () => {
    for (const name of type.order)
      for (const direction of ["asc", "desc"]) expect(codeOf({ order: `${name},${direction}` })).toBeUndefined();
  });

  it("sort by no reference, no additional field and no nested object", () => {
    for (const { name, kind } of type.fields)
      if (!["text", "uuid", "int", "long", "number", "boolean", "datetime", "enumeration"].includes(kind.is))
        expect([name, codeOf({ order: name })]).toEqual([name, 1063]);
  });
});

function offeredBy({ name, filter }: Field): string[] {
  // json-api D9: the tables give the field operators, but the live service refuses it.
  return name === "syncId" ? [] : [...(OFFERED[filter] ?? [])];
}

function constantFor({ kind }: Field): string {
  switch (kind.is) {
    case "int":
    case "long":
    case "number":
      return "1";
    case "boolean":
      return "true";
    case "datetime":
      return "2026-01-01 00:00:00";
    case "uuid":
      return "00000000-0000-4000-8000-000000000000";
    case "reference":
      return hrefTo(kind.types[0] ?? "");
    case "enumeration":
      return kind.values[0] ?? "";
    default:
      return "x";
  }
}

function hrefTo(type: string): string {
  const id = "00000000-0000-4000-8000-000000000000";
  if (type === "state") return `${BASE}/api/remap/1.2/entity/retaildemand/metadata/states/${id}`;
  if (type === "pricetype") return `${BASE}/api/remap/1.2/context/companysettings/pricetype/${id}`;
  return `${BASE}/api/remap/1.2/entity/${type}/${id}`;
}
