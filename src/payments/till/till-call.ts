import { type OneTimeToken, useUp } from "../../accounts/one-time-tokens.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../kernel/deadline.ts";
import type { PaymentReason, PaymentStatus } from "../../model/payment.ts";
import type { PaymentServices } from "../services.ts";

export interface TillCall {
  token: OneTimeToken;
  accountId: string;
  storeId: string;
  operationId: string;
  amountKopecks: number;
  /** When the request came, on the monotonic clock. The call's time limit counts from this moment. Absent: from now. */
  receivedAtMs?: number;
}

export type CallRefusal =
  /** The token was used before: nothing was done. */
  | { kind: "token-used" }
  | { kind: "no-account" }
  /** The point of sale has no payment for this operation id. */
  | { kind: "no-operation" }
  /**
   * The amount is outside the limits of the acquirer or of the payment. `of`: what the amount was asked for; absent: a payment. A payment
   * that the till does not know as paid can only be cancelled as a whole.
   */
  | { kind: "amount"; of?: "cancellation" | "refund"; leastKopecks?: number; mostKopecks?: number }
  /** The operation has another amount. */
  | { kind: "conflict" }
  | { kind: "no-acquirer" }
  | { kind: "refused"; reason: PaymentReason }
  | { kind: "busy" }
  /** No result came in time, for example because the acquirer did not answer. The work on the payment goes on. */
  | { kind: "unreachable" };

export type CreateResult = { kind: "created"; qrText: string } | CallRefusal;
export type StateResult = { kind: "state"; status: PaymentStatus } | CallRefusal;
export type CancelResult = { kind: "cancelled" } | CallRefusal;

/** The end of a call's time, counted from its request. */
export function deadlineOf(call: Pick<TillCall, "receivedAtMs">, clock: Clock, limitMs: number): Deadline {
  const nowMs = clock.monotonicMs();
  return deadlineIn(clock, limitMs - (nowMs - (call.receivedAtMs ?? nowMs)));
}

/** Uses up the call's token and returns the refusal. Records nothing else. */
export async function refuseUnrecorded<Refusal extends CallRefusal>(
  store: Pick<PaymentServices["store"], "commit">,
  call: Pick<TillCall, "token">,
  refusal: Refusal,
): Promise<Refusal | { kind: "token-used" }> {
  const fresh = await store.commit((tx) => useUp(tx, call.token));
  return fresh ? refusal : { kind: "token-used" };
}
