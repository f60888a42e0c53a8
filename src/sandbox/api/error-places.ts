import type { Json, JsonObject } from "../reading/render.ts";
import { JsonScan, placeAt } from "./json-text.ts";

/**
 * The answer with `line` and `column` at errors about the body (10.1): of the member that the error names, else of
 * the element. The text is walked only when there is an error to place.
 */
export function placeErrors(body: Json, text: string): Json {
  if (Array.isArray(body)) {
    if (!body.some((element) => errorsIn(element) !== undefined)) return body;
    const { elements } = new JsonScan(text);
    return body.map((element, index) => placed(element, elements[index], text));
  }
  if (errorsIn(body)?.some(concernsBody) !== true) return body;
  return placed(body, new JsonScan(text).elements[0], text);
}

interface Places {
  readonly start: number;
  readonly members: ReadonlyMap<string, number>;
}

function placed(body: Json, places: Places | undefined, text: string): Json {
  const errors = errorsIn(body);
  if (errors === undefined || places === undefined) return body;
  return {
    ...(body as JsonObject),
    errors: errors.map((error) =>
      error.line === undefined ? { ...error, ...placeAt(text, places.members.get(String(error.parameter)) ?? places.start) } : error,
    ),
  };
}

function errorsIn(body: Json): JsonObject[] | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  return Array.isArray(body.errors) ? (body.errors as JsonObject[]) : undefined;
}

/** Formats (2xxx) and fields (3xxx); other codes are about addresses and rights, unless they name a field. */
function concernsBody({ code, parameter }: JsonObject): boolean {
  return parameter !== undefined || (typeof code === "number" && code >= 2000 && code < 4000);
}
