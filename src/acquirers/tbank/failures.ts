import { present } from "../../kernel/present.ts";
import type { PaymentReason, PaymentReasonCode } from "../../model/payment.ts";
import type { AfterRefusal } from "../acquirer.ts";
import type { BankAnswer } from "../exchange.ts";
import { entryOf } from "../own-entry.ts";
import { wordsOf } from "../texts.ts";
import { answerSchema } from "./schema.ts";

/** The meaning of an error code (qr-acquirers 4.8). */
type Cause =
  /** A definite refusal. `next`: whether a refused refund may be tried again. */
  | { kind: "refused"; code: PaymentReasonCode; alert: boolean; next: AfterRefusal }
  /** The payment's status forbids the call, or the call came twice. Read the payment, then decide. */
  | { kind: "read" }
  | { kind: "paid-already" }
  /** A temporary or internal error. The outcome is unknown. */
  | { kind: "unknown" };

const SETTINGS: Cause = { kind: "refused", code: "settings", alert: true, next: "person" };
const OUT_OF_RANGE: Cause = { kind: "refused", code: "amount", alert: false, next: "person" };
const BY_BUYER_BANK: Cause = { kind: "refused", code: "buyer-bank", alert: false, next: "person" };
const TOO_SOON: Cause = { kind: "refused", code: "refused", alert: false, next: "later" };
const LIMIT: Cause = { kind: "refused", code: "limit-exceeded", alert: false, next: "person" };

/** Codes that `CAUSES` does not list are definite refusals without a specific meaning. */
const UNLISTED = { kind: "refused", code: "refused", alert: false, next: "person" } as const satisfies Cause;

const CAUSES: Readonly<Record<string, Cause>> = {
  4: { kind: "read" },
  8: { kind: "read" },
  120: { kind: "unknown" },
  204: SETTINGS,
  205: SETTINGS,
  402: { kind: "unknown" },
  501: SETTINGS,
  623: { kind: "paid-already" },
  999: { kind: "unknown" },
  3001: SETTINGS,
  3002: { kind: "refused", code: "merchant-funds", alert: true, next: "later" },
  3008: BY_BUYER_BANK,
  3016: OUT_OF_RANGE,
  3017: OUT_OF_RANGE,
  3019: SETTINGS,
  3028: BY_BUYER_BANK,
  3029: TOO_SOON,
  3030: TOO_SOON,
  3031: BY_BUYER_BANK,
  3037: { kind: "read" },
  3038: SETTINGS,
  5060: { kind: "refused", code: "insufficient-funds", alert: false, next: "person" },
  5061: LIMIT,
  5062: LIMIT,
  9999: { kind: "unknown" },
};

function causeOf(errorCode: string): Cause {
  return entryOf(CAUSES, errorCode) ?? UNLISTED;
}

/** An answer, judged by HTTP status, `Success` and `ErrorCode`. */
export type Judged =
  | { kind: "done"; members: Readonly<Record<string, unknown>> }
  | { kind: "failed"; cause: Cause; reason: PaymentReason; members: Readonly<Record<string, unknown>> }
  | { kind: "busy" }
  | { kind: "unknown"; problem: string; neverLeft?: true; unreadable?: true };

const NO_ERROR = "0";
const TOO_MANY = 429;
/** From this HTTP status up, the outcome is unknown. */
const FIRST_SERVER_ERROR = 500;

/**
 * Judges an answer. `failed`: the bank gave an error code. `busy`: HTTP 429. `unknown`: the outcome is not proved, also when the members
 * contradict each other, and for HTTP 500 and above.
 */
export function judge(answer: BankAnswer): Judged {
  if (answer.kind === "never-left") return { kind: "unknown", problem: answer.problem, neverLeft: true };
  if (answer.kind === "lost") return { kind: "unknown", problem: answer.problem };
  if (answer.status === TOO_MANY) return { kind: "busy" };
  if (answer.kind === "unreadable") return { kind: "unknown", problem: answer.problem, unreadable: true };
  const { status, members } = answer;
  if (status >= FIRST_SERVER_ERROR) return { kind: "unknown", problem: `HTTP ${status}` };
  const read = answerSchema.safeParse(members);
  if (!read.success) return { kind: "unknown", problem: `HTTP ${status} without Success and ErrorCode`, unreadable: true };
  const { Success: success, ErrorCode: errorCode, Message: message, Details: details } = read.data;
  if (success && errorCode === NO_ERROR && status === 200) return { kind: "done", members };
  if (success || errorCode === NO_ERROR) return { kind: "unknown", problem: `HTTP ${status}, Success ${success}, ErrorCode ${errorCode}` };
  const cause = causeOf(errorCode);
  return { kind: "failed", cause, reason: reasonFor(cause, errorCode, message, details), members };
}

/** Why a payment was declined, by the code beside its status. Undefined: there is no code, or the code means no error. */
export function declineReason(errorCode: string | undefined, message: string | undefined): PaymentReason | undefined {
  if (errorCode === undefined || errorCode === NO_ERROR) return undefined;
  const cause = causeOf(errorCode);
  return reasonFor(cause === UNLISTED ? { ...UNLISTED, code: "declined" } : cause, errorCode, message);
}

function reasonFor(cause: Cause, bankCode: string, ...parts: readonly (string | undefined)[]): PaymentReason {
  return { code: cause.kind === "refused" ? cause.code : "refused", bankCode, ...present({ words: wordsOf(...parts) }) };
}
