import { cutText } from "../../kernel/cut-text.ts";
import { Failure, type FailureKind } from "../../kernel/failure.ts";

/** An element of the platform's `errors` (json-api 10.1). Any code may come. */
export interface PlatformError {
  readonly error: string;
  readonly code: number | undefined;
  readonly parameter: string | undefined;
  readonly moreInfo: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** Addresses of the objects that prevent a deletion. */
  readonly dependencies: readonly string[];
}

/**
 * The kinds of failures, by what a caller may do.
 * - `refused`: the platform refused; the same request would be refused again.
 * - `limited`: the platform answered 429 too often, or once with 1048 (too many failed logins).
 * - `unavailable`: the platform failed (5xx), or its answer was unusable.
 * - `unreachable`: no answer came; the request may have been carried out.
 * - `cancelled`: the caller gave up, or an asynchronous reading took too long.
 * - `unsayable`: the request was wrong and was not sent.
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

/** The maximum number of errors kept of one answer. An answer usually has a few errors. */
const MAX_ERRORS = 100;
/** The longest kept text of an error. The platform's texts are much shorter. */
const MAX_TEXT_LENGTH = 2_000;
/**
 * The longest kept address. The platform's addresses have about 120 characters. A longer address is dropped, because a part of it is
 * useless.
 */
const MAX_ADDRESS_LENGTH = 1_000;

/** A call without a usable answer. Keeps the platform's errors, or the beginning of a body that is not JSON. */
export class PlatformFailure extends Failure {
  /** HTTP status. Undefined: no answer came, or it was too long. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly PlatformError[];
  readonly body: string | undefined;

  constructor(code: PlatformFailureCode, message: string, details: Details = {}) {
    super(`platform-${code}`, KINDS[code], message, details);
    this.status = details.status;
    this.headers = details.headers ?? {};
    this.errors = details.errors ?? [];
    this.body = details.body;
  }

  has(code: number): boolean {
    return this.errors.some((error) => error.code === code);
  }
}

/** Reads `{ errors: [...] }`. Undefined when the body has another form. */
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
    ? list.slice(0, MAX_ERRORS).flatMap((each: unknown) => address(inside(each, "meta")) ?? address(each) ?? [])
    : [];
}

function address(from: unknown): string | undefined {
  const href = inside(from, "href");
  return typeof href === "string" && href.length <= MAX_ADDRESS_LENGTH ? href : undefined;
}

function inside(from: unknown, name: string): unknown {
  return typeof from === "object" && from !== null ? Reflect.get(from, name) : undefined;
}

function text(from: unknown, name: string): string | undefined {
  const value = inside(from, name);
  return typeof value === "string" ? cutText(value, MAX_TEXT_LENGTH) : undefined;
}

/** Reads a number, or a text of digits (platform-contracts 7). */
function number(from: unknown, name: string): number | undefined {
  const value = inside(from, name);
  if (typeof value === "string" && /^\d{1,9}$/.test(value)) return Number(value);
  return typeof value === "number" ? value : undefined;
}
