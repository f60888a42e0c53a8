import type { ErrorPlaces, TextPlace } from "../../call/call.ts";
import type { ApiError, Step } from "../../call/refusal.ts";
import { type JsonNode, JsonScan, LineStarts } from "./json-text.ts";

/**
 * Finds the place of an error in the body's text (json-api 10.1): the deepest existing value on the error's path, or this value's member
 * `parameter`. The first error scans the text.
 */
export class BodyPlaces implements ErrorPlaces {
  readonly #text: () => string | undefined;
  #walked: { readonly root: JsonNode; readonly lines: LineStarts } | undefined;

  /** `text` returns undefined until the body is read as JSON. Errors then have no place. */
  constructor(text: () => string | undefined) {
    this.#text = text;
  }

  of({ path = [], parameter }: ApiError): TextPlace | undefined {
    const walked = this.#walk();
    if (walked === undefined) return undefined;
    const reached = follow(walked.root, path);
    const named = parameter === undefined ? undefined : reached.members?.get(parameter);
    return walked.lines.placeAt((named ?? reached).start);
  }

  #walk() {
    if (this.#walked !== undefined) return this.#walked;
    const text = this.#text();
    // The scan gives up at extreme nesting. Errors then point at the body's beginning.
    if (text !== undefined) this.#walked = { root: new JsonScan(text).root ?? { start: 0 }, lines: new LineStarts(text) };
    return this.#walked;
  }
}

function follow(root: JsonNode, path: readonly Step[]): JsonNode {
  let at = root;
  for (const step of path) {
    const next = typeof step === "number" ? numbered(at, step) : at.members?.get(step);
    if (next === undefined) break;
    at = next;
  }
  return at;
}

/**
 * Returns the element with this number, of an array or of the `rows` of a collection. For another object, returns the member at this
 * position.
 */
function numbered({ items, members }: JsonNode, step: number): JsonNode | undefined {
  const elements = items ?? members?.get("rows")?.items;
  return elements === undefined ? [...(members?.values() ?? [])][step] : elements[step];
}
