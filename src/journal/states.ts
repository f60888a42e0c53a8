/**
 * The life of an operation.
 *
 * An accepted operation is `queued`: it waits for its register and nothing has been sent. Its turn makes
 * it `sending`: the checkpoint is committed and from now on bytes may have left. The register's outcome
 * makes it `done`, `refused` or `in-doubt`. A process that dies while `sending` leaves it so; the next
 * start treats it as `in-doubt`. Doubt ends as `done` or `refused`, settled by the register or a person.
 * `done` is for ever. `refused` means that nothing was registered: a repeat makes it `queued` again,
 * as a new attempt, also with other content.
 *
 * A person may be wrong. What a person has said of something that was sent, and nobody else, can be taken back:
 * the entry is `in-doubt` again and at once what is said now, both as moves of one round more. What the register
 * said of itself is never taken back.
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

/** The move that takes a word back: out of an end, into the doubt that it had ended. */
const TAKEN_BACK: Partial<Record<EntryState, "in-doubt">> = { done: "in-doubt", refused: "in-doubt" };

/** Whether what is said of the entry may be taken back: a person has said it, of something that was sent. */
export function mayTakeBack(from: EntryState, moves: readonly Told[]): boolean {
  return TAKEN_BACK[from] !== undefined && lastWord(moves)?.by === "person";
}

/** A move, as far as it tells who found out. */
interface Told {
  attempt: number;
  from?: EntryState;
  to: EntryState;
  by: string;
}

/** What ended the newest attempt that was sent. One that waited and was refused says nothing of those before it. */
function lastWord(moves: readonly Told[]): Told | undefined {
  return inOrderOfLife(moves).findLast(
    ({ from, to }) => (from === "sending" || from === "in-doubt") && (to === "done" || to === "refused"),
  );
}

/** States in which an operation is neither done nor refused. */
export const UNFINISHED: readonly EntryState[] = ["queued", "sending", "in-doubt"];

/** In the order of the life of one attempt, which passes through each at most once. */
export const ENTRY_STATES: readonly EntryState[] = ["queued", "sending", "in-doubt", "refused", "done"];

export function isEntryState(text: string): text is EntryState {
  return ENTRY_STATES.some((state) => state === text);
}

/** By attempt, then in the order in which an attempt passes through its states: the clock may have been set back in between. */
export function inOrderOfLife<M extends { attempt: number; to: EntryState }>(moves: readonly M[]): M[] {
  return moves.toSorted((a, b) => a.attempt - b.attempt || ENTRY_STATES.indexOf(a.to) - ENTRY_STATES.indexOf(b.to));
}
