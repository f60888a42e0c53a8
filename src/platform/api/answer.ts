import { cutText } from "../../kernel/cut-text.ts";
import { type AnswerJson, answerJson } from "./answer-json.ts";
import { CODES } from "./codes.ts";
import { type Exchanged, MAX_FILE_BYTES, MAX_JSON_BYTES } from "./exchange.ts";
import { errorsIn, PlatformFailure } from "./failure.ts";

/** The number of attempts when the platform fails. The platform recovers in seconds, or so late that more attempts are useless. */
export const ATTEMPTS = 4;
/** A 500 may come from a single worker process of the platform or from the request itself, so there is one repeat (json-api 17). */
const ATTEMPTS_ON_500 = 2;
const MAX_EXCERPT = 500;
/** The longest text in a failure's message. The failure also has the errors themselves. */
const MAX_WORDS = 2_000;

export interface PlatformCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** A path below `{api}`, or a whole address of the platform (an href, a next page). */
  readonly path: string;
  /** Parameters, not encoded yet. Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** True when a repeat of the call does no harm: reads, and creations with a `syncId`. */
  readonly repeatable?: boolean;
  /** Statuses besides 2xx at which an array is a usable answer: mass writes end with 400 and 412 too (json-api 7.4). */
  readonly alsoGood?: readonly number[];
  /** Reports cost more than other calls (json-api 11.1). */
  readonly weightClass?: "plain" | "report";
  /** `bytes`: the answer is a file. */
  readonly form?: "json" | "bytes";
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Longest answer, in bytes. Absent: see `maxBytesOf`. */
  readonly maxBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Webhooks whose address begins with one of these prefixes get no notification of this call (json-api 9.6). A prefix has at least the
   * scheme and the whole domain.
   */
  readonly muted?: readonly string[];
  /**
   * `answer`: the redirection is the answer and is not followed. `linkSeconds`: how long the link of this redirection is valid (json-api
   * 15). `file`: the redirection may lead to a file at another host, as it may for the form `bytes`.
   */
  readonly redirects?: { readonly kind: "answer"; readonly linkSeconds?: number } | { readonly kind: "file" };
}

export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body. Undefined when the body is empty, for a redirection, and for the form `bytes`. */
  readonly body: unknown;
  readonly bytes?: Buffer;
}

/** How one attempt ended. */
export type Outcome =
  | { readonly kind: "answer"; readonly answer: PlatformAnswer }
  /** 429: send the same body again later. */
  | { readonly kind: "limited"; readonly failure: PlatformFailure }
  /** The platform failed, or its answer is unusable. `attempts`: the attempts in all, if the call is repeatable. */
  | { readonly kind: "busy"; readonly failure: PlatformFailure; readonly attempts: number }
  /** No answer: the call may have been carried out. */
  | { readonly kind: "lost"; readonly failure: PlatformFailure }
  /** The call's time is over, or the server stops. The platform may still be working, so there is no repeat (json-api 4). */
  | { readonly kind: "late"; readonly failure: PlatformFailure }
  | { readonly kind: "refused"; readonly failure: PlatformFailure };

/** Judges an answer (json-api 10). */
export async function outcomeOf(call: PlatformCall, exchanged: Exchanged): Promise<Outcome> {
  const { status, headers, body } = exchanged;
  const good = status >= 200 && status < 300;
  if (good && call.form === "bytes") return { kind: "answer", answer: { status, headers, body: undefined, bytes: body } };
  // The body of a redirection is only a page.
  if (call.redirects?.kind === "answer" && status >= 300 && status < 400 && headers.location !== undefined)
    return { kind: "answer", answer: { status, headers, body: undefined } };
  // Instead of a file, a failed call may get a long body. If it is longer than any JSON answer, it counts as a page.
  const isLongPage = call.form === "bytes" && body.length > MAX_JSON_BYTES;
  const json: AnswerJson = isLongPage ? { kind: "page" } : await answerJson(body, Math.min(maxBytesOf(call), MAX_JSON_BYTES));
  if (json.kind === "json") {
    const mixed = call.alsoGood?.includes(status) === true && Array.isArray(json.value);
    if (good || mixed) return { kind: "answer", answer: { status, headers, body: json.value } };
  }
  const failure = failureOf(call, exchanged, json);
  if (status === 429) return failure.has(CODES.tooManyFailedLogins) ? { kind: "refused", failure } : { kind: "limited", failure };
  // A repeat would take as long and end the same way.
  if (failure.has(CODES.massWriteTooLong)) return { kind: "busy", failure, attempts: 1 };
  if (status === 500) return { kind: "busy", failure, attempts: ATTEMPTS_ON_500 };
  if (status === 502 || status === 503 || status === 504) return { kind: "busy", failure, attempts: ATTEMPTS };
  if (!good) return { kind: "refused", failure };
  // A call whose answer is too large to parse is not repeated: the next answer would be as large.
  return { kind: "busy", failure, attempts: json.kind === "refused" ? 1 : ATTEMPTS_ON_500 };
}

/** The path for logs and failures. It has no query, because a query may contain a buyer's data. */
export function pathOf({ path }: PlatformCall): string {
  return path.split("?")[0] ?? "";
}

/** The largest answer, in bytes. Files may be long. Other answers are parsed, and their values need several times as much memory. */
export function maxBytesOf({ maxBytes, form }: PlatformCall): number {
  return maxBytes ?? (form === "bytes" ? MAX_FILE_BYTES : MAX_JSON_BYTES);
}

function failureOf(call: PlatformCall, { status, headers, body }: Exchanged, json: AnswerJson): PlatformFailure {
  const errors = json.kind === "json" ? (errorsIn(json.value) ?? []) : [];
  const told = errors.map(({ code, error }) => `${code ?? "?"} ${error}`).join("; ");
  const words = json.kind === "refused" ? `the answer has ${json.excess}` : cutText(told, MAX_WORDS);
  // Decodes more bytes than are kept, so that the text can be cut at a word.
  const excerpt = json.kind === "json" ? {} : { body: cutText(body.toString("utf8", 0, 2 * MAX_EXCERPT), MAX_EXCERPT) };
  const message = `${call.method} ${pathOf(call)}: ${status}${words === "" ? "" : ` ${words}`}`;
  const kind = status === 429 ? "limited" : status >= 500 || status < 400 ? "unavailable" : "refused";
  return new PlatformFailure(kind, message, { status, headers, errors, ...excerpt });
}
