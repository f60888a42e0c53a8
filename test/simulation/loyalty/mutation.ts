import { sql, type UnknownRow } from "kysely";
import type { Store } from "../../../src/store/database.ts";
import type { RowChange } from "./watched-store.ts";

/** Safeguards of loyalty that a test switches off, one at a time, to see whether the simulation notices. */
export const LOYALTY_MUTATIONS = [
  /** A repeated document is stored again. */
  "document-key",
  /** A known document with other content counts as a repeat. */
  "content-hash",
  /** The writes of an operation are not one transaction. */
  "one-transaction",
  /** Quotes are not kept, so a sale is counted by the programme in force. */
  "kept-quote",
  /** Points end only by the upkeep: spending does not compare their dates. */
  "expiry-at-read",
  /** A sale does not keep which points its returns have moved. */
  "share-kept",
  /** The returned goods of a sale are not stored. */
  "returned-lines",
  /** A return that comes before its sale is forgotten. */
  "early-return",
  /** A return takes back no earned points. */
  "claw-back",
  /** Missing points are forgotten instead of becoming a debt. */
  "debt-remembered",
  /** A merged member does not lead to the member that was kept. */
  "merge-leads",
  /** A repeated row of an import is imported again. */
  "import-key",
  /** Money spent from a gift card is not subtracted from its balance. */
  "card-balance",
  /** Sent codes are not counted. */
  "code-limits",
  /** Verification does not compare hashes. */
  "hash-check",
] as const;

export type LoyaltyMutation = (typeof LOYALTY_MUTATIONS)[number];

const SAME_DOCUMENT = "account_id = new.account_id and app_id = new.app_id and type = new.type and document_key = new.document_key";

/** Triggers that take back in the same transaction what the code has written, as if the code lacked the statement. */
const TRIGGERS: Partial<Record<LoyaltyMutation, string>> = {
  "document-key": `before insert on loyalty_orders
    begin update loyalty_orders set document_key = document_key || ' ' || id where ${SAME_DOCUMENT}; end`,
  "content-hash": `before insert on loyalty_orders
    begin update loyalty_orders set content_hash = new.content_hash where ${SAME_DOCUMENT}; end`,
  "share-kept": `after update of given_back, clawed_back on loyalty_orders
    when new.given_back <> old.given_back or new.clawed_back <> old.clawed_back
    begin update loyalty_orders set given_back = old.given_back, clawed_back = old.clawed_back where id = new.id; end`,
  "returned-lines": `before insert on loyalty_order_lines
    when (select type from loyalty_orders where id = new.order_id) = 'return' begin select raise(ignore); end`,
  "early-return": `after update of state on loyalty_orders when new.state = 'waiting'
    begin update loyalty_orders set state = 'nothing', content = null where id = new.id; end`,
  "merge-leads": `after update of merged_into on loyalty_members when new.merged_into is not null
    begin update loyalty_members set merged_into = null, status = 'active' where id = new.id; end`,
  "import-key": "before insert on loyalty_imports begin delete from loyalty_imports where row_key = new.row_key; end",
  "card-balance": `after update of balance_kopecks on loyalty_gift_cards when new.balance_kopecks < old.balance_kopecks
    begin update loyalty_gift_cards set balance_kopecks = old.balance_kopecks where id = new.id; end`,
  "code-limits": "before insert on loyalty_codes begin delete from loyalty_codes; end",
};

const TRIGGER = "mutation";

export async function switchOff(store: Store, mutation: LoyaltyMutation | undefined): Promise<void> {
  if (store.kind !== "sqlite") return;
  await sql.raw(`drop trigger if exists ${TRIGGER}`).execute(store.db);
  const trigger = mutation === undefined ? undefined : TRIGGERS[mutation];
  if (trigger !== undefined) await sql.raw(`create trigger ${TRIGGER} ${trigger}`).execute(store.db);
}

/** Changes the rows that a process reads from the database. */
export function rowsOf(mutation: LoyaltyMutation | undefined): RowChange | undefined {
  return mutation === "expiry-at-read" ? endless : undefined;
}

/** A lot that never ends. */
function endless(row: UnknownRow): UnknownRow {
  return "remaining" in row && "expires_at_ms" in row ? { ...row, expires_at_ms: null } : row;
}

/** Changes a programme's rules of returns. */
export function returnsOf(mutation: LoyaltyMutation | undefined): object {
  if (mutation === "claw-back") return { clawBack: false };
  return mutation === "debt-remembered" ? { debt: "forget" } : {};
}

/** Leaves out findings of verification. */
export function seenBy<Found extends { fault: { code: string } }>(mutation: LoyaltyMutation | undefined, findings: readonly Found[]) {
  return mutation === "hash-check" ? findings.filter(({ fault }) => fault.code !== "altered") : findings;
}
