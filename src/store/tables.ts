import type { Generated, Selectable } from "kysely";

/**
 * What the two databases hold, as the query builder sees it. The same in both:
 * times are milliseconds since the epoch and money is kopecks, 64-bit integers that arrive as numbers;
 * structured values are JSON text; flags are 0 or 1; bytes are Buffers; null is "not there".
 */
export interface Tables {
  entries: EntriesTable;
  moves: MovesTable;
  answers: AnswersTable;
  shift_links: ShiftLinksTable;
  installations: InstallationsTable;
  fiscal_keys: FiscalKeysTable;
  seen_tokens: SeenTokensTable;
  forgotten_tokens: ForgottenTokensTable;
  settings: SettingsTable;
  platform_links: PlatformLinksTable;
  shop_objects: ShopObjectsTable;
  subscriptions: SubscriptionsTable;
  notifications: NotificationsTable;
  commit_marks: CommitMarksTable;
  drive_readings: DriveReadingsTable;
  lost_documents: LostDocumentsTable;
}

type Flag = 0 | 1;

/** The journal: one row an operation, unique by (app_id, account_id, operation, document_id), never deleted. */
interface EntriesTable {
  id: Generated<number>;
  app_id: string;
  account_id: string;
  operation: string;
  document_id: string;
  id_type: string;
  store_id: string;
  /** Canonical address of the register: the lane. */
  register: string;
  state: string;
  attempt: number;
  content_hash: string;
  twin: string;
  paper: string;
  accepted_at_ms: number;
  moved_at_ms: number;
  /** JSON of the operation as read and of the document as sent. */
  content: string;
  document: string;
  checkpoint: string | null;
  facts: string | null;
  refusal: string | null;
  /** JSON. */
  doubt: string | null;
  /** Of facts, for look-ups: where the document stands in its drive. */
  drive_number: string | null;
  shift_number: number | null;
  /** Of a return: id of the sale that it names. */
  original_id: string | null;
}

/**
 * How entries came to where they are: rows are added and stay as they are, but for the place of a document that a person
 * takes back. An attempt reaches a state at most once.
 */
interface MovesTable {
  entry_id: number;
  attempt: number;
  to_state: string;
  from_state: string | null;
  at_ms: number;
  by: string;
  /** JSON of a list. */
  reasons: string | null;
  /**
   * The order in which moves were made, which no clock decides. Moves of two registers at the same moment may share
   * one, and those from before it was counted all have 0.
   */
  number: number;
  /** Of a move to done that holds: the drive, and the number of the document in it (tag 1040), which slips and X reports lack. */
  drive_number: string | null;
  document_number: number | null;
}

/** Rows as they are read. */
export type EntryRow = Selectable<EntriesTable>;
export type MoveRow = Selectable<MovesTable>;

/** The bytes that answered a done operation. */
export interface AnswersTable {
  entry_id: number;
  body: Buffer;
  stored_at_ms: number;
}

/** Which shifts of the platform stand for a shift of a device: at most one of each id type. */
export interface ShiftLinksTable {
  register: string;
  drive_number: string;
  shift_number: number;
  id_type: string;
  shift_id: string;
}

/** One row an installation, primary key (app_id, account_id); kept over Suspend and Uninstall. */
export interface InstallationsTable {
  app_id: string;
  account_id: string;
  state: string;
  account_name: string;
  /** Null once the platform has revoked it. */
  access_token_sealed: string | null;
  /** JSON. */
  subscription: string | null;
  /** JSON of what `access` granted, the resource's address included. */
  permissions: string | null;
  installed_at_ms: number;
  updated_at_ms: number;
}

/**
 * Public keys that prove fiscal requests. A registration id has several when its key was replaced and
 * stays an alias of its account for ever; look it up by its index.
 */
export interface FiscalKeysTable {
  id: Generated<number>;
  registration_id: string;
  app_id: string;
  account_id: string;
  /** Base64 of SPKI DER; null when what came could not be read. */
  spki: string | null;
  /** Why it could not. */
  problem: string | null;
  added_at_ms: number;
  /** When a superseded key stops proving anything; null for the one in force. */
  retires_at_ms: number | null;
}

/** One-time token ids, primary key (app_id, jti), with what was answered so that an honest retry gets it again. */
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

/** Primary key app_id: no record of one of its tokens is missing whose exp is later than this. It never goes back. */
interface ForgottenTokensTable {
  app_id: string;
  expired_to_ms: number;
}

/** Settings of points of sale, primary key (app_id, account_id, store_id, name); store "*" is the whole account. */
export interface SettingsTable {
  app_id: string;
  account_id: string;
  store_id: string;
  name: string;
  /** Text of the value, or what seals it. */
  value: string;
  sealed: Flag;
  updated_at_ms: number;
}

/** What binds an installation to the platform's JSON API, primary key (app_id, account_id); kept over Suspend and Uninstall. */
export interface PlatformLinksTable {
  app_id: string;
  account_id: string;
  /** The unguessable segment of its webhook address, sealed, and the SHA-256 (hex) that it is looked up by. */
  webhook_secret_sealed: string;
  webhook_secret_hash: string;
  /** FISCAL_MONEY_SCALE as a sale's document at the platform has proved it; null until one has. */
  money_scale: number | null;
  /** Changes up to then have been read, on the platform's clock; null: nothing has been read yet. */
  read_to_ms: number | null;
  /** When everything was read last, so that what is gone was noticed too. */
  whole_read_at_ms: number | null;
  /** When the newest reading ended, on our clock, and what went wrong with it. */
  read_at_ms: number | null;
  read_problem: string | null;
}

/** What the platform says of points of sale, people and goods, primary key (app_id, account_id, type, object_id). */
export interface ShopObjectsTable {
  app_id: string;
  account_id: string;
  type: string;
  object_id: string;
  /** JSON, in our words. */
  body: string;
  /** 1: known to have changed since it was read. */
  stale: Flag;
  read_at_ms: number;
}

/** Webhooks wanted of the platform, primary key (app_id, account_id, entity_type, action). */
export interface SubscriptionsTable {
  app_id: string;
  account_id: string;
  entity_type: string;
  action: string;
  /** `ours`, `taken` by another integration, or `refused`. */
  state: string;
  /** The platform's id of ours. */
  webhook_id: string | null;
  /** The platform's words. */
  problem: string | null;
  /** SHA-256 (hex) of the address that was wanted then: with another one it is tried again at once. */
  address_hash: string;
  checked_at_ms: number;
}

/** Notifications that were received, unique by (app_id, account_id, request_id); deleted some days after they were worked off. */
export interface NotificationsTable {
  id: Generated<number>;
  app_id: string;
  account_id: string;
  request_id: string;
  /** How many objects it names. */
  objects: number;
  /** JSON of them: type, id and action of each. Null: more has changed than is worth naming, everything is read again. */
  events: string | null;
  received_at_ms: number;
  /** Null until all of it was read again. */
  done_at_ms: number | null;
}

/** Of PostgreSQL alone: how many changes were committed over each connection (changes.ts); slot 0 is everybody's without the lock. */
interface CommitMarksTable {
  slot: number;
  /** Random, new with each change. */
  token: number;
  count: number;
}

/** How far each drive is known: every document up to there is the journal's, or was read. */
interface DriveReadingsTable {
  drive_number: string;
  read_to: number;
  /** The journal's newest entry then: a journal that does not have it is another one, of which this says nothing. */
  entry_id: number;
}

/** Documents that a drive has and the journal does not, primary key (drive_number, document_number): those with an id of ours. */
export interface LostDocumentsTable {
  drive_number: string;
  document_number: number;
  /** Null: the register did not give it, whatever it is. */
  reference: string | null;
}
