import type { InstallationKey } from "../../accounts/installation.ts";
import type { findPayment } from "../../operator/payments/find-payment.ts";
import type { paymentList } from "../../operator/payments/list-payments.ts";
import type { paymentStory } from "../../operator/payments/payment-story.ts";
import type { refundPayment } from "../../operator/payments/refund-payment.ts";

export interface AcquirerForm {
  name: string;
  fields: readonly { name: string; label: { ru: string; en: string }; secret: boolean; required: boolean }[];
}

type Without<Call extends (desk: never, ...rest: never[]) => unknown> = Call extends (desk: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export interface PaymentsPart {
  acquirers: readonly AcquirerForm[];
  /**
   * Returns the wrong parts of a setting. An empty list: the whole setting is unreadable. Undefined: the setting is valid. Asks no bank.
   */
  problemOf(setting: string): { parts: readonly string[] } | undefined;
  /** Returns the address for the acquirer's notifications. Undefined: the acquirer cannot reach this server. */
  notificationAddress(key: InstallationKey, acquirer: string): Promise<string | undefined>;
  list: Without<typeof paymentList>;
  find: Without<typeof findPayment>;
  story: Without<typeof paymentStory>;
  refund: Without<typeof refundPayment>;
}
