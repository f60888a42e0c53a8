import type { IncomingHttpHeaders } from "node:http";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import type { PaymentReason } from "../model/payment.ts";

/** An acquirer as its folder exports it. The catalogue has one line for each acquirer. */
export interface AcquirerKind {
  /** The word before the question mark of the setting `acquirer`, and the segment of the notification address: `yookassa`. */
  name: string;
  /** The form of the setting, shown when a setting is wrong: `yookassa?shopId=…&secretKey=…[&secretKey2=…]`. */
  form: string;
  /** The parts of the setting, in the order of a form. */
  fields: readonly SettingField[];
  /** An id that no payment has, in the bank's own form. A reading of this id shows whether the bank accepts the credentials. */
  idOfNoPayment: string;
  /** True for the acquirer that moves no money. It exists outside production only. */
  simulated: boolean;
  /** Reads the setting as one merchant account. Sends nothing. */
  parse(setting: string): ParsedAcquirer;
  /** Reads a notification. Sends nothing. `accounts`: every account of this kind that the installation uses or has used. */
  readNotification(notification: BankNotification, accounts: readonly AcquirerAccount[]): NotificationReading;
  /** Returns the answer to a notification. The answer depends on what `readNotification` returned. */
  answerTo(reading: NotificationReading): { status: number; body: string };
}

/** A part of the setting as a form shows it. */
export interface SettingField {
  /** The name in the setting: `shopId`. */
  name: string;
  label: { ru: string; en: string };
  /** True: the value is never shown again after it was set. */
  secret: boolean;
  required: boolean;
}

/** `problem` never repeats a secret. `parts`: the parts of the setting that are wrong; absent when they are not known. */
export type ParsedAcquirer =
  | { kind: "account"; account: AcquirerAccount }
  | { kind: "invalid"; problem: string; parts?: readonly string[] };

/** A merchant's account at an acquirer. */
export interface AcquirerAccount {
  /** The `name` of the AcquirerKind. */
  acquirer: string;
  /** The merchant at the acquirer without any secret: `yookassa:1234`. Stays the same when a password changes. */
  merchant: string;
  /** The setting with every secret as ***. */
  shown: string;
  /** Every secret of the setting, for the redaction of logs. */
  secrets: readonly string[];
  capabilities: Capabilities;
  /** Makes the client. Nothing is sent yet. */
  open(services: AcquirerServices): Acquirer;
}

export interface Capabilities {
  /** Smallest and largest payment, in kopecks. */
  leastKopecks: number;
  mostKopecks: number;
  /** How long a code lives, in milliseconds: this server chooses the time within the bounds, or the acquirer fixes it. */
  expiry: { kind: "chosen"; leastMs: number; mostMs: number } | { kind: "fixed"; lifeMs: number };
  cancelBeforePayment: boolean;
  partialRefund: boolean;
  leastRefundKopecks: number;
  /** True: `refund` with the same number may be repeated without limit. */
  refundIdempotent: boolean;
  /**
   * How long the acquirer remembers the number of a refund after its first attempt; absent: for ever. After that only
   * `readRefund` shows whether the refund was made.
   */
  refundKeyLifeMs?: number;
  /**
   * The limits for attempts at refunds, counted over all refunds of one payment. Absent: there is no limit. `minGapMs`: the least time
   * between two attempts. `most`: the largest number of attempts.
   */
  refundAttempts?: { minGapMs: number; most: number };
}

export interface AcquirerServices {
  clock: Clock;
  chance: Chance;
  /** Folder for the memory of the simulated acquirer. */
  dataDir: string;
  /** Addresses of banks by acquirer, without a slash at the end. */
  addresses: Readonly<Record<string, string>>;
  /** Counts a call: name, outcome and duration in milliseconds. */
  observe(call: AcquirerCall, outcome: CallOutcome, durationMs: number): void;
}

export type AcquirerCall = "create" | "find" | "read" | "cancel" | "refund" | "read-refund";
/** `unreadable`: the outcome is unknown, because the answer is not as documented. */
export type CallOutcome = "ok" | "refused" | "busy" | "unknown" | "unreadable";

/**
 * The client of one merchant's account (qr-acquirers 1). Every call ends by its deadline. The expected behaviour of a bank is never an
 * exception. An answer that is not understood gives `unknown`: then the call may have had an effect, or none.
 */
export interface Acquirer {
  /**
   * Creates the payment and gets the text of its QR code. After `unknown` the call may be repeated with the same order, but not before
   * `find` has answered `none` or `repeat-create`. After `begun`, or when `find` has found the payment, a call with `bankId` asks for the
   * code only.
   */
  create(order: PaymentOrder, deadline: Deadline): Promise<Created>;
  /** Finds a payment by this server's id after the answer to `create` was lost. Changes nothing. */
  find(order: PaymentOrder, deadline: Deadline): Promise<Found>;
  /** Reads a payment. Changes nothing. */
  read(bankId: string, deadline: Deadline): Promise<PaymentReading>;
  /** Ends a payment that the buyer has not paid. `amountKopecks`: the sum of the payment. */
  cancel(payment: { bankId: string; amountKopecks: number }, deadline: Deadline): Promise<Cancelled>;
  /** Returns money. Where `refundIdempotent` is false, a refund whose answer was `unknown` must not be repeated without `readRefund`. */
  refund(order: RefundOrder, deadline: Deadline): Promise<Refunded>;
  /**
   * Reads the state of a refund. Changes nothing. `bankRefundId`: the id that `refund` answered; it shows that the acquirer has accepted
   * the refund. After `none`, where `refundIdempotent` is true, `refund` may be repeated with the same number.
   */
  readRefund(order: RefundOrder & { bankRefundId?: string }, deadline: Deadline): Promise<RefundReading>;
  /** Ends the connections. */
  close(): Promise<void>;
}

export interface PaymentOrder {
  /** This server's id of the payment: a UUID, never the caller's operation id. Also the idempotency key of `create`. */
  paymentId: string;
  amountKopecks: number;
  /** The time at which the code shall expire, in milliseconds since the epoch. */
  expiresAtMs: number;
  /** Shown to the buyer; cut to the acquirer's length by the client. */
  description: string;
  storeId: string;
  /** Absent: the acquirer uses the address of its own settings, or none. */
  notificationUrl?: string;
  /** Set when an earlier `create` answered `begun`. */
  bankId?: string;
  /** For `find`: the payment has ended on this server, so it must not be made now. */
  isOver?: boolean;
}

export type Created =
  /** `expiresAtMs`: the acquirer's own end of the code; absent: as ordered. */
  | { kind: "created"; bankId: string; qrText: string; expiresAtMs?: number }
  /**
   * The payment exists, but its code has not come: `create` with `bankId` asks for the code only. `mismatch`: the acquirer names
   * another amount, currency or order, so a person must look and the code must not be shown.
   */
  | { kind: "begun"; bankId: string; problem: string; mismatch?: true }
  /** This call has certainly made no payment that a buyer could pay. `alert`: a person must be alerted. */
  | { kind: "refused"; reason: PaymentReason; alert: boolean }
  /** The acquirer's limit of calls is reached. This call made no payment. */
  | { kind: "busy" }
  | Unknown;

/** It is not known whether the call had an effect. `neverLeft`: no request of this call was sent, so it certainly had no effect. */
export interface Unknown {
  kind: "unknown";
  problem: string;
  neverLeft?: true;
  /** The answer is not as the acquirer documents it: a web page, half an object, or an object without its members. */
  unreadable?: true;
}

export type Found =
  | { kind: "payment"; payment: BankPayment }
  /** The acquirer certainly knows no such payment. */
  | { kind: "none" }
  /**
   * Only a repeat of `create` can find the payment. The repeat is safe at this acquirer. Never returned for an order
   * with `isOver`.
   */
  | { kind: "repeat-create" }
  | { kind: "busy" }
  | Unknown;

export type PaymentReading =
  | { kind: "payment"; payment: BankPayment }
  /**
   * The acquirer knows no such payment, or refuses the request. The code `settings` of the reason: the acquirer does
   * not accept the credentials.
   */
  | { kind: "refused"; reason: PaymentReason }
  | { kind: "busy" }
  | Unknown;

/** A payment as the acquirer describes it now. */
export interface BankPayment {
  bankId: string;
  status: BankStatus;
  /** The acquirer's own word for its status. */
  rawStatus: string;
  amountKopecks: number;
  /** `RUB`. Absent: the acquirer states none. */
  currency?: string;
  /** This server's id of the payment, as the acquirer states it. Absent: the acquirer states none. */
  paymentId?: string;
  /** Sum of the finished refunds; absent: the acquirer does not say. */
  refundedKopecks?: number;
  /** Why the payment was declined, expired or cancelled. */
  reason?: PaymentReason;
  /** The text of the code. Absent: the acquirer does not repeat it. */
  qrText?: string;
  /** Set when the status cannot occur with the settings that this server uses: a person must look. */
  alert?: true;
}

/** `unknown`: a status that is not in the table of qr-acquirers 2. It never becomes DONE or REJECTED. */
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
  /** The acquirer has accepted the call. Read the payment to see its new status. */
  | { kind: "accepted" }
  /** The acquirer cannot cancel a payment that waits. The payment stays until it is paid or expires. */
  | { kind: "not-supported" }
  /** The payment's status no longer allows a cancel. Read the payment. */
  | { kind: "final" }
  | { kind: "refused"; reason: PaymentReason }
  | { kind: "busy" }
  | Unknown;

export interface RefundOrder {
  paymentId: string;
  bankId: string;
  /** 1, 2, … The payment's id and this number make the idempotency key. */
  number: number;
  amountKopecks: number;
  /** `paidKopecks`: the sum of the payment. `refundedBeforeKopecks`: the sum of the refunds that were done earlier. */
  paidKopecks: number;
  refundedBeforeKopecks: number;
}

export type Refunded =
  | { kind: "accepted"; bankRefundId?: string }
  | { kind: "done"; bankRefundId?: string }
  | { kind: "refused"; reason: PaymentReason; next: AfterRefusal }
  | { kind: "busy" }
  | Unknown;

/** `later`: another attempt may succeed after the time between attempts. `person`: no other attempt can succeed. */
export type AfterRefusal = "later" | "person";

export type RefundReading =
  | { kind: "pending" }
  | { kind: "done" }
  | { kind: "refused"; reason: PaymentReason; next: AfterRefusal }
  /** The acquirer shows no trace of this refund. */
  | { kind: "none" }
  | { kind: "busy" }
  | Unknown;

/** A request to the address of notifications. */
export interface BankNotification {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Address of the caller; behind trusted proxies the address that the proxies name. */
  source: string;
  /** True when the configured address of the bank is a loopback address. Then notifications may also come from loopback. */
  loopbackAllowed: boolean;
}

export type NotificationReading =
  /**
   * A payment may have changed: read it. `proved`: a token or the source address shows that the acquirer sent the notification. An unproved
   * notification only causes an earlier reading, at most one in the usual time between two readings. `status`: the acquirer's own word for
   * the status of the payment.
   */
  | { kind: "payment"; proved: boolean; bankId: string; paymentId?: string; status: string }
  /** The notification is genuine and is about something other than a payment. */
  | { kind: "other"; what: string }
  /** Not from the acquirer, or not readable. */
  | { kind: "not-genuine"; reason: string };
