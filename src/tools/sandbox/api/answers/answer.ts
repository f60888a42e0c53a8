import { type ErrorContext, errorsOf } from "../../call/error-body.ts";
import type { Refusal } from "../../call/refusal.ts";
import type { Json, JsonObject } from "../../values/json.ts";

export interface Answer {
  readonly status: number;
  /** The JSON body. Without `body`, `json`, `file` and `html` the answer has an empty body. */
  readonly body?: Json;
  /** An encoded JSON body, such as a long list. */
  readonly json?: Buffer;
  /** A file instead of JSON. */
  readonly file?: { readonly bytes: Buffer; readonly type: string; readonly filename: string };
  /** An HTML page instead of JSON, such as for an unknown version. */
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function ok(body: Json): Answer {
  return { status: 200, body };
}

/** The answer to a deletion: 200 without a body. */
export const EMPTY: Answer = { status: 200 };

/** Returns the answer for a refused request. */
export function refusedAnswer(refusal: Refusal, context: ErrorContext): Answer {
  return { status: refusal.status, body: errorsOf(refusal.errors, context) };
}

/** Returns the code of the first error. Undefined: the answer is no error, or its error has no code. */
export function firstCode(answer: Answer): number | undefined {
  const code = firstError(answer)?.code;
  return typeof code === "number" ? code : undefined;
}

/** Returns the text of the first error. */
export function firstText(answer: Answer): string | undefined {
  const text = firstError(answer)?.error;
  return typeof text === "string" ? text : undefined;
}

function firstError({ body }: Answer): JsonObject | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body) || !Array.isArray(body.errors)) return undefined;
  const [first] = body.errors;
  return typeof first === "object" && first !== null && !Array.isArray(first) ? first : undefined;
}
