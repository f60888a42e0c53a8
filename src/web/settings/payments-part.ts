import type { InstallationKey } from "../../accounts/installation.ts";
import type { findPayment } from "../../operator/payments/find-payment.ts";
import type { paymentList } from "../../operator/payments/list-payments.ts";
import type { paymentStory } from "../../operator/payments/payment-story.ts";
import type { refundPayment } from "../../operator/payments/refund-payment.ts";

/** An acquirer, with the fields of its form. */
export interface AcquirerForm {
  name: string;
  fields: readonly { name: string; label: { ru: string; en: string }; secret: boolean; required: boolean }[];
}

type Without<Call extends (desk: never, ...rest: never[]) => unknown> = Call extends (desk: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** The services of the pages about QR payments. */
export interface PaymentsPart {
  /** The acquirers that this server may use. */
  acquirers: readonly AcquirerForm[];
  /**
   * Returns the parts of a setting that are wrong; none when the setting as a whole cannot be read. Undefined: the setting can be used.
   * Asks no bank.
   */
  problemOf(setting: string): { parts: readonly string[] } | undefined;
  /**
   * Returns the address to which the acquirer sends its notifications. Undefined: the server has no address that the acquirer can reach.
   */
  notificationAddress(key: InstallationKey, acquirer: string): Promise<string | undefined>;
  list: Without<typeof paymentList>;
  find: Without<typeof findPayment>;
  story: Without<typeof paymentStory>;
  refund: Without<typeof refundPayment>;
}
