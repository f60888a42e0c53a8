import { type JsonExcess, type JsonPath, JsonReader, JsonStop } from "./json-reader.ts";

/** The result of reading a JSON text. Numbers keep their source text, so that nothing is rounded. */
export type JsonBody =
  | { kind: "json"; value: unknown }
  /** The bytes are no UTF-8 or no JSON, or the text exceeds a bound at a place outside any member of the outermost value. */
  | { kind: "broken"; problem: string }
  /** A member exceeds a bound that no real document exceeds. `path` begins with a member's name. The rest of the text was not read. */
  | { kind: "excess"; excess: JsonExcess; limit: number; path: JsonPath; problem: string };

/** A number of a JSON text, exactly as it was written. */
export class Numeral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The deepest nesting. The bodies of all contracts are much flatter. */
export const MAX_JSON_DEPTH = 64;
/** The maximum number of members of an object. The platform's largest object, a full document, has about sixty members. */
export const MAX_JSON_MEMBERS = 500;
/**
 * The maximum number of values. A sale of a thousand positions with a mark each has fewer than thirty thousand values. A notification of a
 * megabyte also has fewer. Reading the maximum takes a few hundredths of a second and blocks other work.
 */
export const MAX_JSON_VALUES = 50_000;

/** Bounds for the reported path of an excess: its names come from the caller and may be as long as the body. */
const MAX_PATH_STEPS = 6;
const MAX_NAME_LENGTH = 64;

/**
 * Reads one JSON text of valid UTF-8; a byte order mark is accepted. A member named `__proto__` is dropped. Characters that no database can
 * store are replaced (`storableText`). Numbers are returned as strings: `0.1` becomes `"0.1"` and `1e400` becomes `"1e400"`. A contract
 * that must distinguish a number from a text passes `numberOf`, such as `(text) => new Numeral(text)`.
 */
export function parseJson(bytes: Buffer, numberOf?: (text: string) => unknown): JsonBody {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { kind: "broken", problem: "not valid UTF-8" };
  try {
    const limits = { depth: MAX_JSON_DEPTH, members: MAX_JSON_MEMBERS, values: MAX_JSON_VALUES };
    return { kind: "json", value: new JsonReader(text, limits, numberOf).read() };
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

/** Returns the path up to the first list. For too many values or too deep nesting, it does not matter which item reached the limit. */
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
