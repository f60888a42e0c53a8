import { cutText } from "../../kernel/cut-text.ts";
import { Failure, type FailureKind } from "../../kernel/failure.ts";

/** One element of the platform's `errors` (json-api 10.1). Codes are an open set. */
export interface PlatformError {
  readonly error: string;
  readonly code: number | undefined;
  readonly parameter: string | undefined;
  readonly moreInfo: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** Addresses of what stands in a deletion's way. */
  readonly dependencies: readonly string[];
}

/**
 * What went wrong with a call, by what a caller may do about it:
 * `refused` the platform understood and said no, the same request would be refused again; `limited` it said "later"
 * longer than we wait; `unavailable` it failed (5xx), or its answer could not be read; `unreachable` no answer came, the request
 * may or may not have been carried out; `cancelled` whoever asked has given up; `unsayable` the request would have been wrong
 * and was not sent.
 */
type PlatformFailureCode = "refused" | "limited" | "unavailable" | "unreachable" | "cancelled" | "unsayable";

const KINDS: Readonly<Record<PlatformFailureCode, FailureKind>> = {
  refused: "caller",
  limited: "dependency",
  unavailable: "dependency",
  unreachable: "dependency",
  cancelled: "caller",
  unsayable: "caller",
};

interface Details {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly PlatformError[];
  readonly body?: string;
  readonly retrySafe?: boolean;
  readonly cause?: unknown;
}

/** Of one answer: a request has a handful of faults, and nobody reads further. */
const MAX_ERRORS = 100;
/** Longest text of an error that is kept: the platform's own have some hundred characters. */
const MAX_TEXT_LENGTH = 2_000;

/** A call that brought no answer to work with. The errors of the platform's array are kept, and the body's beginning when it is no JSON. */
export class PlatformFailure extends Failure {
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** Of the answer; empty when none came. */
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly PlatformError[];
  /** The first characters of a body that is no JSON. */
  readonly body: string | undefined;

  constructor(code: PlatformFailureCode, message: string, details: Details = {}) {
    super(`platform-${code}`, KINDS[code], message, details);
    this.status = details.status;
    this.headers = details.headers ?? {};
    this.errors = details.errors ?? [];
    this.body = details.body;
  }

  /** Whether one of the errors has the code. */
  has(code: number): boolean {
    return this.errors.some((error) => error.code === code);
  }
}

/** Reads `{ errors: [...] }`; undefined when the body is not of that form. */
export function errorsIn(body: unknown): readonly PlatformError[] | undefined {
  const list = inside(body, "errors");
  if (!Array.isArray(list)) return undefined;
  return list.slice(0, MAX_ERRORS).map((each: unknown) => ({
    error: text(each, "error") ?? text(each, "error_message") ?? "",
    code: number(each, "code"),
    parameter: text(each, "parameter"),
    moreInfo: text(each, "moreInfo"),
    line: number(each, "line"),
    column: number(each, "column"),
    dependencies: hrefsIn(inside(each, "dependencies")),
  }));
}

function hrefsIn(list: unknown): readonly string[] {
  return Array.isArray(list)
    ? list.slice(0, MAX_ERRORS).flatMap((each: unknown) => text(inside(each, "meta"), "href") ?? text(each, "href") ?? [])
    : [];
}

function inside(from: unknown, name: string): unknown {
  return typeof from === "object" && from !== null ? Reflect.get(from, name) : undefined;
}

function text(from: unknown, name: string): string | undefined {
  const value = inside(from, name);
  return typeof value === "string" ? cutText(value, MAX_TEXT_LENGTH) : undefined;
}

/** Numbers are taken as texts too (platform-contracts 7). */
function number(from: unknown, name: string): number | undefined {
  const value = inside(from, name);
  if (typeof value === "string" && /^\d{1,9}$/.test(value)) return Number(value);
  return typeof value === "number" ? value : undefined;
}
