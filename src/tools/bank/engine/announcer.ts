import type { Payment, Refund } from "./payment.ts";

/** What a notification is about: the payment's state, or a refund that has ended. */
export type PaymentEvent = { readonly kind: "payment" } | { readonly kind: "refund"; readonly refund: Refund };

/** How a bank notifies. */
export interface Announcer {
  /** The body of a notification; undefined: the bank does not notify of this. `extra`: further root fields. */
  announcement(payment: Payment, event: PaymentEvent, extra: Readonly<Record<string, unknown>>): string | undefined;
  /** Whether the receiver's answer counts as "received". */
  isReceived(status: number, text: string): boolean;
  /** Waits before the second and further tries of a notification. Their number bounds the tries. */
  readonly repeatAfterMs: readonly number[];
}

/** What the fault new-field adds to an answer or a notification. The object must not enter a signature. */
export const NEW_FIELDS: Readonly<Record<string, unknown>> = { NewField: "no document names it", NewData: { nested: true } };
