import { describe, expect, it } from "vitest";
import { FILE, IMAGE } from "../../../src/tools/sandbox/types/attachments.ts";
import { CATALOGUE } from "../../../src/tools/sandbox/types/catalogue.ts";
import type { Field } from "../../../src/tools/sandbox/types/field.ts";
import { DEVIATIONS } from "../../support/golden-deviations.ts";
import { applied, deviationsOf, type GoldenField, goldenSortKeys, goldenTables } from "../../support/golden-fields.ts";

const TABLES = [...goldenTables()];

/** Fields that a declared table has in addition to the rows of json-api, with the chapters that mention them. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  // The minimum stock by warehouse, a sub-resource (json-api 13.1).
  product: ["storebalances"],
  // Every element of a nested collection has an id and an account (the seed document shows both).
  account: ["accountId", "id"],
  bundlecomponent: ["accountId", "id"],
  contactperson: ["accountId", "id", "updated"],
  note: ["accountId", "agent", "id"],
};

/** Fields that are made for each answer and that no table declares. */
const MADE: Readonly<Record<string, readonly string[]>> = { image: ["miniature", "tiny"] };

describe.each(TABLES)("the declared fields of %s", (name, rows) => {
  const declared = declaredFields(name);

  it("are the rows of the reference's table, and no others", () => {
    const made = ["meta", ...(MADE[name] ?? [])];
    const expected = rows.map((row) => row.name).filter((field) => !made.includes(field));
    expect(declared.map((field) => field.name).sort()).toEqual([...expected, ...(BESIDE[name] ?? [])].sort());
  });

  it("have the marks of the reference's table, but for the deviations that are listed", () => {
    const differences = applied(name, rows, DEVIATIONS).flatMap((row) => {
      const field = declared.find((each) => each.name === row.name);
      return field === undefined ? [] : differencesOf(field, row);
    });
    expect(differences).toEqual([]);
  });
});

describe("the deviations", () => {
  it("each speak of a cell that the tables have", () => {
    const idle = DEVIATIONS.filter(
      (each) => !TABLES.some(([type, rows]) => rows.some((row) => deviationsOf([each], type, row).length > 0)),
    );
    expect(idle).toEqual([]);
  });
});

describe("the declared sort keys", () => {
  // A shift has no posting flag and no total (json-api 12.1), so documents are not sorted by them.
  const absent: Readonly<Record<string, readonly string[]>> = { retailshift: ["applicable", "sum"] };

  it.each([...goldenSortKeys()])("of %s are the reference's", (type, keys) => {
    expect([...(CATALOGUE.get(type)?.order ?? [])].sort()).toEqual(keys.filter((key) => !absent[type]?.includes(key)).sort());
  });
});

/** The fields of a type, including those of an element that lives inside an object. */
function declaredFields(name: string): readonly Field[] {
  const owners: Readonly<Record<string, string>> = { account: "counterparty" };
  if (name === "image") return IMAGE.fields;
  if (name === "files") return FILE.fields;
  const lists = [...CATALOGUE.values()].flatMap((type) => Object.values(type.lists).map((element) => ({ owner: type.name, element })));
  const element = lists.find(({ owner, element: each }) => each.name === name && (owners[name] ?? owner) === owner);
  const fields = element?.element.fields ?? CATALOGUE.get(name)?.fields;
  if (fields === undefined) throw new Error(`nothing declares ${name}`);
  return fields;
}

function differencesOf(field: Field, row: GoldenField): string[] {
  const filters = { none: ".", equality: "E", order: "C", text: "T", attributes: "A" };
  const marks: Partial<GoldenField> = {
    needed: field.required ? "req" : ".",
    write: { free: ".", once: "once", never: "ro" }[field.write],
    out: field.out ? "out" : ".",
    expand: field.expand ? "exp" : ".",
    filter: filters[field.filter],
  };
  const wrong = Object.entries(marks).filter(([column, mark]) => {
    const said = row[column as keyof GoldenField];
    return said !== "-" && said !== mark;
  });
  const kind = kindMeans(field, row.type) ? [] : [`${row.name}: a ${row.type} is declared as ${field.kind.is}`];
  return [...wrong.map(([column, mark]) => `${row.name}: ${column} is ${mark}`), ...kind];
}

/** Whether a declared kind can store what the table names. */
function kindMeans({ kind }: Field, type: string): boolean {
  const [, longest] = /^string\((\d+)\)$/.exec(type) ?? [];
  if (longest !== undefined) return kind.is === "text" && kind.max === Number(longest);
  const ways: Readonly<Record<string, readonly Field["kind"]["is"][]>> = {
    string: ["text", "enumeration"],
    text: ["text"],
    url: ["text"],
    bool: ["boolean"],
    datetime: ["datetime"],
    enum: ["enumeration"],
    int: ["int", "long"],
    number: ["number"],
    object: ["object", "json", "reference", "image"],
    "object[]": ["objects", "attributes", "references", "list", "json"],
    ref: ["reference", "json"],
    refCollection: ["list", "collection"],
    "string[]": ["texts"],
    uuid: ["uuid"],
  };
  return ways[type]?.includes(kind.is) ?? false;
}
