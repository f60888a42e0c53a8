/**
 * The life of an operation.
 *
 * An accepted operation is `queued`: it waits for its register and nothing has been sent. Its turn makes
 * it `sending`: the checkpoint is committed and from now on bytes may have left. The register's outcome
 * makes it `done`, `refused` or `in-doubt`. A process that dies while `sending` leaves it so; the next
 * start treats it as `in-doubt`. Doubt ends as `done` or `refused`, settled by the register or a person.
 * `done` is for ever. `refused` means that nothing was registered: a repeat makes it `queued` again,
 * as a new attempt, also with other content.
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
