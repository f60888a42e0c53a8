import type { ColumnType, Generated, Selectable } from "kysely";

type Flag = 0 | 1;

/** QR payments, unique by (app_id, account_id, operation_id, attempt), never deleted. */
export interface PaymentsTable {
  /** This server's UUID of the payment. The bank uses it as the order number. */
  id: string;
  app_id: string;
  account_id: string;
  operation_id: string;
  /** The attempt: 1, 2, … If the bank refused a payment, its operation may be created again. */
  attempt: number;
  store_id: string;
  acquirer: string;
  /** The merchant's account at the acquirer: key of `acquirer_accounts`. */
  merchant: string;
  amount_kopecks: number;
  state: string;
  doubt: string | null;
  /** DONE or REJECTED, the final answer to a call `state`. */
  told: string | null;
  /**
   * 1: the till cancelled the payment before a call `state` was answered with DONE, or the server counts the payment as cancelled
   * (payments/states.ts).
   */
  cancelled: Flag;
  /** Sum of the finished refunds. */
  refunded_kopecks: number;
  created_at_ms: number;
  moved_at_ms: number;
  /** When the QR code expires at this server. */
  expires_at_ms: number;
  /** When the QR code expires at the bank, if that time differs. */
  bank_expires_at_ms: number | null;
  /** When the bank's state was last read, and when it is read next. Null in the second column: never again. */
  read_at_ms: number | null;
  next_read_at_ms: number | null;
  paid_at_ms: number | null;
  told_at_ms: number | null;
  /** The journal's newest entry when a call `state` was answered with DONE. */
  told_entry_id: number | null;
  /** Money that came after the end: its sum, and its treatment (`refund` or `person`). */
  late_kopecks: number | null;
  late_state: string | null;
  /** The journal's sale that was paid by this payment. */
  sale_entry_id: number | null;
  /** 1: the missing sale was reported. */
  unsold_told: Flag;
  bank_id: string | null;
  raw_status: string | null;
  description: string;
  qr_text: string | null;
  /** JSON of a PaymentReason. */
  reason: string | null;
  /** 1: no till was shown a code of the payment, and the operation's id is free for another attempt. */
  freed: Flag;
}

export type PaymentRow = Selectable<PaymentsTable>;

/** The changes of payments' states, primary key (payment_id, number). Rows never change. */
export interface PaymentMovesTable {
  payment_id: string;
  number: number;
  at_ms: number;
  from_state: string | null;
  to_state: string;
  why: string;
}

/** Calls that change something at a bank: stored before each call, completed after it. Primary key (payment_id, number). */
export interface PaymentCallsTable {
  payment_id: string;
  number: number;
  /** create, cancel or refund. */
  call: string;
  refund_number: number | null;
  /** SHA-256 (hex) of the content of the call. */
  order_hash: string;
  at_ms: number;
  /** Null: the call is running, or its process ended without storing an outcome. */
  ended_at_ms: number | null;
  outcome: string | null;
}

/** Refunds of a payment, primary key (payment_id, number). */
export interface PaymentRefundsTable {
  payment_id: string;
  /** 1, 2, …: with the payment's id, the idempotency key at the bank. */
  number: number;
  amount_kopecks: number;
  state: string;
  /** The cause of the refund: `till`, `cancel`, `late` (money after the end) or `person`. */
  cause: string;
  asked_at_ms: number;
  attempts: number;
  tried_at_ms: number | null;
  /** The next try. Null: immediately if the refund is queued, otherwise none. */
  next_try_at_ms: number | null;
  /** The sum refunded by the bank before the first attempt. */
  before_kopecks: number | null;
  bank_refund_id: string | null;
  /** JSON of a PaymentReason. */
  reason: string | null;
}

export type RefundRow = Selectable<PaymentRefundsTable>;

/** Notifications of banks, unique by all values that distinguish a notification from a repeat. Deleted after some days. */
export interface BankNotificationsTable {
  id: Generated<number>;
  app_id: string;
  account_id: string;
  acquirer: string;
  bank_id: string;
  status: string;
  /** SHA-256 (hex). */
  body_hash: string;
  proved: Flag;
  received_at_ms: number;
  /** Null: no payment with this bank id is known yet. */
  payment_id: string | null;
}

/**
 * The present and earlier acquirer accounts of an installation's payments, primary key (app_id, account_id, merchant). Payments continue
 * after a point of sale has changed its setting.
 */
export interface AcquirerAccountsTable {
  app_id: string;
  account_id: string;
  merchant: string;
  acquirer: string;
  /** The last used setting `acquirer`. */
  setting_sealed: string;
  updated_at_ms: number;
}

/** The secret last segment of an installation's notification address, primary key (app_id, account_id, acquirer). */
export interface AcquirerHooksTable {
  app_id: string;
  account_id: string;
  acquirer: string;
  secret_sealed: string;
  /** SHA-256 (hex), for finding the row. */
  secret_hash: string;
}

/** The last good answer of each key address, primary key address. */
export interface KeySetsTable {
  address: string;
  body: string;
  fetched_at_ms: number;
  /** The lifetime of the answer: from its Cache-Control, within the bounds of security/key-set.ts. */
  max_age_ms: number;
}

/** The holders of leases, primary key name (lease.ts). */
export interface LeasesTable {
  name: string;
  /** Empty: nobody holds the lease. */
  holder: string;
  token: number;
  /** Unused in a lease with a `kind`: the row of the holder's process has the counter of all such leases. */
  counter: number;
  /**
   * Empty: the lease has its own counter. Otherwise `register`, `device` or `task`: the row of the process has one counter for all its
   * leases of these kinds.
   */
  kind: ColumnType<string, string | undefined, string>;
  /** The process to which a person wants to move the register. */
  wanted: ColumnType<string | null, string | null | undefined, string | null>;
  /** When the present holder got the lease, for people only. */
  since_ms: ColumnType<number | null, number | null | undefined, number | null>;
}
