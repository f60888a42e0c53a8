import { type JsonExcess, type JsonPath, JsonReader, JsonStop } from "./json-reader.ts";

/** A JSON text as read: every number in it became the text it was written as, so that nothing is rounded. */
export type JsonBody =
  | { kind: "json"; value: unknown }
  /** No JSON, or beyond a bound in what has no name. */
  | { kind: "broken"; problem: string }
  /** A member holds more than any document, and its path begins with its name; nothing behind it was read. */
  | { kind: "excess"; excess: JsonExcess; limit: number; path: JsonPath; problem: string };

/** Deeper nesting than any contract has by far. */
export const MAX_JSON_DEPTH = 64;
/** The largest object of the platform's, a document in full, has some sixty members. */
export const MAX_JSON_MEMBERS = 500;
/**
 * A sale of a thousand positions with a mark each has under thirty thousand values, a notification of a megabyte as many. Reading
 * so many takes a few hundredths of a second, in which nobody else gets a turn.
 */
export const MAX_JSON_VALUES = 50_000;

/** What is told of where an excess lies: names come from outside, and may be as long as the body. */
const MAX_PATH_STEPS = 6;
const MAX_NAME_LENGTH = 64;

/**
 * Reads one JSON text. UTF-8 is strict, a byte order mark is tolerated, a member named `__proto__` is
 * dropped. Numbers arrive as strings: a quantity of `0.1` stays `"0.1"` and `1e400` stays `"1e400"`.
 */
export function parseJson(bytes: Buffer): JsonBody {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { kind: "broken", problem: "not valid UTF-8" };
  try {
    const limits = { depth: MAX_JSON_DEPTH, members: MAX_JSON_MEMBERS, values: MAX_JSON_VALUES };
    return { kind: "json", value: new JsonReader(text, limits).read() };
  } catch (error) {
    if (error instanceof JsonStop) return stopped(error);
    throw error;
  }
}

function stopped({ excess }: JsonStop): JsonBody {
  if (excess === undefined) return { kind: "broken", problem: "not valid JSON" };
  const { kind, path } = excess;
  if (typeof path[0] !== "string") return { kind: "broken", problem: PROBLEMS[kind] };
  const place = shortened(kind === "members" ? path : upToList(path));
  return { kind: "excess", excess: kind, limit: LIMITS[kind], path: place, problem: PROBLEMS[kind] };
}

const LIMITS: Readonly<Record<JsonExcess, number>> = { depth: MAX_JSON_DEPTH, members: MAX_JSON_MEMBERS, values: MAX_JSON_VALUES };

const PROBLEMS: Readonly<Record<JsonExcess, string>> = {
  depth: `nested deeper than ${MAX_JSON_DEPTH} levels`,
  members: `an object of more than ${MAX_JSON_MEMBERS} members`,
  values: `of more than ${MAX_JSON_VALUES} values`,
};

/** The list is too long, not that one of its items in which the bound was reached. */
function upToList(path: JsonPath): JsonPath {
  const list = path.findIndex((step) => typeof step === "number");
  return list === -1 ? path : path.slice(0, list);
}

function shortened(path: JsonPath): JsonPath {
  return path.slice(0, MAX_PATH_STEPS).map((step) => (typeof step === "string" ? step.slice(0, MAX_NAME_LENGTH).toWellFormed() : step));
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
