import { cutText } from "../../kernel/cut-text.ts";
import { CODES } from "./codes.ts";
import { type Exchanged, MAX_FILE_BYTES, MAX_JSON_BYTES } from "./exchange.ts";
import { errorsIn, PlatformFailure } from "./failure.ts";

/** Attempts of a call in all when the platform fails: it is back in seconds, or not soon. */
export const ATTEMPTS = 4;
/** 500 may be the fault of one worker, or of this very request: it is asked once more (reference 17). */
const ATTEMPTS_ON_500 = 2;
/** Longest piece of a body that is no JSON and goes into a failure. */
const MAX_TOLD = 500;
/** Longest words of the errors that make a failure's message; each of them is kept beside. */
const MAX_WORDS = 2_000;

/** One call, as its maker knows it. */
export interface PlatformCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `{api}`, or a whole address of the platform's (an href, a next page). */
  readonly path: string;
  /** Parameters, encoded here and nowhere before; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** The call may be made again though the first may have been carried out: reads, and creations with a `syncId`. */
  readonly repeatable?: boolean;
  /** Statuses besides 2xx whose body, when it is an array, is an answer: mass writes come with 400 and 412 too (7.4). */
  readonly alsoGood?: readonly number[];
  /** Reports cost more than other calls (11.1). */
  readonly weightClass?: "plain" | "report";
  /** `bytes`: the answer is a file. */
  readonly form?: "json" | "bytes";
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** The most that is taken of the answer; `maxBytesOf` where it is not said. */
  readonly maxBytes?: number;
  /** Headers besides the usual ones (precision). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Addresses that begin so hear nothing of what this call changes (9.6): scheme and whole domain at least. */
  readonly muted?: readonly string[];
  /**
   * `told`: a redirection is the answer, and nobody goes there. Its link lives for so long, where it leads to a file (15).
   * `file`: the answer may lie in a file at another host, as what is asked for in the form `bytes` may anyway.
   */
  readonly redirects?: { readonly kind: "told"; readonly linkSeconds?: number } | { readonly kind: "file" };
}

export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON; undefined when it is empty or was asked for as bytes. */
  readonly body: unknown;
  /** The body of a call of the form `bytes`. */
  readonly bytes?: Buffer;
}

/** How one attempt ended. */
export type Outcome =
  | { readonly kind: "answer"; readonly answer: PlatformAnswer }
  /** 429: later, with the same body. */
  | { readonly kind: "limited"; readonly failure: PlatformFailure }
  /** 5xx, or a page where JSON should be; how many attempts may be made in all, where another does no harm. */
  | { readonly kind: "busy"; readonly failure: PlatformFailure; readonly attempts: number }
  /** No answer: it may have been carried out. */
  | { readonly kind: "lost"; readonly failure: PlatformFailure }
  /** Our time, or that of the server, is over and the platform may still be at work: nothing is sent again before it has answered (reference 4). */
  | { readonly kind: "late"; readonly failure: PlatformFailure }
  | { readonly kind: "refused"; readonly failure: PlatformFailure };

const UNREADABLE = Symbol("no JSON");

/** What an answer means (reference 10). */
export function outcomeOf(call: PlatformCall, exchanged: Exchanged): Outcome {
  const { status, headers, body } = exchanged;
  const good = status >= 200 && status < 300;
  if (good && call.form === "bytes") return { kind: "answer", answer: { status, headers, body: undefined, bytes: body } };
  // What a redirection says besides its address is a page.
  if (call.redirects?.kind === "told" && status >= 300 && status < 400 && headers.location !== undefined)
    return { kind: "answer", answer: { status, headers, body: undefined } };
  // Of a file's bound, and no file: a page.
  const json = call.form === "bytes" && body.length > MAX_JSON_BYTES ? UNREADABLE : parsed(body);
  const mixed = call.alsoGood?.includes(status) === true && Array.isArray(json);
  if ((good || mixed) && json !== UNREADABLE) return { kind: "answer", answer: { status, headers, body: json } };
  const failure = failureOf(call, exchanged, json);
  if (status === 429) return failure.has(CODES.tooManyFailedLogins) ? { kind: "refused", failure } : { kind: "limited", failure };
  // It would take as long once more, and end the same way.
  if (failure.has(CODES.massWriteTooLong)) return { kind: "busy", failure, attempts: 1 };
  if (status === 500) return { kind: "busy", failure, attempts: ATTEMPTS_ON_500 };
  if (status === 502 || status === 503 || status === 504) return { kind: "busy", failure, attempts: ATTEMPTS };
  return good ? { kind: "busy", failure, attempts: ATTEMPTS_ON_500 } : { kind: "refused", failure };
}

/** For logs and failures: without the query, which may hold a buyer's data. */
export function pathOf({ path }: PlatformCall): string {
  return path.split("?")[0] ?? "";
}

/** Of an answer's length: files are long, everything else is parsed at one go while nobody else gets on. */
export function maxBytesOf({ maxBytes, form }: PlatformCall): number {
  return maxBytes ?? (form === "bytes" ? MAX_FILE_BYTES : MAX_JSON_BYTES);
}

/** Empty bodies are good answers (deletions); a page where JSON should be is none. */
function parsed(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // Proxies answer with pages: the status says what there is to know.
    return UNREADABLE;
  }
}

function failureOf(call: PlatformCall, { status, headers, body }: Exchanged, json: unknown): PlatformFailure {
  const errors = errorsIn(json) ?? [];
  const words = cutText(errors.map(({ code, error }) => `${code ?? "?"} ${error}`).join("; "), MAX_WORDS);
  // Some more than is told, so that it can be cut where a word ends.
  const told = json === UNREADABLE ? { body: cutText(body.toString("utf8", 0, 2 * MAX_TOLD), MAX_TOLD) } : {};
  const message = `${call.method} ${pathOf(call)}: ${status}${words === "" ? "" : ` ${words}`}`;
  const kind = status === 429 ? "limited" : status >= 500 || status < 400 ? "unavailable" : "refused";
  return new PlatformFailure(kind, message, { status, headers, errors, ...told });
}
