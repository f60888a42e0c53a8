import { describe, expect, it } from "vitest";
import { type JsonBounds, JsonTooLarge, jsonInPieces } from "../../../../src/platform/api/json-pieces.ts";
import { SeededRandom as Random } from "../../../../src/tools/seeded-random.ts";

const STEPS = [1, 7, 40, 1_000];
const ROUNDS = 400;
/** More than the texts of this file need. */
const BOUNDS: JsonBounds = { depth: 64, marks: 100_000, textBytes: 1_000 };

function parsed(text: string, bytesAStep: number): { value: unknown } | "no JSON" {
  try {
    return { value: resultOf(jsonInPieces(Buffer.from(text), BOUNDS, bytesAStep)) };
  } catch (error) {
    if (error instanceof SyntaxError) return "no JSON";
    throw error;
  }
}

function resultOf(steps: Generator<undefined, unknown>): unknown {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function standard(text: string): { value: unknown } | "no JSON" {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return "no JSON";
  }
}

const TEXTS = [
  "[]",
  "{}",
  " [ ] ",
  '{"a":[1,2,{"b":[]}],"a":{"c":[3,[4,5]]},"1":[6,7],"0":8}',
  '{"__proto__":[1,2,3],"constructor":{"a":[1,2]},"":[0,[1,1],0]}',
  '[ [1 , 2] , {"a" : [ 3 , 4 ] } ]\n',
  '{"\\"a\\u0041,[":["\\\\","]","ы,{"],"я":[[[[1,2],3],4],5]}',
  "[1,2,[3,4]]",
  "[[1,2],[3,4],[5,6]]",
  '"a text"',
  "12",
];

const BROKEN = [
  "",
  "[1,2",
  "[1,2,]",
  "[,1,2]",
  "[1,,2,3]",
  "[[1,2],]",
  "[[1,2][3,4]]",
  "[[1,2]3,4]",
  "[3[1,2],4]",
  '{"a":1,"b":2,}',
  '{"a":[1,2],"b"}',
  '{"a":[1,2]"b":3}',
  '{[1,2],"b":3}',
  '{"a":1,[1,2]}',
  '{"a":[1,2}',
  "[1,2}",
  "[1,2]]",
  "[1,2],[3,4]",
  "[1,2] [3,4]",
  "x[1,2]",
  "[1,2]x",
  '["a,b',
  "]",
  "[1,2\u00a0]",
  "[[1,2]\u00a0,3]",
];

describe("JSON that is parsed in pieces", () => {
  const table = STEPS.flatMap((step) => [...TEXTS, ...BROKEN].map((text) => [step, text] as const));
  it.each(table)("of %i bytes is what the standard parser makes of it: %j", (step, text) => {
    const made = parsed(text, step);
    expect(made).toEqual(standard(text));
    expect(JSON.stringify(made)).toBe(JSON.stringify(standard(text)));
  });

  it.each(STEPS)("of %i bytes is the same for texts that were made and spoilt at random", (step) => {
    const random = new Random(20_261_129 + step);
    for (let round = 0; round < ROUNDS; round += 1) {
      const text = textOf(random, 4);
      const at = random.below(text.length);
      const spoilt = text.slice(0, at) + pick(random, [",", "[", "]", "{", "}", ":", '"', " ", "1", ""]) + text.slice(at + random.below(2));
      for (const each of [text, spoilt]) expect([each, parsed(each, step)]).toEqual([each, standard(each)]);
    }
  });

  it("takes an object of 10,000 members, and no longer one", () => {
    const members = (count: number) => Buffer.from(`{${Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join(",")}}`);
    expect(Object.keys(resultOf(jsonInPieces(members(10_000), BOUNDS, 1_000)) as object)).toHaveLength(10_000);
    expect(() => resultOf(jsonInPieces(members(10_001), BOUNDS, 1_000))).toThrow(JsonTooLarge);
  });
});

function textOf(random: Random, depth: number): string {
  const items = (make: () => string) => Array.from({ length: random.below(5) }, make).join(pick(random, [",", " , ", ",\n"]));
  switch (depth === 0 ? 2 : random.below(3)) {
    case 0:
      return `[${items(() => textOf(random, depth - 1))}]`;
    case 1:
      return `{${items(() => `"${pick(random, ["a", "b", "1", "__proto__", "ы\\n"])}"${pick(random, [":", " : "])}${textOf(random, depth - 1)}`)}}`;
    default:
      return pick(random, ["1", "-2.5e3", "true", "null", '"text, [of] {signs}: \\" \\\\"', '""', '"ы"']);
  }
}

function pick(random: Random, of: readonly string[]): string {
  return of[random.below(of.length)] ?? "";
}
