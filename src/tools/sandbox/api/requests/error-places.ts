import type { ErrorPlaces, TextPlace } from "../../call/call.ts";
import type { ApiError, Step } from "../../call/refusal.ts";
import { type JsonNode, JsonScan, LineStarts } from "./json-text.ts";

/**
 * Where errors point in the text of a body (10.1): to the member or array element that their way leads to, as far as it
 * goes, and from there to the member that they name. The text is walked once, and only when there is an error to place.
 */
export class BodyPlaces implements ErrorPlaces {
  readonly #text: () => string | undefined;
  #walked: { readonly root: JsonNode; readonly lines: LineStarts } | undefined;

  /** `text` gives undefined while nobody has read the body as JSON: errors are not about it then. */
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
    // A body that nests without an end is not followed: its errors point at its beginning.
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

/** An element of an array; a collection may come back as it was answered, with its elements in `rows`. Of an object the member. */
function numbered({ items, members }: JsonNode, step: number): JsonNode | undefined {
  const elements = items ?? members?.get("rows")?.items;
  return elements === undefined ? [...(members?.values() ?? [])][step] : elements[step];
}
