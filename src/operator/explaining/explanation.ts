import type { Entry, Move } from "../../journal/entry.ts";
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
import { registerSaid } from "../settling/settle-by-hand.ts";
import { type CashierAdvice, cashierAdvice } from "./cashier-advice.ts";
import { type Comparison, comparisonOf } from "./comparison.ts";
import { type Correction, type CorrectionStory, type Repairable, repairableOf, standingStep, storyOf } from "./correction-story.ts";
import { type Waiting, waitingOf } from "./waiting.ts";

/** What is known about an entry beside what stands in it, and who has to do what. */
export interface Explanation {
  moves: readonly Move[];
  story: CorrectionStory;
  /** Absent once it has ended. */
  waiting?: Waiting;
  next: Next;
  /** Whose number the drive is behind, where that is why it was refused and the journal knows it. */
  overtaken?: Overtaken;
  /** A person has settled it, and may take that back; `register`: what it had said to that. */
  settledByHand?: { register: "confirmed" | "unconfirmed" | "unknown" };
  cashier: CashierAdvice;
}

/** What a person does about the entry now. */
export type Next =
  /** Nothing yet: it has not ended, and nothing is in doubt. */
  | { kind: "wait" }
  | HowToSettle
  /** It was refused, and a correction has registered it since, or may have. */
  | { kind: "registered-since"; correction: Correction }
  | { kind: "after-refusal"; remedy: Remedy; afterPerson?: AfterPerson }
  | { kind: "after-success"; repairable?: Repairable; afterPerson?: AfterPerson };

/** What to compare, and what is due by what is found; absent where that cannot be. */
export interface HowToSettle {
  kind: "settle";
  comparison?: Comparison;
  whenMissing: DueWhenMissing;
  whenDoubled?: DueWhenDoubled;
  whenWrong?: DueWhenWrong;
}

/** How a document that was refused comes to be registered, once the cause is removed. */
export type Remedy =
  /** Not at all: it came under the other id type as well. */
  | { kind: "see-twin"; twin: Entry }
  /** A correction: what it corrects is corrected again, as it was said before. `entry`: absent where the journal has it no more. */
  | { kind: "correct-again"; documentId: string; entry?: Entry }
  | { kind: "repeat" };

interface Overtaken {
  /** Of the document that the drive does not have. */
  number: string;
  owner: Entry;
  saidBy: "register" | "person";
}

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

function remedyOf({ id, operation }: Entry, { corrected }: CorrectionStory, [twin]: readonly Entry[]): Remedy {
  if (twin !== undefined && twin.id !== id) return { kind: "see-twin", twin };
  if (operation.kind !== "correction") return { kind: "repeat" };
  return { kind: "correct-again", documentId: operation.of.document.id, ...present({ entry: corrected }) };
}

/** Where a lane stands behind a number that a person has typed, the lane is well and the number is wrong. */
async function overtakenBy(journal: Journal, { refusal }: Entry): Promise<Overtaken | undefined> {
  const { known: number, entry } = refusal?.details ?? {};
  if (refusal?.code !== "register-went-back" || number === undefined || entry === undefined) return undefined;
  const owner = await journal.get(Number(entry));
  if (owner === undefined) return undefined;
  const moves = await journal.moves(owner.id);
  const isPersons = mayTakeBack(owner.state, moves) && registerSaid(moves) !== "confirmed";
  return { number, owner, saidBy: isPersons ? "person" : "register" };
}
