import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { goldenSearches, goldenTables } from "../../support/golden-fields.ts";
import { type GoldenWorld, goldenWorld } from "../../support/golden-world.ts";
import type { SandboxAnswer } from "../../support/sandbox.ts";

// json-api 6.4 and D43, type by type and field by field.

let world: GoldenWorld;
let directory: string;
beforeAll(async () => {
  world = await goldenWorld();
  directory = String((await world.sandbox.call("POST", "entity/customentity", { name: "Полки" })).at("id"));
});
afterAll(() => world.close());

const pathOf = (type: string) => `entity/${type}${type === "customentity" ? `/${directory}` : ""}`;
const isFound = async (type: string, wish: string) =>
  Number((await world.sandbox.call("GET", `${pathOf(type)}?search=${encodeURIComponent(wish)}&limit=100`)).at("meta", "size")) > 0;

/** The field that a creation sends instead, for names that are computed from another field. */
const WRITTEN: Readonly<Record<string, string>> = { "employee.name": "lastName", "variant.name": "characteristics" };

/** Returns the two words as a text that the field accepts. */
function wordsOf(field: string, first: string, second: string): string {
  return field.endsWith("email") ? `${first}.${second}@shop.example` : `${first} ${second}`;
}

async function create(type: string, values: Readonly<Record<string, string>>): Promise<SandboxAnswer> {
  const body: Record<string, unknown> = { ...world.least(type) };
  for (const [field, value] of Object.entries(values)) {
    const [list, inner] = field.split(".");
    const written = WRITTEN[`${type}.${field}`] ?? field;
    if (list !== undefined && inner !== undefined)
      body[list] = [{ name: "Лицо", ...((body[list] as object[])?.[0] ?? {}), [inner]: value }];
    else body[written] = written === "characteristics" ? [{ name: "Партия", value }] : value;
  }
  return await world.sandbox.call("POST", pathOf(type), body);
}

describe.each([...goldenSearches()])("a search among objects of type %s", (type, { way, fields }) => {
  const texts = fields.filter((field) => !field.endsWith("phone"));
  const word = (letter: string, at: number) => `${letter}щ${type}${at}`;
  const values = Object.fromEntries(texts.map((field, at) => [field, wordsOf(field, word("к", at), word("т", at))]));
  beforeAll(async () => {
    const made = await create(type, values);
    expect(made.status, made.text).toBe(200);
  });

  it("goes by the fields of its row, in any letter case and by its way of matching", async () => {
    const wrong: string[] = [];
    for (const [at, field] of texts.entries()) {
      const [first, second] = [word("к", at), word("т", at)];
      const expected: [string, boolean][] = [
        [first.slice(0, -1), true],
        [second.toUpperCase(), true],
        // The middle of a word.
        [first.slice(1), way !== "prefix"],
        // Words in another order are found when each word is searched by itself, but not when the whole text is searched.
        [`${second} ${first}`, way !== "substring"],
        [`${first} ${first}x`, false],
      ];
      for (const [wish, found] of expected) if ((await isFound(type, wish)) !== found) wrong.push(`${field}: ${wish} ${found}`);
    }
    expect(wrong).toEqual([]);
  });

  it("joins words of several fields, unless the whole wish has to stand inside of one", async () => {
    if (texts.length < 2) return;
    expect(await isFound(type, `${word("т", 1)} ${word("к", 0)}`)).toBe(way !== "substring");
  });

  it("does not look into other fields", async () => {
    const others = (goldenTables().get(type) ?? []).filter(
      ({ name, type: kind, write }) => kind.startsWith("string(") && write !== "ro" && !fields.includes(name) && !CHECKED.has(name),
    );
    const hidden = Object.fromEntries(others.map(({ name }, at) => [name, `иное${type}${at}`]));
    const made = await create(type, { ...hidden, ...UNIQUE[type] });
    expect(made.status, made.text).toBe(200);
    const found: string[] = [];
    for (const [field, wish] of Object.entries(hidden)) if (await isFound(type, wish)) found.push(field);
    expect(found).toEqual([]);
  });
});

/** Fields that accept only some texts, or from which another field of the row is computed. */
const CHECKED = new Set(["email", "inn", "sex", "ppeType", "firstName", "middleName", "lastName", "phone"]);
/** Fields that must differ in a second object of the type. */
const UNIQUE: Readonly<Record<string, Record<string, string>>> = { variant: { name: "другая партия" } };

describe("a search by phone", () => {
  const written = "+7 (912) 345-67-89";
  const phones = [...goldenSearches()].flatMap(([type, { fields }]) =>
    fields.filter((field) => field.endsWith("phone")).map((field): [string, string] => [type, field]),
  );

  it.each(phones)("of %s in %s finds it as it is written, and by five digits or more however it is written", async (type, field) => {
    const made = await create(type, { [field]: written });
    expect(made.status, made.text).toBe(200);
    const expected: [string, boolean][] = [
      [written, true],
      ["79123456789", true],
      ["9123456789", true],
      ["34567", true],
      ["345.67.89", true],
      ["+7 912 3456789", true],
      ["345-67", true],
      ["67-89", true],
      // Fewer than five digits are found only in the spelling of the stored number.
      ["5678", false],
      ["6 78", false],
      // A number that begins with 8 does not match one that begins with +7.
      ["89123456789", false],
      ["34567а", false],
    ];
    const wrong: string[] = [];
    for (const [wish, found] of expected) if ((await isFound(type, wish)) !== found) wrong.push(`${wish} ${found}`);
    await world.sandbox.call("DELETE", String(made.at("meta", "href")));
    expect(wrong).toEqual([]);
  });
});

describe("a search in the assortment", () => {
  it("goes by the words of goods and variants, and by whole barcodes of goods, variants and packs", async () => {
    const { sandbox } = world;
    const [piece, box] = [
      world.target("product", "uom"),
      { meta: (await sandbox.call("GET", "entity/uom?limit=2")).at("rows", 1, "meta") },
    ];
    const product = await sandbox.call("POST", "entity/product", {
      name: "Яшма поделочная",
      code: "ЯШ-1",
      article: "арт-яшма",
      uom: piece,
      barcodes: [{ ean13: "2990000000015" }],
      packs: [{ uom: box, quantity: 10, barcodes: [{ code128: "КОРОБ-77" }] }],
    });
    expect(product.status, product.text).toBe(200);
    const variant = await sandbox.call("POST", "entity/variant", {
      product: { meta: product.at("meta") },
      characteristics: [{ name: "Цвет", value: "охристый" }],
      code: "ЯШ-2",
      article: "арт-охра",
      barcodes: [{ ean13: "2990000000022" }],
    });
    const found = async (wish: string) => {
      const answer = await sandbox.call("GET", `entity/assortment?search=${encodeURIComponent(wish)}&limit=100`);
      return (answer.at("rows") as { id: string }[]).map(({ id }) => id).sort();
    };
    const [goods, own] = [product.at("id"), variant.at("id")];
    const expected: [string, unknown[]][] = [
      ["поделоч яшма", [goods, own]],
      ["делочная", []],
      ["яш-1", [goods]],
      ["арт-охра", [own]],
      ["арт-яш", [goods]],
      ["2990000000015", [goods]],
      ["299000000001", []],
      ["2990000000022", [own]],
      ["короб-77", [goods]],
      ["короб", []],
    ];
    for (const [wish, ids] of expected) expect([wish, await found(wish)]).toEqual([wish, ids.sort()]);
  });
});
