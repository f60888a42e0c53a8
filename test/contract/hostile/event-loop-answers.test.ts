import { describe, expect, it } from "vitest";
import { readAgentFrame } from "../../../src/registers/agent/wire/frames-schema.ts";
import { sample } from "../../support/extent.ts";
import { ANSWERS, type AnswerOfOthers } from "../../support/hostile/answers.ts";
import {
  FILLS,
  type Fill,
  ITEMS,
  type Item,
  MIXED,
  withLongList,
  withLongText,
  withManyMembers,
  withNesting,
} from "../../support/hostile/bodies.ts";
import { type FieldPath, fieldsOf } from "../../support/hostile/fields.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";

const BOUND_MS = 50;
const TIME_LIMIT_MS = 600_000;
const FRAME_LIMIT_MS = 60_000;
/** The number of answers that the short run reads. */
const SHORT_COUNT = 60;

interface Case {
  name: string;
  bytes(): Buffer;
  read(bytes: Buffer): unknown;
}

/** Every field with a text of the next fill, and every list with all items. Answers of one sender share fields, which come once. */
function casesOf(answer: AnswerOfOthers, seen: Set<string>): Case[] {
  const { example, limitBytes, read, schema } = answer;
  const isNew = (path: FieldPath) => seen.size < seen.add(`${answer.from} ${path.join(".")}`).size;
  const found = fieldsOf(schema);
  const [values, lists] = [found.values.filter(isNew), found.lists.filter(isNew)];
  const of = (path: FieldPath, what: string, bytes: () => Buffer) => ({
    name: `${answer.from} ${answer.name} ${path.join(".")}: ${what}`,
    bytes,
    read,
  });
  const items = Object.keys(ITEMS) as Item[];
  const fills = Object.keys(FILLS) as Fill[];
  const texts = [MIXED, ...fills] as const;
  const nowhere: FieldPath = ["nobody-knows"];
  return [
    ...values.map((path, nth) => {
      const fill = texts[nth % texts.length] ?? MIXED;
      return of(path, fill, () => withLongText(example, path, fill, limitBytes));
    }),
    ...[...lists, ...[nowhere].filter(isNew)].flatMap((path) => [
      ...items.map((item) => of(path, `a list of ${item}`, () => withLongList(example, path, item, limitBytes))),
      of(path, "nested lists", () => withNesting(example, path, limitBytes)),
      of(path, "many members", () => withManyMembers(example, path, limitBytes)),
    ]),
  ];
}

describe("the longest stop of the event loop by an answer", () => {
  it(
    `stays below ${BOUND_MS} ms whatever an agent, a bank or the platform's vendor contract writes into any field`,
    async () => {
      const stops: string[] = [];
      const seen = new Set<string>();
      const cases = ANSWERS.flatMap((answer) => casesOf(answer, seen));
      for (const { name, bytes, read } of sample(cases, SHORT_COUNT)) {
        const made = bytes();
        const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, async () => read(made));
        if (cpuMs >= allowedMs) stops.push(`${name}: ${cpuMs} ms, and ${allowedMs} ms are allowed on this machine`);
      }
      expect(stops).toEqual([]);
    },
    TIME_LIMIT_MS,
  );

  const FRAME_BYTES = 1024 * 1024;
  const FRAMES: Record<string, string> = {
    "a list that never ends": `{"log":${"[".repeat(FRAME_BYTES - 10)}`,
    "a hello of many members": withManyMembers({}, ["hello"], FRAME_BYTES).toString(),
    "registers of numbers": withLongList({ hello: {} }, ["hello", "registers"], "numbers", FRAME_BYTES).toString(),
    "a log of empty texts": withLongList({}, ["log"], "texts", FRAME_BYTES).toString(),
    "a state of nested lists": withNesting({ seen: { register: "a" } }, ["seen", "state"], FRAME_BYTES).toString(),
    "a reason of letters": withLongText(
      { answer: 1, failed: { code: "busy" } },
      ["failed", "reason"],
      "Russian letters",
      FRAME_BYTES,
    ).toString(),
    "a number of digits": `{"accepted":${"1".repeat(FRAME_BYTES - 20)}}`,
  };
  it.each(Object.entries(FRAMES))(
    "stays below the bound for a frame of an agent that is %s",
    async (_, frame) => {
      const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, async () => readAgentFrame(frame));
      expect(result).toBeUndefined();
      expect(cpuMs).toBeLessThan(allowedMs);
    },
    FRAME_LIMIT_MS,
  );
});
