import type { Generated, Selectable } from "kysely";

type Flag = 0 | 1;

/** The programmes of installations, primary key (app_id, account_id, version). Rows never change. */
export interface LoyaltyProgrammesTable {
  app_id: string;
  account_id: string;
  /** 1, 2, …: the newest version is in force. */
  version: number;
  /** JSON of the programme without defaults. */
  content: string;
  set_at_ms: number;
  /** The person or program that set the content. */
  set_by: string;
}

/** The connection of an account's tills to the programme, primary key (app_id, account_id). */
export interface LoyaltyConnectionsTable {
  app_id: string;
  account_id: string;
  /** `connected`, or `failed`: the platform has refused, or could not be reached. */
  state: string;
  /** The platform's last answer, in words. */
  said: string | null;
  /** The value sent to the platform. Null: the last sending failed. */
  external_search: Flag | null;
  /**
   * The moment of the installation's last change, as known when the connection was sent to the platform. A later change needs another
   * sending. Null: the last sending failed.
   */
  installation_at_ms: number | null;
  /** The next sending to the platform after a failure. */
  next_try_at_ms: number;
  tries: number;
}

/** The tills' keys for calling this server, primary key key_hash. */
export interface LoyaltyKeysTable {
  /** SHA-256 (hex) of a key of 256 random bits. */
  key_hash: string;
  app_id: string;
  account_id: string;
  added_at_ms: number;
  /** When a replaced key becomes invalid. Null: the newest key. */
  retires_at_ms: number | null;
}

/** Members of a programme. A merged or erased member keeps its row. */
export interface LoyaltyMembersTable {
  id: string;
  app_id: string;
  account_id: string;
  /** `active`, `blocked`, `merged` or `erased`. */
  status: string;
  /** Sealed JSON of name, phone, card and all other data that identify the member. Null: erased. */
  personal_sealed: string | null;
  /** Month and day of birth, `MM-DD`. */
  birthday: string | null;
  created_at_ms: number;
  /** The member that remained after the merge. */
  merged_into: string | null;
}

/** The account of a member: the totals of its ledger. Every transaction that adds entries locks this row. Primary key member_id. */
export interface LoyaltyAccountsTable {
  member_id: string;
  /** The sum of the remaining points in all lots. */
  points: number;
  debt_points: number;
  /** Number and hash of the newest entry. 0 and an empty text: none. */
  entry_number: number;
  entry_hash: string;
  tier: string | null;
  tier_since_ms: number | null;
  /** When the member may move to a lower tier. Null: never. */
  tier_review_at_ms: number | null;
  /** The time of the newest sale or return. Some lots end a certain time after this moment. */
  visited_at_ms: number | null;
  /** 1: a sale was booked, so no later sale is the first purchase. */
  has_bought: Flag;
}

/** Values for finding a member, primary key (account_id, app_id, kind, value): a value belongs to one member. */
export interface LoyaltyAliasesTable {
  app_id: string;
  account_id: string;
  /** `native`, `sync`, `phone` or `card`. */
  kind: string;
  /** A platform id unchanged, any other value as a keyed hash. */
  value: string;
  member_id: string;
}

/** Keyed hashes of words and of their beginnings, for searching members, primary key (account_id, app_id, term, member_id). */
export interface LoyaltyTermsTable {
  app_id: string;
  account_id: string;
  term: string;
  member_id: string;
}

/** Credits of points with their own beginning and end, primary key (member_id, number). */
export interface LoyaltyLotsTable {
  member_id: string;
  /** The number of the entry that made the lot. */
  number: number;
  /** `earned`, `restored`, `granted` or `migrated`. */
  kind: string;
  original: number;
  remaining: number;
  active_from_ms: number;
  /** Null: the points never expire. */
  expires_at_ms: number | null;
}

/** The ledger, primary key (member_id, number), without gaps. Rows never change. */
export interface LoyaltyEntriesTable {
  member_id: string;
  number: number;
  kind: string;
  /** The points added to the account, negative if taken, including the part that became debt. */
  points: number;
  debt_points: number;
  order_id: number | null;
  /** Distinguishes entries of one kind and order: 1, 2, … */
  part: number;
  reverses: number | null;
  at_ms: number;
  actor: string;
  reason: string | null;
  /** JSON of the rules that led to this entry. */
  trace: string | null;
  /** SHA-256 (hex) over the previous entry and this entry. */
  hash: string;
}

/** The points that an entry takes from a lot, negative if given back. Primary key (member_id, entry_number, lot_number). */
export interface LoyaltyAllocationsTable {
  member_id: string;
  entry_number: number;
  lot_number: number;
  points: number;
  /** The order in which the lots were taken: 1, 2, … */
  place: number;
}

/** Sales and returns from the tills, unique by (account_id, app_id, type, document_key), never deleted. */
export interface LoyaltyOrdersTable {
  id: Generated<number>;
  app_id: string;
  account_id: string;
  /** `sale`, `return`, or `import` (a member's spending before it joined the programme). */
  type: string;
  /** The document's id, otherwise a hash of its content. */
  document_key: string;
  content_hash: string;
  store_id: string;
  member_id: string | null;
  moment_ms: number;
  received_at_ms: number;
  /** `booked`, `nothing` (stored without moving points) or `waiting` (a return before its sale). */
  state: string;
  /** The sum paid in money. For a return: the sum paid back. */
  paid_kopecks: number;
  /** For a sale: the points spent and earned. For a return: the spent points given back, and the earned points taken back or forgiven. */
  spent: number;
  earned: number;
  /** For a sale: the points that its returns have given back and taken back so far. */
  given_back: number;
  clawed_back: number;
  /** For a return: the key of its sale, and the sale's row once that row is known. */
  sale_key: string | null;
  sale_id: number | null;
  /** The version of the programme at the booking. */
  programme_version: number;
  anomalies: string | null;
  /** JSON of a waiting return. Null otherwise. */
  content: string | null;
}

/** The lines of an order, primary key (order_id, number). */
export interface LoyaltyOrderLinesTable {
  order_id: number;
  number: number;
  product_id: string;
  quantity_millionths: number;
  /** The money paid for one unit and for the line, and the line's price without discounts and points. */
  unit_kopecks: number;
  paid_kopecks: number;
  gross_kopecks: number;
  /** Weights for dividing the spent and the earned points among the lines. */
  points_kopecks: number;
  earning_kopecks: number;
}

/** Answered quotes, primary key id. Deleted after a day. */
export interface LoyaltyQuotesTable {
  id: string;
  app_id: string;
  account_id: string;
  member_id: string;
  /** SHA-256 (hex) of the request. */
  inputs_hash: string;
  /** The number of the newest entry of the member's ledger when the quote was made. */
  entry_number: number;
  programme_version: number;
  spent: number;
  earned: number;
  /** 1: a verification code was needed to spend the points. */
  needs_code: Flag;
  /** JSON of the rules that applied and those that did not. */
  trace: string;
  made_at_ms: number;
}

/** Why a member is in a tier, primary key (member_id, number). */
export interface LoyaltyTierEventsTable {
  member_id: string;
  number: number;
  from_tier: string | null;
  to_tier: string | null;
  qualifying_kopecks: number;
  at_ms: number;
}

/** Sent verification codes, primary key id. A row is deleted after a day. The code in a row is removed when the code becomes invalid. */
export interface LoyaltyCodesTable {
  id: string;
  app_id: string;
  account_id: string;
  /** `customer` or `spending`. */
  purpose: string;
  /** The member's id, or a keyed hash of a non-member's phone or e-mail address. */
  subject: string;
  /** Keyed hash of the code's destination address. */
  target: string;
  store_id: string;
  code_sealed: string | null;
  /** The pause before the next code. */
  wait_seconds: number;
  sent_at_ms: number;
  expires_at_ms: number;
  /** When a newer code of the same purpose replaced this code, or when this code had expired. */
  ended_at_ms: number | null;
}

/** Gift cards, primary key id, unique by (account_id, app_id, name). */
export interface LoyaltyGiftCardsTable {
  id: string;
  app_id: string;
  account_id: string;
  name: string;
  initial_kopecks: number;
  balance_kopecks: number;
  entry_number: number;
  entry_hash: string;
  issued_at_ms: number;
  expires_at_ms: number | null;
}

/** The ledger of gift cards, primary key (card_id, number). Rows never change. */
export interface LoyaltyGiftEntriesTable {
  card_id: string;
  number: number;
  /** `issue`, `spend` or `return`. */
  kind: string;
  kopecks: number;
  order_id: number | null;
  at_ms: number;
  hash: string;
}

/** Imported rows, primary key (account_id, app_id, row_key). */
export interface LoyaltyImportsTable {
  app_id: string;
  account_id: string;
  /** Keyed hash of the row's key in the file, possibly a phone number. */
  row_key: string;
  member_id: string;
  at_ms: number;
}

/** Merges of two members, primary key id. */
export interface LoyaltyMergesTable {
  id: Generated<number>;
  app_id: string;
  account_id: string;
  kept_id: string;
  gone_id: string;
  at_ms: number;
  undone_at_ms: number | null;
  /** JSON of the aliases and lots that were moved. */
  moved: string;
}

export type MemberRow = Selectable<LoyaltyMembersTable>;
export type AccountRow = Selectable<LoyaltyAccountsTable>;
export type LotRow = Selectable<LoyaltyLotsTable>;
export type EntryRow = Selectable<LoyaltyEntriesTable>;
export type OrderRow = Selectable<LoyaltyOrdersTable>;
export type OrderLineRow = Selectable<LoyaltyOrderLinesTable>;
