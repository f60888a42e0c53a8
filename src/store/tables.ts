import type { Generated, Selectable } from "kysely";
import type { AgentCodesTable, AgentRegistersTable, AgentRequestsTable, AgentServerTable, AgentsTable } from "./agent-tables.ts";
import type { AlertsTable } from "./alert-tables.ts";
import type { ClusterProcessesTable, ClusterStateTable } from "./cluster-tables.ts";
import type {
  LoyaltyAccountsTable,
  LoyaltyAliasesTable,
  LoyaltyAllocationsTable,
  LoyaltyCodesTable,
  LoyaltyConnectionsTable,
  LoyaltyEntriesTable,
  LoyaltyGiftCardsTable,
  LoyaltyGiftEntriesTable,
  LoyaltyImportsTable,
  LoyaltyKeysTable,
  LoyaltyLotsTable,
  LoyaltyMembersTable,
  LoyaltyMergesTable,
  LoyaltyOrderLinesTable,
  LoyaltyOrdersTable,
  LoyaltyProgrammesTable,
  LoyaltyQuotesTable,
  LoyaltyTermsTable,
  LoyaltyTierEventsTable,
} from "./loyalty-tables.ts";
import type {
  AcquirerAccountsTable,
  AcquirerHooksTable,
  BankNotificationsTable,
  KeySetsTable,
  LeasesTable,
  PaymentCallsTable,
  PaymentMovesTable,
  PaymentRefundsTable,
  PaymentsTable,
} from "./payment-tables.ts";

/**
 * The tables of both databases, for the query builder. Times are milliseconds since the epoch and money is kopecks: 64-bit integers, read
 * as numbers. Structured values are JSON text, flags are 0 or 1, bytes are Buffers, and null means absent.
 */
export interface Tables {
  entries: EntriesTable;
  moves: MovesTable;
  answers: AnswersTable;
  day_answers: DayAnswersTable;
  shift_links: ShiftLinksTable;
  installations: InstallationsTable;
  fiscal_keys: FiscalKeysTable;
  seen_tokens: SeenTokensTable;
  forgotten_tokens: ForgottenTokensTable;
  settings: SettingsTable;
  audit: AuditTable;
  alerts: AlertsTable;
  device_exchanges: DeviceExchangesTable;
  agent_server: AgentServerTable;
  agents: AgentsTable;
  agent_codes: AgentCodesTable;
  agent_registers: AgentRegistersTable;
  agent_requests: AgentRequestsTable;
  platform_links: PlatformLinksTable;
  shop_objects: ShopObjectsTable;
  subscriptions: SubscriptionsTable;
  notifications: NotificationsTable;
  day_notifications: DayNotificationsTable;
  commit_marks: CommitMarksTable;
  cluster_processes: ClusterProcessesTable;
  cluster_state: ClusterStateTable;
  drive_readings: DriveReadingsTable;
  lost_documents: LostDocumentsTable;
  payments: PaymentsTable;
  payment_moves: PaymentMovesTable;
  payment_calls: PaymentCallsTable;
  payment_refunds: PaymentRefundsTable;
  bank_notifications: BankNotificationsTable;
  acquirer_accounts: AcquirerAccountsTable;
  acquirer_hooks: AcquirerHooksTable;
  key_sets: KeySetsTable;
  leases: LeasesTable;
  loyalty_accounts: LoyaltyAccountsTable;
  loyalty_aliases: LoyaltyAliasesTable;
  loyalty_allocations: LoyaltyAllocationsTable;
  loyalty_codes: LoyaltyCodesTable;
  loyalty_connections: LoyaltyConnectionsTable;
  loyalty_entries: LoyaltyEntriesTable;
  loyalty_gift_cards: LoyaltyGiftCardsTable;
  loyalty_gift_entries: LoyaltyGiftEntriesTable;
  loyalty_imports: LoyaltyImportsTable;
  loyalty_keys: LoyaltyKeysTable;
  loyalty_lots: LoyaltyLotsTable;
  loyalty_members: LoyaltyMembersTable;
  loyalty_merges: LoyaltyMergesTable;
  loyalty_order_lines: LoyaltyOrderLinesTable;
  loyalty_orders: LoyaltyOrdersTable;
  loyalty_programmes: LoyaltyProgrammesTable;
  loyalty_quotes: LoyaltyQuotesTable;
  loyalty_terms: LoyaltyTermsTable;
  loyalty_tier_events: LoyaltyTierEventsTable;
}

type Flag = 0 | 1;

/** Who has changed what. Rows never change. The values contain no secrets. */
export interface AuditTable {
  id: Generated<number>;
  at_ms: number;
  /** `*`, with `*` in `account_id`: the act concerns all accounts. */
  app_id: string;
  account_id: string;
  /** `*`: all points of sale of the account. Null: the act concerns no point of sale. */
  store_id: string | null;
  /** `operator`, `platform`, `server`, or the name of the logged-in person. */
  actor: string;
  /** Where the change was requested: `page`, `command` or `server`. */
  place: string;
  act: string;
  /** The thing that was changed, for example the name of a setting or the id of a payment. */
  subject: string;
  before: string | null;
  after: string | null;
  reason: string | null;
}

/** Exchanges with devices, primary key (entry_id, attempt). Deleted after 30 days. */
export interface DeviceExchangesTable {
  entry_id: number;
  attempt: number;
  at_ms: number;
  /** JSON: names, times and codes of commands, never their bytes. */
  steps: string;
}

/** The journal: one row for each operation, unique by (app_id, account_id, operation, document_id), never deleted. */
interface EntriesTable {
  id: Generated<number>;
  app_id: string;
  account_id: string;
  operation: string;
  document_id: string;
  id_type: string;
  store_id: string;
  /** Canonical address of the register; it also names the lane. */
  register: string;
  state: string;
  attempt: number;
  content_hash: string;
  twin: string;
  paper: string;
  accepted_at_ms: number;
  moved_at_ms: number;
  /** JSON of the operation as read, and of the document as sent. */
  content: string;
  document: string;
  checkpoint: string | null;
  facts: string | null;
  refusal: string | null;
  doubt: string | null;
  /** Copied from the facts for queries: the document's drive and shift. */
  drive_number: string | null;
  shift_number: number | null;
  /** For a return: id of the returned sale. */
  original_id: string | null;
  /** For a sale: the sum that the buyer paid by QR. Null: none. */
  qr_kopecks: number | null;
  /** Copied from the operation for searches: the till's number of the document. Null: none. */
  name: string | null;
  /** Copied from the document for searches. Null: the document has no sum. */
  sum_kopecks: number | null;
}

/**
 * The moves of entries from state to state. Rows never change, with one exception: the document's place is removed when a person takes back
 * a statement, or when the entry was deleted. An attempt reaches a state at most once.
 */
interface MovesTable {
  entry_id: number;
  attempt: number;
  to_state: string;
  from_state: string | null;
  at_ms: number;
  by: string;
  reasons: string | null;
  /**
   * The order of moves, independent of any clock. Moves that PostgreSQL commits at the same moment may have the same number. Moves from
   * before this column have 0.
   */
  number: number;
  /** For a valid move to done: the drive and the document's number in the drive (tag 1040). Slips and X reports have no number. */
  drive_number: string | null;
  document_number: number | null;
}

export type EntryRow = Selectable<EntriesTable>;
export type MoveRow = Selectable<MovesTable>;

/** The answer to a done operation, in bytes, primary key (entry_id, done_at_ms). Dropped by days. */
interface DayAnswersTable {
  entry_id: number;
  /** The entry's `moved_at_ms` when the answer was stored. The answer is dropped with this day. */
  done_at_ms: number;
  body: Buffer;
}

/** Answers from before `day_answers`. Only an earlier version of this program adds rows. */
interface AnswersTable {
  entry_id: number;
  body: Buffer;
  stored_at_ms: number;
}

/** Links a shift of the platform to a shift of a device, primary key (register, drive_number, shift_number, id_type). */
export interface ShiftLinksTable {
  register: string;
  drive_number: string;
  shift_number: number;
  id_type: string;
  shift_id: string;
}

/** One row for each installation, primary key (app_id, account_id). Kept after Suspend and Uninstall. */
export interface InstallationsTable {
  app_id: string;
  account_id: string;
  state: string;
  account_name: string;
  /** Null: no token is stored, for example after Suspend. */
  access_token_sealed: string | null;
  /** JSON of the customer's subscription. */
  subscription: string | null;
  /** JSON of the rights from `access`, with the resource's address. */
  permissions: string | null;
  installed_at_ms: number;
  updated_at_ms: number;
}

/**
 * Public keys that prove fiscal requests. A replaced key keeps its row, so a registration id may have several rows. A registration id
 * stays an alias of its account for ever. An index leads from the registration id to its rows.
 */
export interface FiscalKeysTable {
  id: Generated<number>;
  registration_id: string;
  app_id: string;
  account_id: string;
  /** Base64 of SPKI DER. Null: the received key cannot be used. */
  spki: string | null;
  /** Why the key cannot be used: it is unreadable, or its registration id belongs to another installation. */
  problem: string | null;
  added_at_ms: number;
  /** When a replaced key becomes invalid. Null: the newest key. */
  retires_at_ms: number | null;
}

/**
 * Used tokens, primary key (app_id, jti). The row of a vendor-contract token has the answer, so that an honest retry gets the same answer.
 * In the rows of other tokens `app_id` has a colon: `issuer:` with the issuer of a one-time token, or `console:ended` for an ended session.
 */
export interface SeenTokensTable {
  app_id: string;
  jti: string;
  request_id: string | null;
  method: string;
  path: string;
  body_hash: string;
  /** Null: the first call is still running, or its answer was not stored. Always null for other tokens. */
  status: number | null;
  answer: string | null;
  expires_at_ms: number;
}

/**
 * The expiry time up to which used tokens may have been deleted, primary key app_id. All used tokens with a later expiry still have their
 * rows. The time never goes back.
 */
interface ForgottenTokensTable {
  app_id: string;
  expired_to_ms: number;
}

/** Settings of points of sale, primary key (app_id, account_id, store_id, name). Store "*" means the whole account. */
export interface SettingsTable {
  app_id: string;
  account_id: string;
  store_id: string;
  name: string;
  /** The value as text, or sealed. */
  value: string;
  sealed: Flag;
  updated_at_ms: number;
}

/** The link of an installation to the platform's JSON API, primary key (app_id, account_id). Kept after Suspend and Uninstall. */
export interface PlatformLinksTable {
  app_id: string;
  account_id: string;
  /** The secret last segment of the installation's webhook address: sealed, and as SHA-256 (hex) for finding the row. */
  webhook_secret_sealed: string;
  webhook_secret_hash: string;
  /** The money scale (FISCAL_MONEY_SCALE) that the platform's document of a sale or return has proved. Null: not proved yet. */
  money_scale: number | null;
  /** The reading of the platform has all changes up to this moment of the platform's clock. Null: nothing was read yet. */
  read_to_ms: number | null;
  /** When all objects except goods were last read. Only such a reading finds objects that were deleted without a notification. */
  whole_read_at_ms: number | null;
  /** When the newest reading ended, by this server's clock, and what went wrong in it. */
  read_at_ms: number | null;
  read_problem: string | null;
}

/** Points of sale, people and goods of the platform, primary key (app_id, account_id, type, object_id). */
export interface ShopObjectsTable {
  app_id: string;
  account_id: string;
  type: string;
  object_id: string;
  /** JSON of the object in this program's form. The text `null`: the platform has no such object. */
  body: string;
  /** 1: the object may have changed at the platform since it was read. */
  stale: Flag;
  read_at_ms: number;
}

/** Webhooks that the server wants from the platform, primary key (app_id, account_id, entity_type, action). */
export interface SubscriptionsTable {
  app_id: string;
  account_id: string;
  entity_type: string;
  action: string;
  /** `ours`; `taken`: another integration has the webhook; or `refused`. */
  state: string;
  /** The platform's id of this server's webhook. */
  webhook_id: string | null;
  problem: string | null;
  /**
   * SHA-256 (hex) of the address for which the webhook was last checked. If the address changes, the webhook is tried again immediately.
   */
  address_hash: string;
  checked_at_ms: number;
}

/** Notifications from before `day_notifications`. Waiting notifications are moved to that table. */
interface NotificationsTable extends Omit<DayNotificationsTable, "day_ms"> {}

/** Received notifications, unique by (app_id, account_id, request_id, day_ms). A day with waiting notifications is not dropped. */
export interface DayNotificationsTable {
  id: Generated<number>;
  app_id: string;
  account_id: string;
  request_id: string;
  /** The number of objects in the notification. 1 if `events` is null. */
  objects: number;
  /** JSON of the objects: type, id and action of each; an empty list once done. Null: too many changes, so everything is read again. */
  events: string | null;
  /** The beginning of the day of receipt. */
  day_ms: number;
  received_at_ms: number;
  /** Null while the objects wait to be read again. */
  done_at_ms: number | null;
}

/**
 * In PostgreSQL each connection of a server counts its committed changes in its own row (changes.ts). All commands, which do not hold the
 * lock, count in slot 0. In SQLite this table has one row (dialects/sqlite-inner-mark.ts).
 */
interface CommitMarksTable {
  slot: number;
  /** Random; new with each change. */
  token: number;
  count: number;
}

/** How far each drive was read. Every document up to `read_to` is in the journal, was read from the drive, or is marked as unread. */
interface DriveReadingsTable {
  drive_number: string;
  read_to: number;
  /** The newest entry with a document of the drive when the row was written; 0: none. A journal without this entry ignores the row. */
  entry_id: number;
}

/**
 * Documents of a drive that the journal lacked, and documents that the register did not return, primary key (drive_number,
 * document_number).
 */
export interface LostDocumentsTable {
  drive_number: string;
  document_number: number;
  /**
   * The document's id, the name of a shift report (journal/drives/lost-document.ts), or `others`, `missed` or `left-out`
   * (journal/drives/drive-reading-queries.ts). Null: the register did not return the document.
   */
  reference: string | null;
}
