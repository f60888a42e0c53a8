import type { Reply } from "../engine/bank-api.ts";

const REFUSAL_STATUS = {
  invalid_request: 400,
  invalid_credentials: 401,
  not_found: 404,
  method_not_allowed: 405,
} as const;
type RefusalCode = keyof typeof REFUSAL_STATUS;

export interface Refusal {
  readonly code: RefusalCode;
  readonly description: string;
  readonly parameter?: string;
}

export function errorReply(id: string, { code, ...refusal }: Refusal): Reply {
  return { status: REFUSAL_STATUS[code], body: errorBody(id, code, refusal.description, refusal.parameter), changedBank: false };
}

export function errorBody(id: string, code: string, description: string, parameter?: string): Record<string, unknown> {
  return { type: "error", id, code, description, ...(parameter === undefined ? {} : { parameter }) };
}
