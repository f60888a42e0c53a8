import type { Reply } from "../engine/bank-api.ts";

/** The HTTP status of each refusal. The key is the `code` in the error body. */
const REFUSAL_STATUS = {
  invalid_request: 400,
  invalid_credentials: 401,
  not_found: 404,
  method_not_allowed: 405,
} as const;
type RefusalCode = keyof typeof REFUSAL_STATUS;

/** A refusal on its way to the answer. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly description: string;
  /** The name of the wrong field. */
  readonly parameter?: string;
}

export function errorReply(id: string, { code, ...refusal }: Refusal): Reply {
  return { status: REFUSAL_STATUS[code], body: errorBody(id, code, refusal.description, refusal.parameter), changedBank: false };
}

export function errorBody(id: string, code: string, description: string, parameter?: string): Record<string, unknown> {
  return { type: "error", id, code, description, ...(parameter === undefined ? {} : { parameter }) };
}
