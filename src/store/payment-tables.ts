import type { ColumnType, Generated, Selectable } from "kysely";

type Flag = 0 | 1;

/** QR payments, unique by (app_id, account_id, operation_id, attempt), never deleted. */
export interface PaymentsTable {
  /** This server's id of the payment: a UUID. At the bank it is the order number. */
  id: string;
  app_id: string;
  account_id: string;
  operation_id: string;
  /** 1, 2, …: the number of the attempt. An operation whose payment the bank has refused may be created again. */
  attempt: number;
  store_id: string;
  acquirer: string;
  /** The merchant's account at the acquirer: key of `acquirer_accounts`. */
  merchant: string;
  amount_kopecks: number;
  state: string;
  /** Why the state is `unknown`. */
  doubt: string | null;
  /** DONE or REJECTED, after a state call was answered so. */
  told: string | null;
  /** 1: the till cancelled the payment before a state call was answered with DONE. */
  cancelled: Flag;
  /** Sum of the refunds that are done. */
  refunded_kopecks: number;
  created_at_ms: number;
  moved_at_ms: number;
  /** When the QR code ends at this server. */
  expires_at_ms: number;
  /** When the QR code ends at the bank, if that differs. */
  bank_expires_at_ms: number | null;
  /** When the payment's state was last read at the bank, and when it is read next. Null in the second column: it is not read any more. */
  read_at_ms: number | null;
  next_read_at_ms: number | null;
  paid_at_ms: number | null;
  told_at_ms: number | null;
  /** The newest entry of the journal when a state call was answered with DONE. */
  told_entry_id: number | null;
  /** Money that came after the end: its sum, and what happens to it (`refund` or `person`). */
  late_kopecks: number | null;
  late_state: string | null;
  /** The sale in the journal that this money has paid. */
  sale_entry_id: number | null;
  /** 1: it was reported that no sale was seen. */
  unsold_told: Flag;
  bank_id: string | null;
  raw_status: string | null;
  description: string;
  qr_text: string | null;
  /** JSON of a PaymentReason. */
  reason: string | null;
  /** 1: the create call was answered with a refusal, so that the operation's id is free for another attempt. */
  freed: Flag;
}

export type PaymentRow = Selectable<PaymentsTable>;

/** The changes of payments' states, primary key (payment_id, number). Rows are added and never changed. */
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
  /** Null: the process ended while the call ran, and its outcome is unknown. */
  ended_at_ms: number | null;
  outcome: string | null;
}

/** Refunds of a payment, primary key (payment_id, number). */
export interface PaymentRefundsTable {
  payment_id: string;
  /** 1, 2, …: with the payment's id the idempotency key at the bank. */
  number: number;
  amount_kopecks: number;
  state: string;
  /** The cause of the refund: `till`, `cancel`, `late` (money after the end) or `person`. */
  cause: string;
  asked_at_ms: number;
  attempts: number;
  tried_at_ms: number | null;
  /** When it is tried next; null: at once, or never again. */
  next_try_at_ms: number | null;
  /** The refunded sum at the bank before the first attempt. */
  before_kopecks: number | null;
  bank_refund_id: string | null;
  /** JSON of a PaymentReason. */
  reason: string | null;
}

export type RefundRow = Selectable<PaymentRefundsTable>;

/** Notifications of banks. They are unique by all values that distinguish a notification from a repeat. Deleted after some days. */
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
  /** Null: no payment of this id is known yet. */
  payment_id: string | null;
}

/**
 * The accounts at acquirers that an installation's payments use or used, primary key (app_id, account_id, merchant). They are kept because
 * payments continue after a point of sale has changed its setting.
 */
export interface AcquirerAccountsTable {
  app_id: string;
  account_id: string;
  merchant: string;
  acquirer: string;
  /** The setting `acquirer` as it was used last. */
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
  /** How long the answer may be kept, as the address says. */
  max_age_ms: number;
}

/** The holders of leases, primary key name (lease.ts). */
export interface LeasesTable {
  name: string;
  /** Empty: nobody holds the lease. */
  holder: string;
  token: number;
  /** Stands still in a lease of a kind: the row of the holder's process has the counter. */
  counter: number;
  /** Empty: the lease has its own counter. Else the kind of lease of a process: register, device or task. */
  kind: ColumnType<string, string | undefined, string>;
  /** The process to which a person wants the register to go. */
  wanted: ColumnType<string | null, string | null | undefined, string | null>;
  /** When the lease got its holder, for people only. */
  since_ms: ColumnType<number | null, number | null | undefined, number | null>;
}
