import type { Payment, Refund } from "./payment.ts";

/** What a notification is about: the payment's state, or a refund that has ended. */
export type PaymentEvent = { readonly kind: "payment" } | { readonly kind: "refund"; readonly refund: Refund };

/** How a bank notifies the merchant. */
export interface Announcer {
  /** The body of a notification. Undefined: the bank sends no notification of this event. `extra`: further root fields. */
  announcement(payment: Payment, event: PaymentEvent, extra: Readonly<Record<string, unknown>>): string | undefined;
  /** Whether the receiver's answer counts as "received". */
  isReceived(status: number, text: string): boolean;
  /** The waits before the second and later tries of a notification. Their count limits the number of tries. */
  readonly repeatAfterMs: readonly number[];
}

/** The fields that the fault new-field adds to an answer or a notification. `NewData` is an object, so it must stay out of a signature. */
export const NEW_FIELDS: Readonly<Record<string, unknown>> = { NewField: "no document names it", NewData: { nested: true } };
