import { sql, type UnknownRow } from "kysely";
import type { Store } from "../../../src/store/database.ts";
import type { RowChange } from "./watched-store.ts";

/** Safeguards of loyalty that a test switches off, one at a time, to see the simulation find out. */
export const LOYALTY_MUTATIONS = [
  /** A document is stored as often as it comes. */
  "document-key",
  /** Other content under a known document is taken for a repeat. */
  "content-hash",
  /** The writes of an operation are not one transaction. */
  "one-transaction",
  /** A quote is not kept: its sale is counted by the programme in force. */
  "kept-quote",
  /** Only upkeep ends points, and nobody looks at their dates when they are spent. */
  "expiry-at-read",
  /** A sale does not know what its returns have moved. */
  "share-kept",
  /** What came back of a sale is not written down. */
  "returned-lines",
  /** A return that comes before its sale is forgotten. */
  "early-return",
  /** A return takes nothing back of what was earned. */
  "claw-back",
  /** What an account lacks is forgotten, not owed. */
  "debt-remembered",
  /** A member that was merged does not lead to the one that is kept. */
  "merge-leads",
  /** A row of an import is taken over as often as it comes. */
  "import-key",
  /** What is spent from a gift card is not taken off its balance. */
  "card-balance",
  /** Nobody counts how many codes were sent, and when. */
  "code-limits",
  /** Verification does not compare hashes. */
  "hash-check",
] as const;

export type LoyaltyMutation = (typeof LOYALTY_MUTATIONS)[number];

const SAME_DOCUMENT = "account_id = new.account_id and app_id = new.app_id and type = new.type and document_key = new.document_key";

/** Takes back in the same transaction what the code has written or found: the code without that statement. */
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

/** What a process reads of the database. */
export function rowsOf(mutation: LoyaltyMutation | undefined): RowChange | undefined {
  return mutation === "expiry-at-read" ? endless : undefined;
}

/** A lot that never ends. */
function endless(row: UnknownRow): UnknownRow {
  return "remaining" in row && "expires_at_ms" in row ? { ...row, expires_at_ms: null } : row;
}

/** What the programme says of returns, which it should not. */
export function returnsOf(mutation: LoyaltyMutation | undefined): object {
  if (mutation === "claw-back") return { clawBack: false };
  return mutation === "debt-remembered" ? { debt: "forget" } : {};
}

/** What verification tells of what it has found. */
export function seenBy<Found extends { fault: { code: string } }>(mutation: LoyaltyMutation | undefined, findings: readonly Found[]) {
  return mutation === "hash-check" ? findings.filter(({ fault }) => fault.code !== "altered") : findings;
}
