import type { Payment, Refund } from "./payment.ts";

/** The subject of a notification: the payment's state, or an ended refund. */
export type PaymentEvent = { readonly kind: "payment" } | { readonly kind: "refund"; readonly refund: Refund };

export interface Announcer {
  /** Returns the body of a notification. Undefined: the bank sends none for this event. `extra`: further root fields. */
  announcement(payment: Payment, event: PaymentEvent, extra: Readonly<Record<string, unknown>>): string | undefined;
  /** Whether the receiver's answer counts as "received". */
  isReceived(status: number, text: string): boolean;
  /** The pauses before the second and later tries of a notification. After the last of these tries the bank gives up. */
  readonly repeatAfterMs: readonly number[];
}

/** The fields that the fault new-field adds to an answer or a notification. `NewData` is an object, so a signature must not include it. */
export const NEW_FIELDS: Readonly<Record<string, unknown>> = { NewField: "no document names it", NewData: { nested: true } };
