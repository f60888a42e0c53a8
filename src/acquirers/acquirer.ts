import type { IncomingHttpHeaders } from "node:http";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import type { PaymentReason } from "../model/payment.ts";

/** The door of an acquirer's folder. The catalogue has one line for each. */
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
  /** The setting as one merchant account. Asks nobody. */
  parse(setting: string): ParsedAcquirer;
  /**
   * Reads a notification. `accounts`: every account of this kind that the installation uses or has used. Asks nobody.
   */
  readNotification(notification: BankNotification, accounts: readonly AcquirerAccount[]): NotificationReading;
  /** The answer to a notification, by how it was read. */
  answerTo(reading: NotificationReading): { status: number; body: string };
}

/** A part of the setting as a form shows it. */
export interface SettingField {
  /** The name in the setting: `shopId`. */
  name: string;
  label: { ru: string; en: string };
  /** Never shown again once it is set. */
  secret: boolean;
  required: boolean;
}

/** `problem` never repeats a secret. */
export type ParsedAcquirer = { kind: "account"; account: AcquirerAccount } | { kind: "invalid"; problem: string };

/** A merchant's account at an acquirer. */
export interface AcquirerAccount {
  /** Name of its kind. */
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
  /** How long a code lives: chosen by us within the bounds, or fixed by the acquirer. In milliseconds. */
  expiry: { kind: "chosen"; leastMs: number; mostMs: number } | { kind: "fixed"; lifeMs: number };
  cancelBeforePayment: boolean;
  partialRefund: boolean;
  leastRefundKopecks: number;
  /** True: `refund` with the same number may be repeated at will. */
  refundIdempotent: boolean;
  /** How long after its first attempt the number of a refund is known; absent: for ever. Then only `readRefund` tells what was done. */
  refundKeyLifeMs?: number;
  /** Attempts at the refunds of one payment; absent: as many as wanted. */
  refundAttempts?: { apartMs: number; most: number };
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
/** `unreadable`: unknown, and because of an answer that nobody understands. */
export type CallOutcome = "ok" | "refused" | "busy" | "unknown" | "unreadable";

/**
 * The client of one merchant's account (qr-acquirers 1). Every call ends by its deadline. Expected behaviour of a bank is never an
 * exception: what is not understood is `unknown`, which says nothing about whether the call had an effect.
 */
export interface Acquirer {
  /**
   * Creates the payment and gets the text of its QR code. Safe to repeat with the same order after `unknown` and `begun` only, once
   * `find` knew nothing or the same payment.
   */
  create(order: PaymentOrder, deadline: Deadline): Promise<Created>;
  /** Finds a payment by our id after the answer to `create` was lost. Changes nothing. */
  find(order: PaymentOrder, deadline: Deadline): Promise<Found>;
  /** Reads a payment. Changes nothing. */
  read(bankId: string, deadline: Deadline): Promise<PaymentReading>;
  /** Ends a payment that the buyer has not paid. `amountKopecks`: of the payment. */
  cancel(payment: { bankId: string; amountKopecks: number }, deadline: Deadline): Promise<Cancelled>;
  /** Returns money. Where `refundIdempotent` is false, never repeat it after `unknown` without `readRefund`. */
  refund(order: RefundOrder, deadline: Deadline): Promise<Refunded>;
  /**
   * Reads how a refund stands. Changes nothing. `bankRefundId`: what `refund` answered; with it the acquirer is known to have accepted
   * the refund. `none` where `refundIdempotent` is true: repeat `refund` with the same number.
   */
  readRefund(order: RefundOrder & { bankRefundId?: string }, deadline: Deadline): Promise<RefundReading>;
  /** Ends the connections. */
  close(): Promise<void>;
}

export interface PaymentOrder {
  /** Our id of the payment: a UUID, never the caller's operation id. Also the idempotency key of `create`. */
  paymentId: string;
  amountKopecks: number;
  /** When the code shall end, since the epoch. */
  expiresAtMs: number;
  /** Shown to the buyer; cut to the acquirer's length by the client. */
  description: string;
  storeId: string;
  /** Absent: the acquirer uses the address of its own settings, or none. */
  notificationUrl?: string;
  /** Known since an earlier `create` that answered `begun`. */
  bankId?: string;
}

export type Created =
  /** `expiresAtMs`: the acquirer's own end of the code; absent: as ordered. */
  | { kind: "created"; bankId: string; qrText: string; expiresAtMs?: number }
  /**
   * The payment exists, but its code has not come: `create` with `bankId` asks for the code only. `mismatch`: the acquirer names
   * another amount, currency or order, so a person must look and the code must not be shown.
   */
  | { kind: "begun"; bankId: string; problem: string; mismatch?: true }
  /** Certainly no payment that a buyer could pay was made by this call. */
  | { kind: "refused"; reason: PaymentReason; alert: boolean }
  /** The acquirer's limit of calls: this call made no payment. */
  | { kind: "busy" }
  | Unknown;

/** Whether the call had an effect is not known. `neverLeft`: no request of this call was sent, so it had none. */
export interface Unknown {
  kind: "unknown";
  problem: string;
  neverLeft?: true;
  /** Something has answered that does not speak the acquirer's language: a page, half an object, an object without its members. */
  unreadable?: true;
}

export type Found =
  | { kind: "payment"; payment: BankPayment }
  /** The acquirer certainly knows no such payment. */
  | { kind: "none" }
  /** It can only be found by repeating `create`, which is safe there. */
  | { kind: "repeat-create" }
  | { kind: "busy" }
  | Unknown;

export type PaymentReading =
  | { kind: "payment"; payment: BankPayment }
  /** The acquirer knows no such payment, or refuses us. `settings`: because of our credentials. */
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
  /** Our id, as the acquirer states it. Absent: it states none. */
  paymentId?: string;
  /** Sum of the finished refunds; absent: the acquirer does not say. */
  refundedKopecks?: number;
  /** Why it was declined. */
  reason?: PaymentReason;
  /** The text of the code, where the acquirer repeats it. */
  qrText?: string;
  /** Set when a status cannot occur with our settings: a person must look. */
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
  /** The acquirer took the call. Read the payment to see what it became. */
  | { kind: "accepted" }
  /** The acquirer cannot cancel a payment that waits: it lives until it is paid or ends. */
  | { kind: "not-supported" }
  /** The payment has another status by now: read it. */
  | { kind: "final" }
  | { kind: "refused"; reason: PaymentReason }
  | { kind: "busy" }
  | Unknown;

export interface RefundOrder {
  paymentId: string;
  bankId: string;
  /** 1, 2, …: with the payment's id the idempotency key. */
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

/** `later`: another attempt may succeed after the time between attempts. `person`: no attempt will. */
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
  /** Address of the caller, behind trusted proxies as they name it. */
  source: string;
  /** True when the bank's address was overridden with one on loopback: then loopback is a source too. */
  loopbackAllowed: boolean;
}

export type NotificationReading =
  /**
   * A payment may have changed: read it. `proved`: by a token or the source address; otherwise it only hurries a read, once for
   * each refresh step. `status`: the acquirer's word.
   */
  | { kind: "payment"; proved: boolean; bankId: string; paymentId?: string; status: string }
  /** Genuine, and about something else. */
  | { kind: "other"; what: string }
  /** Not from the acquirer, or not readable. */
  | { kind: "not-genuine"; reason: string };
