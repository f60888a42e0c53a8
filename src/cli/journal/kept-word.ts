import type { Move } from "../../journal/entry.ts";

/*
 * How much a person's word is worth later on: whether the register had confirmed it stands in the note of the move, before
 * what the person said.
 */

const CONFIRMED = "confirmed by the register";
const UNCONFIRMED = "not confirmed by the register";

/** What the journal keeps of a settlement. */
export function keptWord(confirmed: boolean, why: string | undefined): string {
  const said = why?.trim() ?? "";
  return `${confirmed ? CONFIRMED : UNCONFIRMED}${said === "" ? "" : `; ${said}`}`;
}

/** What the register had said to the newest word of a person: undefined where that was not kept. */
export function registerSaid(moves: readonly Move[]): "confirmed" | "nothing" | undefined {
  const note = moves.findLast(({ by, to }) => by === "person" && to !== "in-doubt")?.note;
  if (note?.startsWith(CONFIRMED) === true) return "confirmed";
  return note?.startsWith(UNCONFIRMED) === true ? "nothing" : undefined;
}
