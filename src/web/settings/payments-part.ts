import type { InstallationKey } from "../../accounts/installation.ts";
import type { findPayment } from "../../operator/payments/find-payment.ts";
import type { paymentList } from "../../operator/payments/list-payments.ts";
import type { paymentStory } from "../../operator/payments/payment-story.ts";
import type { refundPayment } from "../../operator/payments/refund-payment.ts";

/** An acquirer as its form is drawn. */
export interface AcquirerForm {
  name: string;
  fields: readonly { name: string; label: { ru: string; en: string }; secret: boolean; required: boolean }[];
}

type Without<Call extends (desk: never, ...rest: never[]) => unknown> = Call extends (desk: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** What the parts of the page about QR payments work with. */
export interface PaymentsPart {
  /** The acquirers that this server may use. */
  acquirers: readonly AcquirerForm[];
  /** Why a setting cannot be used, in the acquirer's words. Asks no bank. */
  problemOf(setting: string): string | undefined;
  /** Where the acquirer sends its notifications. Undefined: the server has no address that it could reach. */
  notificationAddress(key: InstallationKey, acquirer: string): Promise<string | undefined>;
  list: Without<typeof paymentList>;
  find: Without<typeof findPayment>;
  story: Without<typeof paymentStory>;
  refund: Without<typeof refundPayment>;
}
