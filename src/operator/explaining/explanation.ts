import type { Entry, Move, Twin } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { mayTakeBack } from "../../journal/states.ts";
import { present } from "../../kernel/present.ts";
import { twinsOf } from "../../operations/corrections.ts";
import {
  type AfterPerson,
  afterPerson,
  type DueWhenDoubled,
  type DueWhenMissing,
  type DueWhenWrong,
  dueWhenDoubled,
  dueWhenMissing,
  dueWhenWrong,
} from "../due.ts";
import { knownIdentity } from "../settling/known-identity.ts";
import { type PlaceInDrive, placeInDrive } from "../settling/replaced-drive.ts";
import { registerSaid } from "../settling/settle-by-hand.ts";
import { type CashierAdvice, cashierAdvice } from "./cashier-advice.ts";
import { type Comparison, comparisonOf } from "./comparison.ts";
import { type Correction, type CorrectionStory, type Repairable, repairableOf, standingStep, storyOf } from "./correction-story.ts";
import { type Waiting, waitingOf } from "./waiting.ts";

/** The facts about an entry besides its row, and who has to act. */
export interface Explanation {
  moves: readonly Move[];
  story: CorrectionStory;
  /** Absent after the entry's end. */
  waiting?: Waiting;
  next: Next;
  /** The entry of a document that the drive lacks. Present when the missing document caused the refusal and the journal has the entry. */
  overtaken?: Overtaken;
  /** Present when a person settled the entry and may settle it again. `register`: the register's answer to the person's statement. */
  settledByHand?: { register: "confirmed" | "unconfirmed" | "unknown" };
  cashier: CashierAdvice;
}

/** A person's next action for the entry. */
export type Next =
  /** Nothing yet: the entry has not ended, and there is no doubt. */
  | { kind: "wait" }
  | HowToSettle
  /** The entry was refused, but a correction has registered it since, or may have. */
  | { kind: "registered-since"; correction: Correction }
  /**
   * The entry is refused, but its document was read in a drive. A repeat finds the document while this drive is in the register. After that
   * only a person can find the document, on paper or at the data operator.
   */
  | ({ kind: "stands-in-drive" } & PlaceInDrive)
  | { kind: "after-refusal"; remedy: Remedy; afterPerson?: AfterPerson }
  | { kind: "after-success"; repairable?: Repairable; afterPerson?: AfterPerson };

/** What to compare, and the necessary action for each result. An absent member does not apply. */
export interface HowToSettle {
  kind: "settle";
  comparison?: Comparison;
  whenMissing: DueWhenMissing;
  whenDoubled?: DueWhenDoubled;
  whenWrong?: DueWhenWrong;
}

/** How to register a refused document after removing the cause. */
export type Remedy =
  /** The document must not be registered: entry `other` has it under another id type. */
  | { kind: "same-document"; other: Twin }
  /**
   * The document is a correction: correct the corrected document again, in the same way. `entry`: the entry of the corrected document,
   * absent when the journal lacks it.
   */
  | { kind: "correct-again"; documentId: string; entry?: Entry }
  | { kind: "repeat" };

interface Overtaken {
  /** Number of the document that the drive lacks. */
  number: string;
  owner: Entry;
  saidBy: "register" | "person";
}

/** Explains an entry from the journal. Asks no register. */
export async function explanationOf(journal: Journal, entry: Entry, nowMs: number): Promise<Explanation> {
  const moves = await journal.moves(entry.id);
  const story = await storyOf(journal, entry);
  const waiting = waitingOf(entry, nowMs);
  const overtaken = await overtakenBy(journal, entry);
  return {
    moves,
    story,
    next: await nextOf(journal, entry, moves, story),
    ...present({ waiting, overtaken }),
    ...(mayTakeBack(entry.state, moves) ? { settledByHand: { register: registerSaid(moves) ?? "unknown" } } : {}),
    cashier: cashierAdvice(entry, story),
  };
}

async function nextOf(journal: Journal, entry: Entry, moves: readonly Move[], story: CorrectionStory): Promise<Next> {
  switch (entry.state) {
    case "queued":
    case "sending":
      return { kind: "wait" };
    case "in-doubt":
      return howToSettle(entry, comparisonOf(entry, moves, await knownIdentity(journal, entry)));
    case "refused": {
      const correction = standingStep(entry, story, "missed");
      if (correction !== undefined) return { kind: "registered-since", correction };
      const place = await placeInDrive(journal, entry);
      if (place !== undefined) return { kind: "stands-in-drive", ...place };
      const remedy = remedyOf(entry, story, await twinsOf(journal, entry));
      return { kind: "after-refusal", remedy, ...present({ afterPerson: afterPerson(entry, moves) }) };
    }
    case "done":
      return { kind: "after-success", ...present({ repairable: repairableOf(entry, story), afterPerson: afterPerson(entry, moves) }) };
  }
}

function howToSettle(entry: Entry, comparison: Comparison | undefined): HowToSettle {
  const due = present({ whenDoubled: dueWhenDoubled(entry), whenWrong: dueWhenWrong(entry) });
  return { kind: "settle", ...present({ comparison }), whenMissing: dueWhenMissing(entry), ...due };
}

function remedyOf({ id, operation }: Entry, { corrected }: CorrectionStory, [other]: readonly Twin[]): Remedy {
  if (other !== undefined && other.id !== id) return { kind: "same-document", other };
  if (operation.kind !== "correction") return { kind: "repeat" };
  return { kind: "correct-again", documentId: operation.of.document.id, ...present({ entry: corrected }) };
}

/**
 * Returns the entry of a document that the drive lacks, and who gave the document's number. If a person typed a wrong number, the drive has
 * lost nothing.
 */
async function overtakenBy(journal: Journal, { refusal }: Entry): Promise<Overtaken | undefined> {
  const { known: number, entry } = refusal?.details ?? {};
  if (refusal?.code !== "register-went-back" || number === undefined || entry === undefined) return undefined;
  const owner = await journal.get(Number(entry));
  if (owner === undefined) return undefined;
  const moves = await journal.moves(owner.id);
  const decidedByPerson = mayTakeBack(owner.state, moves) && registerSaid(moves) !== "confirmed";
  return { number, owner, saidBy: decidedByPerson ? "person" : "register" };
}
