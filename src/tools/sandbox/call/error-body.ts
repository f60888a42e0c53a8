import { present } from "../../../kernel/present.ts";
import type { JsonObject } from "../values/json.ts";
import type { Call } from "./call.ts";
import { errorText } from "./errors.ts";
import type { ApiError } from "./refusal.ts";

/** The parts of a call that the text of an error depends on. */
export type ErrorReader = Pick<Call, "language" | "places" | "errorLink">;

/** Returns `{ errors: [...] }` (json-api 10.1) in the caller's language. */
export function errorsOf(errors: readonly ApiError[], reader: ErrorReader): JsonObject {
  return { errors: errors.map((error) => writeError(error, reader)) };
}

function writeError(error: ApiError, { language, places, errorLink = "" }: ErrorReader): JsonObject {
  const { code, parameter, details = [], dependencies, line, column } = error;
  const text = errorText(code)[language].replace(/\{(\d)\}/g, (_, place: string) => wordsOf(details[Number(place)], language));
  const place = line !== undefined && column !== undefined ? { line, column } : concernsBody(error) ? places?.of(error) : undefined;
  return {
    error: text,
    code,
    ...present({ parameter }),
    moreInfo: `${errorLink}${code}`,
    ...place,
    ...(dependencies === undefined ? {} : { dependencies: [...dependencies] }),
  };
}

function wordsOf(detail: NonNullable<ApiError["details"]>[number] | undefined, language: Call["language"]): string {
  return typeof detail === "object" ? detail[language] : (detail ?? "");
}

/** Codes of the address and the headers. Their numbers lie in the range of fields. */
const OF_THE_ADDRESS = new Set([3027, 3030, 3042, 3043]);

/**
 * Whether the error concerns the body. Codes of formats (2xxx) and fields (3xxx) do; other codes do when they name a field.
 */
function concernsBody({ code, parameter, path }: ApiError): boolean {
  if (path !== undefined) return true;
  if (code < 2000 || OF_THE_ADDRESS.has(code)) return false;
  return code < 4000 || parameter !== undefined;
}
