import type { Call } from "../../../src/tools/sandbox/caller/call.ts";
import {
  FILLS,
  type Fill,
  ITEMS,
  type Item,
  MIXED,
  type TextFill,
  withCrowdedList,
  withLongList,
  withLongText,
  withManyMembers,
  withNesting,
  withNewNames,
  withText,
} from "./bodies.ts";
import type { BodyOfContract } from "./contract-body.ts";
import { type FieldPath, fieldsOf } from "./fields.ts";
import type { HostileShop } from "./shop.ts";

/** One request with which a caller might try to stop the server. */
export interface HostileCase {
  name: string;
  call(): Call;
}

/**
 * How many cases are made. `whole`: every field with every fill. `short`: each field of a contract once, with changing fills, and
 * each place of a request's head with some. `least`: one request for each field, and one for the unknown fields of each body.
 */
type Reach = "whole" | "short" | "least";

/** The cases are made from the schemas, so that a new field is among them automatically. */
export function hostileCases(shop: HostileShop, extent: Reach): HostileCase[] {
  const seen = new Set<string>();
  const bodies = shop.bodies.flatMap((body, nth) => {
    const isNew = (path: FieldPath) => {
      const name = `${body.contract} ${path.join(".")}`;
      const known = extent !== "whole" && seen.has(name);
      seen.add(name);
      return !known;
    };
    return [...textCases(body, extent, isNew), ...listCases(body, extent, isNew), ...reached(unknownCases(body), extent, nth)];
  });
  return [...bodies, ...headCases(shop, extent)];
}

const ALL_FILLS = Object.keys(FILLS) as Fill[];
const ALL_ITEMS = Object.keys(ITEMS) as Item[];

function textCases(body: BodyOfContract, extent: Reach, isNew: (path: FieldPath) => boolean): HostileCase[] {
  const { values } = fieldsOf(body.schema);
  return values.filter(isNew).flatMap((path, index) => {
    const pure = extent === "whole" ? ALL_FILLS : turned(ALL_FILLS, index);
    const name = path.join(".");
    const atLimit: TextFill[] = extent === "whole" ? [...ALL_FILLS, MIXED] : turned([MIXED, ...ALL_FILLS], index);
    const cases = [
      ...atLimit.map((fill) => caseOf(body, `${name}: ${fill}`, (example) => withLongText(example, path, fill, body.limitBytes))),
      ...pure.flatMap((fill) => [
        ...TAKEN_LENGTHS.map((length) => caseOf(body, `${name}: ${length} of ${fill}`, (example) => withText(example, path, fill, length))),
        ...(path.includes(0) ? CROWDS : []).map((crowd) =>
          caseOf(body, `${name}: ${crowd.length} of ${fill} in each of many`, (example) =>
            withCrowdedList(example, path, fill, crowd, body.limitBytes),
          ),
        ),
      ]),
    ];
    return reached(cases, extent, index);
  });
}

/** The largest lengths that fields accept: of a name and of a public key. */
const TAKEN_LENGTHS = [1_000, 32_000];
/**
 * Lists whose items are accepted one by one: at most so many items, each with a text of this length, and no more than the body may hold.
 */
const CROWDS = [
  { length: 300, most: 1_000 },
  { length: 1_900, most: 1_000 },
];

function listCases(body: BodyOfContract, extent: Reach, isNew: (path: FieldPath) => boolean): HostileCase[] {
  const { lists } = fieldsOf(body.schema);
  return lists.filter(isNew).flatMap((path, index) => {
    const items = extent === "whole" ? ALL_ITEMS : turned(ALL_ITEMS, index);
    const cases = [
      ...items.map((item) =>
        caseOf(body, `${path.join(".")}: a list of ${item}`, (example) => withLongList(example, path, item, body.limitBytes)),
      ),
      caseOf(body, `${path.join(".")}: nested lists`, (example) => withNesting(example, path, body.limitBytes)),
      caseOf(body, `${path.join(".")}: many members`, (example) => withManyMembers(example, path, body.limitBytes)),
      caseOf(body, `${path.join(".")}: objects of new names`, (example) => withNewNames(example, path, body.limitBytes)),
    ];
    return reached(cases, extent, index);
  });
}

/** Unknown fields are read too before they are ignored. */
function unknownCases(body: BodyOfContract): HostileCase[] {
  const path = ["nobody-knows"];
  return [
    caseOf(body, "an unknown field: a text", (example) => withLongText(example, path, MIXED, body.limitBytes)),
    caseOf(body, "an unknown field: a list", (example) => withLongList(example, path, "objects", body.limitBytes)),
    caseOf(body, "an unknown field: nested lists", (example) => withNesting(example, path, body.limitBytes)),
    caseOf(body, "an unknown field: many members", (example) => withManyMembers(example, path, body.limitBytes)),
    caseOf(body, "an unknown field: objects of new names", (example) => withNewNames(example, path, body.limitBytes)),
  ];
}

/** The length of a text in a header, a path or a query. The whole head must stay below 16 KiB. */
const HEAD_LENGTH = 12 * 1024;

const HEAD_UNITS = ["a", "=", "+", "/", "-", ".", "@", "a.", "a=", ";", " a", "%20", "%D0%B0", "eyJ-"];
/** Each place gets every n-th text of the list, and the next place gets other texts. */
const HEAD_STEPS: Readonly<Record<Reach, number>> = { whole: 1, short: 4, least: 13 };

function headCases(shop: HostileShop, extent: Reach): HostileCase[] {
  return HEAD_UNITS.flatMap((unit, index) => {
    const text = unit.repeat(Math.floor(HEAD_LENGTH / unit.length));
    const calls = shop.callsWith(text).filter((_, place) => (index + place) % HEAD_STEPS[extent] === 0);
    return calls.map(({ place, call }) => ({ name: `${place}: ${JSON.stringify(unit)}`, call: () => call }));
  });
}

function caseOf(body: BodyOfContract, name: string, bytes: (example: object) => Buffer): HostileCase {
  return { name: `${body.name} ${name}`, call: () => body.call(bytes(body.example())) };
}

/** All cases, or with `least` a single one. Its index changes from place to place. */
function reached(cases: HostileCase[], extent: Reach, index: number): HostileCase[] {
  return extent === "least" ? turned(cases, index) : cases;
}

/** A list with one element: the one at this index, counted again from the beginning after the end. */
function turned<T>(list: readonly T[], index: number): T[] {
  return list.slice(index % list.length).slice(0, 1);
}
