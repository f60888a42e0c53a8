import { present } from "../../kernel/present.ts";
import type { PaymentReason, PaymentReasonCode } from "../../model/payment.ts";
import type { BankAnswer } from "../exchange.ts";
import { entryOf } from "../own-entry.ts";
import { wordsOf } from "../texts.ts";
import { errorSchema } from "./schema.ts";

/** An answer of the API, judged by its HTTP status (qr-acquirers 3.5). */
export type Judged =
  | { kind: "done"; members: Readonly<Record<string, unknown>> }
  /** The API has certainly not carried out the call. */
  | { kind: "refused"; status: number; reason: PaymentReason }
  /** Too many calls. The API has not carried out this call. */
  | { kind: "busy" }
  /** `answered`: the API answered, so a repeat should wait. */
  | { kind: "unknown"; problem: string; answered: boolean; neverLeft?: true; unreadable?: true };

const REFUSALS: Readonly<Record<number, PaymentReasonCode>> = {
  400: "refused",
  401: "settings",
  403: "settings",
  404: "refused",
  405: "refused",
  415: "refused",
};

const TOO_MANY = 429;

export function judge(answer: BankAnswer): Judged {
  switch (answer.kind) {
    case "never-left":
      return { kind: "unknown", problem: answer.problem, answered: false, neverLeft: true };
    case "lost":
      return { kind: "unknown", problem: answer.problem, answered: false };
    case "unreadable":
      // An unreadable answer may come from a proxy. So only the status 429 (too many calls) proves a refusal.
      if (answer.status === TOO_MANY) return { kind: "busy" };
      return { kind: "unknown", problem: answer.problem, answered: true, unreadable: true };
    case "answer":
      return judgeObject(answer.status, answer.members);
  }
}

function judgeObject(status: number, members: Readonly<Record<string, unknown>>): Judged {
  if (status === 200) return { kind: "done", members };
  if (status === TOO_MANY) return { kind: "busy" };
  const code = REFUSALS[status];
  const error = errorSchema.parse(members);
  const words = wordsOf(error.code, error.description);
  if (code === undefined) return { kind: "unknown", problem: `HTTP ${status}${words === undefined ? "" : `: ${words}`}`, answered: true };
  const bankCode = error.code === undefined ? String(status) : `${status} ${error.code}`;
  return { kind: "refused", status, reason: { code, bankCode, ...present({ words }) } };
}

/**
 * This server's codes for the known reasons of `cancellation_details`. An unknown reason counts as declined, because the API may add
 * reasons.
 */
const CANCELLATIONS: Readonly<Record<string, PaymentReasonCode>> = {
  canceled_by_merchant: "cancelled",
  expired_on_confirmation: "expired",
  insufficient_funds: "insufficient-funds",
  payment_method_limit_exceeded: "limit-exceeded",
};

export function cancellationReason(details: { party?: string | undefined; reason?: string | undefined } | undefined): PaymentReason {
  const code = entryOf(CANCELLATIONS, details?.reason ?? "");
  return { code: code ?? "declined", ...present({ bankCode: details?.reason }) };
}

/** A refund cancelled for one of these reasons failed because the merchant's account has too little money. */
const WITHOUT_MERCHANT_FUNDS = ["insufficient_funds"];

export function refundReason(details: { reason?: string | undefined } | undefined): PaymentReason {
  const reason = details?.reason;
  const code = reason !== undefined && WITHOUT_MERCHANT_FUNDS.includes(reason) ? "merchant-funds" : "buyer-bank";
  return { code, ...present({ bankCode: reason }) };
}
