import { describe, expect, it } from "vitest";
import { entityTable } from "../../../../../src/tools/sandbox/types/entity-table.ts";

const names = (...given: Parameters<typeof entityTable>) => entityTable(...given).map(({ name }) => name);

describe("the table of a type", () => {
  it("has the common columns among its own rows, each in front of the first that comes after it in the alphabet", () => {
    expect(names("archived bool\nphone string(255)\ntype string(255)")).toEqual(
      "accountId archived code description externalCode group id name owner phone shared type updated".split(" "),
    );
  });

  it("has a column where a row is its name alone", () => {
    expect(names("agent uuid\nowner\nownAgent uuid\nupdated\ninn string(255)", {}, ["code", "description", "externalCode"])).toEqual(
      "accountId agent group id name owner ownAgent shared updated inn".split(" "),
    );
  });

  it("has a row of its own in the place of the column of that name", () => {
    const group = entityTable("group ref:group").filter(({ name }) => name === "group");
    expect(group).toMatchObject([{ out: false, expand: false, filter: "none" }]);
  });

  it("has no column that the type is without", () => {
    expect(names("", {}, ["group", "owner", "shared"])).toEqual("accountId code description externalCode id name updated".split(" "));
  });
});
