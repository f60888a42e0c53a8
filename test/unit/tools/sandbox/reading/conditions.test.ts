import { describe, expect, it } from "vitest";
import { readConditions } from "../../../../../src/tools/sandbox/reading/filter/conditions.ts";

const read = (filter: string) => readConditions(filter).map(({ key, operator, constant }) => [key, operator, constant]);

describe("the text of a filter", () => {
  it("is conditions of field, operator and constant between semicolons", () => {
    expect(read("name=Чай;weight>1")).toEqual([
      ["name", "=", "Чай"],
      ["weight", ">", "1"],
    ]);
  });

  it.each(["=", "!=", ">", "<", ">=", "<=", "~", "~=", "=~", "!~"])("takes the operator %s whole", (operator) => {
    expect(read(`name${operator}x`)).toEqual([["name", operator, "x"]]);
  });

  it("takes operators' signs inside of a constant as they are", () => {
    expect(read("name=a=b<c>d~e!f")).toEqual([["name", "=", "a=b<c>d~e!f"]]);
  });

  it("takes an href as a field", () => {
    expect(read("http://a.example:1/api/remap/1.2/entity/product/metadata/attributes/1=x")).toEqual([
      ["http://a.example:1/api/remap/1.2/entity/product/metadata/attributes/1", "=", "x"],
    ]);
  });

  it("knows one escape: a backslash before a semicolon", () => {
    expect(read("name=a\\;b")).toEqual([["name", "=", "a;b"]]);
    expect(read("name=a\\b\\\\c\\")).toEqual([["name", "=", "a\\b\\\\c\\"]]);
    expect(read("name=a\\\\;b")).toEqual([["name", "=", "a\\;b"]]);
  });

  it("may be empty, have empty constants and end with a semicolon", () => {
    expect(read("")).toEqual([]);
    expect(read("name=;code!=;")).toEqual([
      ["name", "=", ""],
      ["code", "!=", ""],
    ]);
  });

  it.each(["name", "=x", ";name=x", "name=x;;code=y", "!"])("is refused with 1034 when a part is no condition: %s", (filter) => {
    expect(() => readConditions(filter)).toThrow("1034");
  });
});
