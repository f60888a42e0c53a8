import { present } from "../../../kernel/present.ts";
import type { Exchange } from "./call.ts";

const STATUSES = ["IN_PROGRESS", "DONE", "REJECTED"] as const;

/** The states of a payment in the contract. */
export type QrStatus = (typeof STATUSES)[number];

/** An error of the QR contract. `errorMessage` is its text (platform-contracts 5.6). */
export interface QrError {
  error: string;
  code: number;
  errorMessage?: string;
  parameter?: string;
}

/** The meaning of an answer for a till. */
export type QrAnswer =
  /** The text of the QR code. */
  | { kind: "data"; data: string }
  | { kind: "status"; status: QrStatus }
  /** The outcome is unknown, and the call may be repeated. `answered`: whether there was an answer. */
  | { kind: "unknown"; answered: boolean; problem: string }
  /** A repeat would get the same refusal. */
  | { kind: "refused"; status: number; problem: string };

/** Status and code of refusals because of a silent or busy bank. A repeat makes sense (payments surface 5). */
const WORTH_REPEATING: readonly (readonly [number, number])[] = [
  [424, 1007],
  [429, 1006],
];

/** Reads the answer to `create`. A 200 without a QR text counts as refused. */
export function readQrCreated(exchange: Exchange): QrAnswer {
  const data = memberOf(exchange, "data");
  if (typeof data === "string" && data !== "") return { kind: "data", data };
  return withoutResult(exchange, `data is ${JSON.stringify(data)}`);
}

/** Reads the answer to `state`. A 200 with an unknown status counts as refused. */
export function readQrState(exchange: Exchange): QrAnswer {
  const given = memberOf(exchange, "status");
  const status = STATUSES.find((each) => each === given);
  return status === undefined ? withoutResult(exchange, `status is ${JSON.stringify(given)}`) : { kind: "status", status };
}

function withoutResult(exchange: Exchange, missing: string): QrAnswer {
  if (exchange.kind === "no-answer") return { kind: "unknown", answered: false, problem: exchange.reason };
  const { status, body } = exchange;
  if (status === 200) return { kind: "refused", status, problem: missing };
  const [first] = readQrErrors(body);
  const problem = first === undefined ? `${status} without errors` : `${status}/${first.code} ${first.errorMessage ?? first.error}`;
  const repeats = status >= 500 || WORTH_REPEATING.some(([of, code]) => of === status && code === first?.code);
  return repeats ? { kind: "unknown", answered: true, problem } : { kind: "refused", status, problem };
}

/** Returns the errors of a refusal. Malformed errors are left out. */
export function readQrErrors(body: Buffer): QrError[] {
  const errors = objectIn(body)?.errors;
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null) return [];
    const { error, code, errorMessage, parameter } = entry as Record<string, unknown>;
    if (typeof error !== "string" || typeof code !== "number") return [];
    return [{ error, code, ...present({ errorMessage: textOf(errorMessage), parameter: textOf(parameter) }) }];
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function memberOf(exchange: Exchange, name: string): unknown {
  return exchange.kind === "answer" && exchange.status === 200 ? objectIn(exchange.body)?.[name] : undefined;
}

function objectIn(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
