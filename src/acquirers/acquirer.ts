import type { IncomingHttpHeaders } from "node:http";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import type { PaymentReason } from "../model/payment.ts";

/** An acquirer, as its folder exports it. */
export interface AcquirerKind {
  /** The word before the question mark of the setting `acquirer`, and a segment of the notification address: `yookassa`. */
  name: string;
  /** The form of the setting, for error messages: `yookassa?shopId=…&secretKey=…[&secretKey2=…]`. */
  form: string;
  fields: readonly SettingField[];
  /**
   * An id that no payment has, in the form of the bank's ids. A call `read` with this id shows whether the bank accepts the
   * credentials.
   */
  idOfNoPayment: string;
  /** True for the acquirer that moves no money. It exists only outside production and outside a cluster. */
  simulated: boolean;
  /** Reads the setting as one merchant account. Sends nothing. */
  parse(setting: string): ParsedAcquirer;
  /** Reads a notification. Sends nothing. `accounts`: accounts of this kind that the installation uses or has used. */
  readNotification(notification: BankNotification, accounts: readonly AcquirerAccount[]): NotificationReading;
  /** Returns the answer to a notification that `readNotification` has read. */
  answerTo(reading: NotificationReading): { status: number; body: string };
}

export interface SettingField {
  name: string;
  label: { ru: string; en: string };
  /** True: a form never shows the stored value. */
  secret: boolean;
  required: boolean;
}

/** `problem` never repeats a secret. `parts`: the wrong parts of the setting; absent or empty when the wrong parts are unknown. */
export type ParsedAcquirer =
  | { kind: "account"; account: AcquirerAccount }
  | { kind: "invalid"; problem: string; parts?: readonly string[] };

export interface AcquirerAccount {
  /** The `name` of the AcquirerKind. */
  acquirer: string;
  /** The merchant at the acquirer, without any secret: `yookassa:1234`. Does not change with a password. */
  merchant: string;
  /** The setting with every secret as ***. */
  shown: string;
  /** Every secret of the setting, for the redaction of logs. */
  secrets: readonly string[];
  capabilities: Capabilities;
  /** Makes the client. Sends nothing yet. */
  open(services: AcquirerServices): Acquirer;
}

export interface Capabilities {
  /** Smallest and largest payment, in kopecks. */
  leastKopecks: number;
  mostKopecks: number;
  /** A code's lifetime in milliseconds. `chosen`: by this server, within the bounds. `fixed`: by the acquirer. */
  expiry: { kind: "chosen"; leastMs: number; mostMs: number } | { kind: "fixed"; lifeMs: number };
  cancelBeforePayment: boolean;
  partialRefund: boolean;
  leastRefundKopecks: number;
  /** True: `refund` may be repeated with the same number while the acquirer remembers the number. */
  refundIdempotent: boolean;
  /**
   * How long after a refund's first attempt the acquirer remembers the refund's number. When the acquirer has forgotten the number, only
   * `readRefund` shows whether the refund was made. Absent: the acquirer never forgets.
   */
  refundKeyLifeMs?: number;
  /**
   * Limits for all refund attempts of one payment together. Absent: none. `minGapMs`: the least time between two attempts. `most`: the most
   * attempts.
   */
  refundAttempts?: { minGapMs: number; most: number };
}

export interface AcquirerServices {
  clock: Clock;
  chance: Chance;
  /** Folder for the memory of the simulated acquirer. */
  dataDir: string;
  /** Configured addresses of the banks' APIs by acquirer, without a slash at the end. Absent: the bank's public address. */
  addresses: Readonly<Record<string, string>>;
  observe(call: AcquirerCall, outcome: CallOutcome, durationMs: number): void;
}

export type AcquirerCall = "create" | "find" | "read" | "cancel" | "refund" | "read-refund";
/** `unreadable`: the answer is not as documented, so the outcome is unknown. */
export type CallOutcome = "ok" | "refused" | "busy" | "unknown" | "unreadable";

/**
 * The client of one merchant's account (qr-acquirers 1). Every call ends by its deadline. Every known behaviour of a bank is a result,
 * never an exception. After `unknown` the call may have had an effect.
 */
export interface Acquirer {
  /**
   * Creates the payment and gets the text of its QR code. After `unknown` the same order may be sent again, but only when `find` has
   * answered `none` or `repeat-create`. After `begun`, or when `find` has found the payment, a call with `bankId` asks for the code only.
   */
  create(order: PaymentOrder, deadline: Deadline): Promise<Created>;
  /** Finds a payment by this server's id, after a lost answer to `create`. Changes nothing. */
  find(order: PaymentOrder, deadline: Deadline): Promise<Found>;
  read(bankId: string, deadline: Deadline): Promise<PaymentReading>;
  /** Ends an unpaid payment. If the buyer has paid meanwhile, the bank may return the money. `amountKopecks`: the payment's sum. */
  cancel(payment: { bankId: string; amountKopecks: number }, deadline: Deadline): Promise<Cancelled>;
  /**
   * Returns money. A repeat after `unknown` needs `readRefund` first where `refundIdempotent` is false or the acquirer has forgotten the
   * number.
   */
  refund(order: RefundOrder, deadline: Deadline): Promise<Refunded>;
  /**
   * Reads the state of a refund. Changes nothing. `bankRefundId`: the id from `refund`, which proves that the acquirer accepted the refund.
   * After `none`, where `refundIdempotent` is true, `refund` may be repeated with the same number.
   */
  readRefund(order: RefundOrder & { bankRefundId?: string }, deadline: Deadline): Promise<RefundReading>;
  close(): Promise<void>;
}

export interface PaymentOrder {
  /** This server's id of the payment: a UUID, never the caller's operation id. The client identifies the payment to the bank by it. */
  paymentId: string;
  amountKopecks: number;
  /** When the code shall expire, in milliseconds since the epoch. */
  expiresAtMs: number;
  /** Shown to the buyer. The client cuts the text to the length that the acquirer allows. */
  description: string;
  storeId: string;
  /** Absent, or an acquirer that takes no address with an order: the acquirer uses the address of its own settings, or none. */
  notificationUrl?: string;
  /** Set after `create` answered `begun`, or after `find` found the payment. */
  bankId?: string;
  /** For `find`: the payment has ended on this server, so `find` must not ask for a repeat of `create`. */
  isOver?: boolean;
}

export type Created =
  /** `expiresAtMs`: the acquirer's own end of the code. Absent: as ordered. */
  | { kind: "created"; bankId: string; qrText: string; expiresAtMs?: number }
  /**
   * The payment exists, but its code has not come: `create` with `bankId` asks for the code only. `mismatch`: the acquirer names another
   * amount, currency, order or payment, so a person must look and the code must not be shown.
   */
  | { kind: "begun"; bankId: string; problem: string; mismatch?: true }
  /** This call has certainly made no payment that can be paid. `alert`: a person must be alerted. */
  | { kind: "refused"; reason: PaymentReason; alert: boolean }
  /** The acquirer's limit of calls is reached. This call made no payment. */
  | { kind: "busy" }
  | Unknown;

/** The call may have had an effect. `neverLeft`: the call sent no request, so it certainly had no effect. */
export interface Unknown {
  kind: "unknown";
  problem: string;
  neverLeft?: true;
  /** The answer is not as documented: a web page, half an object, or an object without its members. */
  unreadable?: true;
}

export type Found =
  | { kind: "payment"; payment: BankPayment }
  /** The acquirer certainly has no such payment. */
  | { kind: "none" }
  /** Only a repeat of `create` can find the payment. The repeat is safe at this acquirer. Never returned for `isOver`. */
  | { kind: "repeat-create" }
  | { kind: "busy" }
  | Unknown;

export type PaymentReading =
  | { kind: "payment"; payment: BankPayment }
  /** The acquirer has no such payment, or refuses the request. The reason's code `settings`: the acquirer rejects the credentials. */
  | { kind: "refused"; reason: PaymentReason }
  | { kind: "busy" }
  | Unknown;

export interface BankPayment {
  bankId: string;
  status: BankStatus;
  rawStatus: string;
  amountKopecks: number;
  /** `RUB`. Absent: not stated. */
  currency?: string;
  /** This server's id of the payment, from the acquirer. Absent: not stated. */
  paymentId?: string;
  /** Sum of the finished refunds. Absent: not stated. */
  refundedKopecks?: number;
  reason?: PaymentReason;
  /** The text of the code. Absent: not stated. */
  qrText?: string;
  /** The status is impossible with this server's settings, so a person must look. */
  alert?: true;
}

/** `unknown`: a status outside the table of qr-acquirers 2. This status alone never makes a payment DONE or REJECTED. */
export type BankStatus =
  | "waiting"
  | "paid"
  | "refunding"
  | "partly refunded"
  | "refunded"
  | "declined"
  | "expired"
  | "cancelled"
  | "unknown";

export type Cancelled =
  /** The acquirer has accepted the call. Read the payment for its new status. */
  | { kind: "accepted" }
  /** The acquirer cannot cancel a waiting payment, which stays until it is paid or expires. */
  | { kind: "not-supported" }
  /** The payment's status no longer allows a cancel. Read the payment. */
  | { kind: "final" }
  | { kind: "refused"; reason: PaymentReason }
  | { kind: "busy" }
  | Unknown;

export interface RefundOrder {
  paymentId: string;
  bankId: string;
  /** 1, 2, … The payment's id and this number make the idempotency key, where the acquirer has such keys. */
  number: number;
  amountKopecks: number;
  /** `paidKopecks`: the payment's sum. `refundedBeforeKopecks`: the sum returned before this refund's first attempt. */
  paidKopecks: number;
  refundedBeforeKopecks: number;
}

export type Refunded =
  | { kind: "accepted"; bankRefundId?: string }
  | { kind: "done"; bankRefundId?: string }
  | { kind: "refused"; reason: PaymentReason; next: AfterRefusal }
  | { kind: "busy" }
  | Unknown;

/** `later`: another attempt, after the time between attempts, may succeed. `person`: the server makes no other attempt. */
export type AfterRefusal = "later" | "person";

export type RefundReading =
  | { kind: "pending" }
  | { kind: "done" }
  | { kind: "refused"; reason: PaymentReason; next: AfterRefusal }
  | { kind: "none" }
  | { kind: "busy" }
  | Unknown;

export interface BankNotification {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The caller's address; behind trusted proxies the address that they state. */
  source: string;
  /** True when the bank's configured address is a loopback address. Then notifications may come from loopback too. */
  loopbackAllowed: boolean;
}

export type NotificationReading =
  /**
   * A payment may have changed: read it. `proved`: a token or the source address proves the acquirer. Unproved
   * notifications cause at most one reading in the usual time between two readings. `status`: the acquirer's own word.
   */
  | { kind: "payment"; proved: boolean; bankId: string; paymentId?: string; status: string }
  /** A notification about something else, or one that does not name its payment. */
  | { kind: "other"; what: string }
  /** Not from the acquirer, or not readable. */
  | { kind: "not-genuine"; reason: string };
