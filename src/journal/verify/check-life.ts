import type { EntryRow, MoveRow } from "../../store/tables.ts";
import { type EntryState, inOrderOfLife, isEntryState, mayMove, mayTakeBack } from "../states.ts";
import { compared, type Finding, type FoundPlace } from "./finding.ts";

type KnownMove = MoveRow & { from_state: EntryState | null; to_state: EntryState };

/**
 * Checks that an entry's moves form a path that states.ts allows, and that they end in the entry's state. Moves with unknown states are
 * left out: `checkEntry` reports them.
 */
export function checkLife(entry: EntryRow, rows: readonly MoveRow[]): Finding[] {
  const moves = inOrder(rows.flatMap(known));
  const [first, last] = [moves[0], moves.at(-1)];
  if (first === undefined || last === undefined)
    return [{ table: "moves", row: `${entry.id}`, entryId: entry.id, fault: { code: "missing" } }];
  const place = { table: "entries", row: `${entry.id}`, entryId: entry.id } as const;
  return [
    ...moves.flatMap((move, at) => checkMove(move, moves.slice(0, at))),
    ...compared(place, "state", entry.state, last.to_state),
    ...compared(place, "attempt", entry.attempt, last.attempt),
    ...compared(place, "moved_at_ms", entry.moved_at_ms, last.at_ms),
    ...compared(place, "accepted_at_ms", entry.accepted_at_ms, first.at_ms),
  ];
}

/** Returns the moves in the order of the entry's life. */
export function inOrder<Row extends Pick<MoveRow, "attempt"> & { to_state: EntryState }>(rows: readonly Row[]): Row[] {
  return inOrderOfLife(rows.map((row) => ({ row, attempt: row.attempt, to: row.to_state }))).map(({ row }) => row);
}

export function known(row: MoveRow): KnownMove[] {
  const { from_state, to_state } = row;
  if (!isEntryState(to_state) || (from_state !== null && !isEntryState(from_state))) return [];
  return [{ ...row, from_state, to_state }];
}

function checkMove(move: KnownMove, earlier: readonly KnownMove[]): Finding[] {
  const place = placeOf(move);
  const before = earlier.at(-1);
  if (before === undefined) {
    const begins = move.to_state === "queued" || move.to_state === "sending";
    return [
      ...compared(place, "from_state", move.from_state, null),
      ...compared(place, "attempt", move.attempt, 1),
      ...(begins ? [] : [illegal(place, null, move.to_state)]),
    ];
  }
  const from = before.to_state;
  const isBack = isTakenBack(move, from, earlier);
  const isAgain = from === "refused" && (move.to_state === "queued" || move.to_state === "sending");
  return [
    ...compared(place, "from_state", move.from_state, from),
    ...compared(place, "attempt", move.attempt, before.attempt + (isBack || isAgain ? 1 : 0)),
    ...(isBack || mayMove(from, move.to_state) ? [] : [illegal(place, from, move.to_state)]),
    // Moves from before the column `number` have the number 0, so they are not compared.
    ...(move.number > before.number || move.number === 0 ? [] : [notAfter(place, move.number, before.number)]),
  ];
}

/** Whether a person took back the entry's end in this move, and was allowed to. */
function isTakenBack(move: KnownMove, from: EntryState, earlier: readonly KnownMove[]): boolean {
  if (move.to_state !== "in-doubt" || move.by !== "person") return false;
  const sources = earlier.map(({ attempt, from_state, to_state, by }) => {
    return { attempt, to: to_state, by, ...(from_state === null ? {} : { from: from_state }) };
  });
  return mayTakeBack(from, sources);
}

export function placeOf({ entry_id: entryId, attempt, to_state }: MoveRow): FoundPlace {
  return { table: "moves", row: `${entryId}/${attempt}/${to_state}`, entryId };
}

function illegal(place: FoundPlace, from: string | null, to: string): Finding {
  return { ...place, fault: { code: "illegal-move", from, to } };
}

function notAfter(place: FoundPlace, number: number, before: number): Finding {
  return { ...place, fault: { code: "not-after", number, before } };
}
