import { hash } from "node:crypto";
import type { EntryRow, LotRow } from "../../store/loyalty-tables.ts";
import type { Allocation, Lot } from "../points/lots.ts";

export type { EntryRow };

/** The kinds of ledger entries (loyalty-model 3). */
const ENTRY_KINDS = [
  "EARN",
  "SPEND",
  "EARN_REVERSAL",
  "SPEND_REVERSAL",
  "EXPIRE",
  "GRANT",
  "ADJUST_DOWN",
  "MIGRATE",
  "DEBT_REPAY",
  "MERGE_OUT",
  "MERGE_IN",
] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

/** A lot that an entry makes. It gets the entry's number. */
export interface NewLot {
  kind: Lot["kind"];
  points: number;
  activeFromMs: number;
  /** Null: never. */
  expiresAtMs: number | null;
}

/** An entry as it is stored, with its effect on lots. */
interface StoredEntry {
  row: Omit<EntryRow, "hash">;
  /** In the order in which the lots were taken; negative points go back to the lot. */
  allocations: readonly Allocation[];
  lot?: NewLot;
}

/**
 * Returns the hash of an entry: SHA-256 (hex) over the hash of the entry before it and all values of this entry. When a row is changed,
 * added or removed later, all later hashes are wrong.
 */
export function hashOfEntry(previousHash: string, { row, allocations, lot }: StoredEntry): string {
  const said = [
    row.member_id,
    row.number,
    row.kind,
    row.points,
    row.debt_points,
    row.order_id,
    row.part,
    row.reverses,
    row.at_ms,
    row.actor,
    row.reason,
    row.trace,
    allocations.map(({ lotNumber, points }) => [lotNumber, points]),
    lot === undefined ? null : [lot.kind, lot.points, lot.activeFromMs, lot.expiresAtMs],
  ];
  return hash("sha256", `${previousHash}\n${JSON.stringify(said)}`);
}

/**
 * Reads the row of a lot. An unknown kind is read as `granted`: the kind is only a word for people, and an altered word must neither take a
 * member's points nor stop a sale. `loyalty verify` names the row.
 */
export function lotOf(row: LotRow): Lot {
  return {
    number: row.number,
    kind: LOT_KINDS.find((kind) => kind === row.kind) ?? "granted",
    original: row.original,
    remaining: row.remaining,
    activeFromMs: row.active_from_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

const LOT_KINDS: readonly Lot["kind"][] = ["earned", "restored", "granted", "migrated"];
