/**
 * The life of an operation:
 *
 * - `queued`: accepted. It waits for its register, and nothing has been sent. It may be refused.
 * - `sending`: its turn has begun. The checkpoint is committed, and bytes may have left. If the process dies, the state stays, and the
 * next start treats it as `in-doubt`.
 * - `in-doubt`: the outcome is unknown. The register or a person ends the doubt.
 * - `done`: registered. Final, with the exception below.
 * - `refused`: nothing was registered. A repeat makes it `queued` or `sending` again, as a new attempt, possibly with other content.
 *
 * A person may be wrong. If only a person stated how a sent operation ended, a person may replace that statement. The entry goes back to
 * `in-doubt` and then to the new end, in two moves of one new attempt and one commit. An end stated by the register is never replaced.
 */
export type EntryState = "queued" | "sending" | "done" | "refused" | "in-doubt";

const MOVES: Record<EntryState, readonly EntryState[]> = {
  queued: ["sending", "refused"],
  sending: ["done", "refused", "in-doubt"],
  "in-doubt": ["done", "refused"],
  refused: ["queued", "sending"],
  done: [],
};

export function mayMove(from: EntryState, to: EntryState): boolean {
  return MOVES[from].includes(to);
}

/** For each end: the state into which the entry goes when a person's statement about the end is taken back. */
const TAKEN_BACK: Partial<Record<EntryState, "in-doubt">> = { done: "in-doubt", refused: "in-doubt" };

/** Whether the entry's end may be taken back: a person decided it, and the document had been sent. */
export function mayTakeBack(from: EntryState, moves: readonly MoveSource[]): boolean {
  return TAKEN_BACK[from] !== undefined && endOfSentAttempt(moves)?.by === "person";
}

/** The parts of a move that show who decided. */
interface MoveSource {
  attempt: number;
  from?: EntryState;
  to: EntryState;
  by: string;
}

/** Returns the move that ended the newest sent attempt. A refused attempt that only waited does not count. */
function endOfSentAttempt(moves: readonly MoveSource[]): MoveSource | undefined {
  return inOrderOfLife(moves).findLast(
    ({ from, to }) => (from === "sending" || from === "in-doubt") && (to === "done" || to === "refused"),
  );
}

export const UNFINISHED: readonly EntryState[] = ["queued", "sending", "in-doubt"];

/** The states in the order of one attempt's life. An attempt reaches each state at most once. */
export const ENTRY_STATES: readonly EntryState[] = ["queued", "sending", "in-doubt", "refused", "done"];

export function isEntryState(text: string): text is EntryState {
  return ENTRY_STATES.some((state) => state === text);
}

/** Sorts the moves by attempt, then by state, because the clock may have been set back between moves. */
export function inOrderOfLife<M extends { attempt: number; to: EntryState }>(moves: readonly M[]): M[] {
  return moves.toSorted((a, b) => a.attempt - b.attempt || ENTRY_STATES.indexOf(a.to) - ENTRY_STATES.indexOf(b.to));
}
