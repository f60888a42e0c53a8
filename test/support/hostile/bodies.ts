import type { FieldPath } from "./fields.ts";

/** The largest allowed body (interface 4). */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** Characters that fill long texts: some that patterns repeat, and some that patterns wait for. */
export const FILLS = {
  "line breaks": "\r\n",
  blanks: " ",
  letters: "a",
  "Russian letters": "щ",
  digits: "7",
  plus: "+",
  at: "@",
  slashes: "/",
  equals: "=",
  quotes: '"',
  "marks on letters": "\u0315\u0316",
  invisible: "\u200b",
  "lone surrogates": "\ud800",
  "escaped characters": "\u0001\t\\",
  emoji: "😀",
  "joined emoji": "👩\u200d👧\ufe0f",
  "group separators": "\u001d",
  "right-to-left": "\u202eא",
  "letters that become many": "ﷺ",
} as const;
export type Fill = keyof typeof FILLS;

/** The name of a fill that has a run of every fill, one after the other. */
export const MIXED = "all of them";
export type TextFill = Fill | typeof MIXED;

/** Values that fill long lists. No list of a contract accepts them. */
export const ITEMS = {
  numbers: "1",
  "long numbers": `-${"9".repeat(400)}.${"9".repeat(400)}e400`,
  objects: "{}",
  lists: "[]",
  texts: '""',
  nulls: "null",
} as const;
export type Item = keyof typeof ITEMS;

const PLACE = "\u0001place";

/** The body with one very long text, so that the whole body has the largest allowed length. The text ends with another character. */
export function withLongText(body: object, path: FieldPath, fill: TextFill, limitBytes = BODY_LIMIT_BYTES): Buffer {
  const fills = fill === MIXED ? Object.values(FILLS) : [FILLS[fill]];
  return filled(body, path, limitBytes, (room) => {
    const runs = fills.map((each) => {
      const unit = JSON.stringify(each).slice(1, -1);
      return unit.repeat(Math.floor((room - '"x!"'.length) / fills.length / Buffer.byteLength(unit)));
    });
    return `"${runs.join("")}x!"`;
  });
}

/** The body with a text of so many characters. It is short enough for a field that accepts texts. */
export function withText(body: object, path: FieldPath, fill: Fill, length: number): Buffer {
  return filled(body, path, BODY_LIMIT_BYTES, () => JSON.stringify(textOf(fill, length)));
}

/** The body with this text at the end of the path. Characters that JSON escapes are escaped. */
export function withExactText(body: object, path: FieldPath, text: string): Buffer {
  return Buffer.from(JSON.stringify(withValue(body, path, text)));
}

/**
 * The body with many items in the list on the path, at most `most`. Each item is like the example's first item, but has a text of `length`
 * characters at the end of the path.
 */
export function withCrowdedList(
  body: object,
  path: FieldPath,
  fill: Fill,
  { length, most }: { length: number; most: number },
  limitBytes = BODY_LIMIT_BYTES,
): Buffer {
  const place = path.indexOf(0);
  const list = path.slice(0, place);
  const example = valueAt(body, path.slice(0, place + 1));
  const item = JSON.stringify(withValue(example, path.slice(place + 1), textOf(fill, length)));
  const bytes = Buffer.byteLength(item) + 1;
  return filled(
    body,
    list,
    limitBytes,
    (room) =>
      `[${Array(Math.min(most, Math.floor((room - 2) / bytes)))
        .fill(item)
        .join(",")}]`,
  );
}

function textOf(fill: Fill, length: number): string {
  return `x${FILLS[fill].repeat(length)}`.slice(0, length - 1).concat("x");
}

function valueAt(within: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (found, step) => (typeof found === "object" && found !== null ? Reflect.get(found, step) : undefined),
    within,
  );
}

/** The body with a list of as many wrong items as fit. */
export function withLongList(body: object, path: FieldPath, item: Item, limitBytes = BODY_LIMIT_BYTES): Buffer {
  const unit = ITEMS[item];
  return filled(
    body,
    path,
    limitBytes,
    (room) => `[${`${unit},`.repeat(Math.floor((room - 2 - unit.length) / (unit.length + 1)))}${unit}]`,
  );
}

/** The body with a member that is nested as deeply as fits. */
export function withNesting(body: object, path: FieldPath, limitBytes = BODY_LIMIT_BYTES): Buffer {
  return filled(body, path, limitBytes, (room) => "[".repeat(Math.floor(room / 2)) + "]".repeat(Math.floor(room / 2)));
}

/** The body with as many members with different unknown names as fit. */
export function withManyMembers(body: object, path: FieldPath, limitBytes = BODY_LIMIT_BYTES): Buffer {
  return filled(body, path, limitBytes, (room) => {
    const count = Math.floor(room / '"1000000":1,'.length);
    return `{${Array.from({ length: count }, (_, index) => `"${1_000_000 + index}":1`).join(",")}}`;
  });
}

/** The largest number of objects with five members each that a body may have for the limit of its values. */
const NEW_OBJECTS = 8_000;

/** The body with a list of many objects. No name of a member occurs twice. */
export function withNewNames(body: object, path: FieldPath, limitBytes = BODY_LIMIT_BYTES): Buffer {
  return filled(body, path, limitBytes, (room) => {
    const ofObject = (nth: number) =>
      JSON.stringify(Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`${name}${10_000 + nth}`, 1])));
    const count = Math.min(NEW_OBJECTS, Math.floor((room - 2) / (ofObject(0).length + 1)));
    return `[${Array.from({ length: count }, (_, nth) => ofObject(nth)).join(",")}]`;
  });
}

function filled(body: object, path: FieldPath, limitBytes: number, content: (room: number) => string): Buffer {
  const [head = "", tail = ""] = JSON.stringify(withValue(body, path, PLACE)).split(JSON.stringify(PLACE));
  const text = content(limitBytes - Buffer.byteLength(head) - Buffer.byteLength(tail));
  return Buffer.from(head + text + tail);
}

/** A copy of the body with a value at the end of the path. Missing objects on the path are made. */
function withValue(within: unknown, [step, ...rest]: FieldPath, value: string): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(within) ? [...within] : [];
    list[step] = withValue(list[step], rest, value);
    return list;
  }
  const members = typeof within === "object" && within !== null && !Array.isArray(within) ? within : {};
  return { ...members, [step]: withValue(Reflect.get(members, step), rest, value) };
}
