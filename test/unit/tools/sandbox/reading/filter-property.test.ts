import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matching } from "../../../../../src/tools/sandbox/reading/list.ts";
import { DEFINITION } from "../../../../../src/tools/sandbox/types/custom/definition.ts";
import type { Reading } from "../../../../../src/tools/sandbox/types/entity-type.ts";
import type { Value, Values } from "../../../../../src/tools/sandbox/values/stored.ts";
import { asked, BASE, place, readingOf, typeOfTable } from "../../../../support/sandbox-reading.ts";

/** One condition of a filter, with its constant as a value and not as text. Null: the empty constant. */
interface Wish {
  key: "name" | "code" | "weight" | "updated" | "shared" | "owner" | "note" | "size";
  operator: "=" | "!=" | "<" | ">" | "<=" | ">=" | "~" | "~=" | "=~";
  constant: string | number | boolean | null;
}

/** An object in the test's own terms. */
interface Thing {
  name?: string;
  code?: string;
  weight?: number;
  /** Whole seconds since 2026 began. */
  updated?: number;
  shared: boolean;
  owner?: "a" | "b";
  note?: string;
  size?: number;
}

const BEGIN_MS = Date.UTC(2026, 0, 1);
const MOSCOW_MS = 3 * 3_600_000;
const OWNERS = { a: "aaaaaaaa-0000-4000-8000-000000000001", b: "bbbbbbbb-0000-4000-8000-000000000002" };
const NOTE = "cccccccc-0000-4000-8000-000000000003";
const SIZE = "dddddddd-0000-4000-8000-000000000004";

const THING = typeOfTable(`
  id      uuid          E
  name    string(255)   T
  code    string(255)   T
  weight  number        C
  updated datetime      C
  shared  bool          E
  owner   ref:employee  E
`);

const text = fc.oneof(
  fc.constantFrom("", "чай", "Чай", "чай зелёный", "a;b", ";", "\\", "a\\", "\\;", "100%", "a+b", "ё", "İstanbul", "=x", "x=y", "~"),
  fc.string({ unit: fc.constantFrom("а", "А", "b", ";", "\\", " ", "=", "~", "0", "&", "#", "😀"), maxLength: 4 }),
);
const thing: fc.Arbitrary<Thing> = fc.record(
  {
    name: text,
    code: text,
    weight: fc.constantFrom(-1, 0, 0.5, 1, 1e21),
    updated: fc.integer({ min: 0, max: 5 }),
    shared: fc.boolean(),
    owner: fc.constantFrom("a", "b"),
    note: text,
    size: fc.integer({ min: -1, max: 2 }),
  },
  { requiredKeys: ["shared"] },
);

const empty = fc.constant(null);
const filled = text.filter((each) => each !== "");
const list = fc.constantFrom("=" as const, "!=" as const);
const part = fc.constantFrom("~" as const, "~=" as const, "=~" as const);
const bound = fc.constantFrom("!=" as const, "<" as const, ">" as const, "<=" as const, ">=" as const);
const texts = (key: Wish["key"]) =>
  fc.oneof(
    fc.record({ key: fc.constant(key), operator: list, constant: fc.oneof(filled, empty) }),
    fc.record({ key: fc.constant(key), operator: part, constant: filled }),
  );
/** Conditions with `=`, or with bounds: `=` together with a bound is refused. */
const numbers = (key: Wish["key"], constant: fc.Arbitrary<number>) =>
  fc.oneof(
    fc.array(fc.record({ key: fc.constant(key), operator: list, constant: fc.oneof(constant, empty) }), { maxLength: 3 }),
    fc.array(fc.record({ key: fc.constant(key), operator: bound, constant }), { maxLength: 3 }),
  );
const wishes: fc.Arbitrary<Wish[]> = fc
  .tuple(
    fc.array(fc.oneof(texts("name"), texts("code"), texts("note")), { maxLength: 3 }),
    numbers("weight", fc.constantFrom(-1, 0, 0.5, 1, 1e21)),
    numbers("updated", fc.integer({ min: 0, max: 5 })),
    numbers("size", fc.integer({ min: -1, max: 2 })),
    fc.array(fc.record({ key: fc.constant("shared" as const), operator: list, constant: fc.boolean() }), { maxLength: 1 }),
    fc.array(fc.record({ key: fc.constant("owner" as const), operator: list, constant: fc.oneof(fc.constantFrom("a", "b"), empty) }), {
      maxLength: 2,
    }),
  )
  // At most two of the six groups, so that the filter finds something now and then.
  .chain((groups) => fc.shuffledSubarray(groups, { maxLength: 2 }))
  .map((groups) => groups.flat())
  // A constant that begins with `=` or `~` would be read as a part of the operator.
  .filter((all) => all.every(({ constant }) => typeof constant !== "string" || !/^[=~]/.test(constant)))
  // A constant that ends with a backslash would escape the semicolon after it (json-api D7).
  .filter((all) => all.slice(0, -1).every(({ constant }) => typeof constant !== "string" || !constant.endsWith("\\")));

describe("a filter", () => {
  it("means in the sandbox what it means in memory", () => {
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 12 }), wishes, (things, all) => {
        const reading = shop();
        const ids = place(reading, "thing", things.map(valuesOf));
        const found = matching(THING, asked(reading, { filter: written(all) })).map(({ id }) => id);
        expect(found).toEqual(ids.filter((_, at) => fits(things[at] ?? { shared: false }, all)));
      }),
      { numRuns: 400 },
    );
  });

  it("goes on meaning it while objects come, change and go", () => {
    const change = fc.record({ at: fc.nat(11), to: fc.option(thing) });
    fc.assert(
      fc.property(fc.array(thing, { minLength: 1, maxLength: 12 }), fc.array(change, { maxLength: 8 }), wishes, (things, changes, all) => {
        const reading = shop();
        const question = asked(reading, { filter: written(all) });
        const present = new Map(place(reading, "thing", things.map(valuesOf)).map((id, at) => [id, things[at] ?? { shared: false }]));
        matching(THING, question);
        for (const { at, to } of changes) {
          const id = [...present.keys()][at % Math.max(1, present.size)];
          reading.account.unlogged(() => {
            if (id === undefined) return;
            if (to === null) reading.account.remove({ type: "thing", id, values: {} });
            else reading.account.put({ type: "thing", id, values: valuesOf(to) });
          });
          if (id !== undefined && to !== null) present.set(id, to);
          if (id !== undefined && to === null) present.delete(id);
        }
        const found = matching(THING, question).map(({ id }) => id);
        expect(found).toEqual([...present].filter(([, each]) => fits(each, all)).map(([id]) => id));
      }),
      { numRuns: 200 },
    );
  });
});

function shop(): Reading {
  const reading = readingOf([THING, DEFINITION]);
  reading.account.unlogged(() => {
    reading.account.put({ type: "attributemetadata", id: NOTE, values: { of: "thing", name: "note", type: "string" } });
    reading.account.put({ type: "attributemetadata", id: SIZE, values: { of: "thing", name: "size", type: "long" } });
  });
  return reading;
}

function valuesOf({ name, code, weight, updated, shared, owner, note, size }: Thing): Values {
  const held: [string, Value | undefined][] = [
    ["name", name],
    ["code", code],
    ["weight", weight],
    ["updated", updated === undefined ? undefined : BEGIN_MS + updated * 1000 + 417],
    ["shared", shared],
    ["owner", owner === undefined ? undefined : { type: "employee", id: OWNERS[owner] }],
    [
      "attributes",
      Object.fromEntries(
        Object.entries({ [NOTE]: note, [SIZE]: size }).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
      ),
    ],
  ];
  return Object.fromEntries(held.filter(([, value]) => value !== undefined));
}

/** Returns the filter as a client would write it. */
function written(all: readonly Wish[]): string {
  return all.map(({ key, operator, constant }) => `${keyText(key)}${operator}${constantText(key, constant)}`).join(";");
}

function keyText(key: Wish["key"]): string {
  const attribute = { note: NOTE, size: SIZE }[key as "note" | "size"];
  return attribute === undefined ? key : `${BASE}/api/remap/1.2/entity/thing/metadata/attributes/${attribute}`;
}

function constantText(key: Wish["key"], constant: Wish["constant"]): string {
  if (constant === null) return "";
  if (key === "updated") return new Date(BEGIN_MS + MOSCOW_MS + Number(constant) * 1000).toISOString().slice(0, 19).replace("T", " ");
  if (key === "owner") return `${BASE}/api/remap/1.2/entity/employee/${OWNERS[constant as "a" | "b"]}`;
  return String(constant).replaceAll(";", "\\;");
}

/** Whether the object fits the conditions, by the rules of json-api 6.2, which are applied one after another to plain values. */
function fits(object: Thing, all: readonly Wish[]): boolean {
  return [...new Set(all.map(({ key }) => key))].every((key) => {
    const own = all.filter((wish) => wish.key === key);
    const raw = object[key];
    const value = raw === "" ? undefined : raw;
    const equal = own.filter(({ operator }) => operator === "=");
    if (equal.length > 0 && !equal.some(({ constant }) => (constant ?? undefined) === value)) return false;
    if (own.some(({ operator, constant }) => operator === "!=" && (constant ?? undefined) === value)) return false;
    const firsts = ["<", ">", "<=", ">="].flatMap((operator) => own.find((wish) => wish.operator === operator) ?? []);
    if (!firsts.every(({ operator, constant }) => inOrder(value, operator, Number(constant)))) return false;
    return own.every(({ operator, constant }) => hasPart(value, operator, String(constant)));
  });
}

function inOrder(value: unknown, operator: string, constant: number): boolean {
  if (typeof value !== "number") return false;
  return { "<": value < constant, ">": value > constant, "<=": value <= constant, ">=": value >= constant }[operator] ?? false;
}

function hasPart(value: unknown, operator: string, constant: string): boolean {
  if (operator !== "~" && operator !== "~=" && operator !== "=~") return true;
  if (typeof value !== "string") return false;
  const [whole, wanted] = [value.toLowerCase(), constant.toLowerCase()];
  if (operator === "~") return whole.includes(wanted);
  return operator === "~=" ? whole.startsWith(wanted) : whole.endsWith(wanted);
}
