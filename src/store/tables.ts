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
 * The tables of both databases, as the query builder sees them. Times are milliseconds since the epoch and money is kopecks:
 * 64-bit integers that arrive as numbers. Structured values are JSON text, flags are 0 or 1, bytes are Buffers, and null means
 * absent.
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

/** Who has changed what. Rows are added and never changed. The values contain no secrets. */
export interface AuditTable {
  id: Generated<number>;
  at_ms: number;
  app_id: string;
  account_id: string;
  /** `*`: all points of sale of the account. Null: the act concerns none. */
  store_id: string | null;
  /** `operator`, or the person who was logged in. */
  actor: string;
  /** Where the change was requested: `page`, `command` or `server`. */
  place: string;
  act: string;
  /** What was changed: the name of a setting, the id of a payment. */
  subject: string;
  before: string | null;
  after: string | null;
  reason: string | null;
}

/** What was exchanged with a device, primary key (entry_id, attempt). Deleted after 30 days. */
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
  /** JSON of the operation as it was read, and of the document as it was sent. */
  content: string;
  document: string;
  checkpoint: string | null;
  facts: string | null;
  refusal: string | null;
  /** JSON of the doubt. */
  doubt: string | null;
  /** Copied from the facts for queries: the drive and the shift in which the document stands. */
  drive_number: string | null;
  shift_number: number | null;
  /** For a return: id of the sale that it returns. */
  original_id: string | null;
  /** For a sale: the sum that the buyer paid by QR. Null: none. */
  qr_kopecks: number | null;
  /** Copied from the operation for searches: the till's number of the document. Null for a document without one. */
  name: string | null;
  /** Copied from the document for searches: its sum; null: it has none. */
  sum_kopecks: number | null;
}

/**
 * The moves of entries from state to state. Rows are added and never changed, with one exception: when a person takes back a statement, the
 * document's place is removed. An attempt reaches a state at most once.
 */
interface MovesTable {
  entry_id: number;
  attempt: number;
  to_state: string;
  from_state: string | null;
  at_ms: number;
  by: string;
  /** JSON of a list of reasons. */
  reasons: string | null;
  /**
   * The order in which moves were made, independent of any clock. Moves of two registers at the same moment may have the same
   * number. Moves from before this column have 0.
   */
  number: number;
  /** For a valid move to done: the drive and the number of the document in it (tag 1040). Slips and X reports have no number. */
  drive_number: string | null;
  document_number: number | null;
}

/** Rows as queries return them. */
export type EntryRow = Selectable<EntriesTable>;
export type MoveRow = Selectable<MovesTable>;

/** The bytes of the answer to a done operation, primary key (entry_id, done_at_ms). Dropped by days. */
interface DayAnswersTable {
  entry_id: number;
  /** The entry's `moved_at_ms` when the answer was stored. It tells the day after which the answer is dropped. */
  done_at_ms: number;
  body: Buffer;
}

/** Answers from before `day_answers` was made. Nothing is added any more. */
interface AnswersTable {
  entry_id: number;
  body: Buffer;
  stored_at_ms: number;
}

/** Links a shift of the platform to a shift of a device. A device's shift has at most one link for each id type. */
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
  /** Null after the platform has revoked the token. */
  access_token_sealed: string | null;
  /** JSON of the customer's subscription. */
  subscription: string | null;
  /** JSON of the rights that `access` granted, with the address of the resource. */
  permissions: string | null;
  installed_at_ms: number;
  updated_at_ms: number;
}

/**
 * Public keys that prove fiscal requests. A registration id has several rows after its key was replaced, and stays an
 * alias of its account for ever. An index leads from the registration id to its rows.
 */
export interface FiscalKeysTable {
  id: Generated<number>;
  registration_id: string;
  app_id: string;
  account_id: string;
  /** Base64 of SPKI DER; null when the key that arrived could not be read. */
  spki: string | null;
  /** Why the key could not be read. */
  problem: string | null;
  added_at_ms: number;
  /** When a superseded key stops proving requests; null for the key in force. */
  retires_at_ms: number | null;
}

/**
 * One-time token ids, primary key (app_id, jti), each with the answer that was given, so that an honest retry gets the same
 * answer.
 */
export interface SeenTokensTable {
  app_id: string;
  jti: string;
  request_id: string | null;
  method: string;
  path: string;
  body_hash: string;
  /** Null while the first call is still being worked on. */
  status: number | null;
  answer: string | null;
  expires_at_ms: number;
}

/**
 * Up to which expiry time used tokens may have been deleted, primary key app_id. The record of every token that expires later still exists.
 * The time never goes back.
 */
interface ForgottenTokensTable {
  app_id: string;
  expired_to_ms: number;
}

/** Settings of points of sale, primary key (app_id, account_id, store_id, name). Store "*" stands for the whole account. */
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
  /** FISCAL_MONEY_SCALE as proved by the document of a sale at the platform; null until one has proved it. */
  money_scale: number | null;
  /** Changes up to this moment have been read, on the platform's clock; null: nothing has been read yet. */
  read_to_ms: number | null;
  /** When all objects were last read. Only that finds objects that were deleted. */
  whole_read_at_ms: number | null;
  /** When the newest reading ended, on this server's clock, and its problem. */
  read_at_ms: number | null;
  read_problem: string | null;
}

/** Points of sale, people and goods as the platform describes them, primary key (app_id, account_id, type, object_id). */
export interface ShopObjectsTable {
  app_id: string;
  account_id: string;
  type: string;
  object_id: string;
  /** JSON of the object in the form of this program, not of the platform. */
  body: string;
  /** 1: the object has changed at the platform since it was read. */
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
  /** The platform's own words. */
  problem: string | null;
  /** SHA-256 (hex) of the webhook's address at that check. With another address the webhook is tried again at once. */
  address_hash: string;
  checked_at_ms: number;
}

/** Notifications from before `day_notifications` was made. Those that wait are moved there. */
interface NotificationsTable extends Omit<DayNotificationsTable, "day_ms"> {}

/**
 * Notifications that were received, unique by (app_id, account_id, request_id, day_ms). Dropped by days, once none of the day waits.
 */
export interface DayNotificationsTable {
  id: Generated<number>;
  app_id: string;
  account_id: string;
  request_id: string;
  /** How many objects the notification names. */
  objects: number;
  /** JSON of the objects: type, id and action of each. Null: too much has changed to name, and everything is read again. */
  events: string | null;
  /** The beginning of the day in which it came. */
  day_ms: number;
  received_at_ms: number;
  /** Null until all of its objects were read again. */
  done_at_ms: number | null;
}

/**
 * PostgreSQL only: how many changes were committed over each connection (changes.ts). Slot 0 is for commands, which do not hold
 * the lock.
 */
interface CommitMarksTable {
  slot: number;
  /** Random; new with each change. */
  token: number;
  count: number;
}

/** How far each drive was read: every document up to this number is in the journal or was read from the drive. */
interface DriveReadingsTable {
  drive_number: string;
  read_to: number;
  /**
   * The journal's newest entry at that time. A journal without this entry is another journal, and the row does not apply to it.
   */
  entry_id: number;
}

/** Documents with an id of this server that a drive has and the journal lacks, primary key (drive_number, document_number). */
export interface LostDocumentsTable {
  drive_number: string;
  document_number: number;
  /** Null: the register did not give the reference. */
  reference: string | null;
}
