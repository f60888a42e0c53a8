import { present } from "../../../kernel/present.ts";
import type { JsonObject } from "../values/json.ts";
import type { Call } from "./call.ts";
import { errorText } from "./errors.ts";
import type { ApiError } from "./refusal.ts";

export type ErrorContext = Pick<Call, "language" | "places" | "errorLink">;

/** Returns `{ errors: [...] }` (json-api 10.1) in the caller's language. */
export function errorsOf(errors: readonly ApiError[], context: ErrorContext): JsonObject {
  return { errors: errors.map((error) => writeError(error, context)) };
}

function writeError(error: ApiError, { language, places, errorLink = "" }: ErrorContext): JsonObject {
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

/** Codes of faults in the address or in the headers. All other codes from 3000 to 3999 mean a fault in the body. */
const ADDRESS_CODES = new Set([3027, 3030, 3042, 3043]);

/**
 * Whether the error concerns the body. An error with a `path` concerns the body. Otherwise the code decides:
 * codes below 2000 and codes in `ADDRESS_CODES` do not concern the body;
 * other codes below 4000 do;
 * codes from 4000 on do only if the error has a `parameter`.
 */
function concernsBody({ code, parameter, path }: ApiError): boolean {
  if (path !== undefined) return true;
  if (code < 2000 || ADDRESS_CODES.has(code)) return false;
  return code < 4000 || parameter !== undefined;
}
