import type { Reply } from "../engine/face.ts";

/** What YooKassa refuses. The code of each is the one of the error body. */
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
  /** The field at fault. */
  readonly parameter?: string;
}

export function errorReply(id: string, { code, ...refusal }: Refusal): Reply {
  return { status: REFUSAL_STATUS[code], body: errorBody(id, code, refusal.description, refusal.parameter), worked: false };
}

export function errorBody(id: string, code: string, description: string, parameter?: string): Record<string, unknown> {
  return { type: "error", id, code, description, ...(parameter === undefined ? {} : { parameter }) };
}
