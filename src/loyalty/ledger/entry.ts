import { hash } from "node:crypto";
import type { EntryRow, LotRow } from "../../store/loyalty-tables.ts";
import type { Allocation, Lot } from "../points/lots.ts";

export type { EntryRow };

/** The kinds of entries (loyalty-model 3). */
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

/** A lot that an entry makes. Its number is the entry's number. */
export interface NewLot {
  kind: Lot["kind"];
  points: number;
  activeFromMs: number;
  /** Null: the points never expire. */
  expiresAtMs: number | null;
}

interface StoredEntry {
  row: Omit<EntryRow, "hash">;
  /** In the order in which the lots are used. Negative points go back to the lot. */
  allocations: readonly Allocation[];
  lot?: NewLot;
}

/**
 * Returns SHA-256 (hex) over the hash of the previous entry and all values of this entry. A later change, addition or removal of a row
 * breaks at least one stored hash.
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
 * Reads the row of a lot. Reads an unknown kind as `granted`: the kind is only a word for people, and an altered word must not take points
 * or stop a sale. `loyalty verify` reports the row.
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
