import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { CorrectionBasis } from "../../model/document.ts";
import { correctionId, correctionKey, holdingCorrections, isCorrectable, twinsOf, undoingOf } from "../../operations/corrections.ts";
import type { PlannedCorrection } from "./correction-plan.ts";

/**
 * How far a planned correction has come, by the journal: `due`, also after a refusal; `open`, where a run died or its
 * outcome is not known; `done` for good. A run that died between two is taken up where it ended.
 */
export interface StandingCorrection extends PlannedCorrection {
  standing: "due" | "open" | "done";
  /** Absent while it was never sent. */
  entry?: Entry;
}

export type Standing = { kind: "standing"; corrections: StandingCorrection[] } | { kind: "impossible"; problem: string };

/** Looks every planned correction up, and says why the plan contradicts what was registered before. */
export async function standingOf(journal: Journal, corrected: Entry, planned: readonly PlannedCorrection[]): Promise<Standing> {
  if (corrected.state === "refused") {
    const [twin] = await twinsOf(journal, corrected);
    if (twin !== undefined) {
      return impossible(
        `The same document is entry ${twin.id} (${twin.state}) under the other id type: it must not be registered beside that`,
      );
    }
  }
  const astray = await correctionAstray(journal, corrected, planned);
  if (astray !== undefined) {
    return impossible(
      `Entry ${corrected.id} was settled anew after entry ${astray.id} had corrected what it was before: undo that first, by journal correct ${astray.id}`,
    );
  }
  const corrections: StandingCorrection[] = [];
  for (const correction of planned) {
    const entry = await journal.find(correction.key);
    const problem = entry === undefined ? undefined : await contradiction(journal, correction, entry);
    if (problem !== undefined) return impossible(problem);
    corrections.push({ ...correction, standing: standingIn(entry), ...(entry === undefined ? {} : { entry }) });
  }
  return { kind: "standing", corrections };
}

/**
 * A person who settles an entry anew gives it another sign, or none: what was corrected before by the first one has
 * no receipt any more, and a correction beside it would be the second of one receipt.
 */
async function correctionAstray(journal: Journal, { id, key }: Entry, planned: readonly PlannedCorrection[]): Promise<Entry | undefined> {
  const takenBack = (await journal.moves(id)).some(({ from, to }) => (from === "done" || from === "refused") && to === "in-doubt");
  if (!takenBack) return undefined;
  const holding = await holdingCorrections(journal, key);
  return holding.find(({ key: { documentId } }) => !planned.some((own) => own.key.documentId === documentId));
}

/** The basis of the undoing that a run before this one registered or began. */
export async function basisKnown(
  journal: Journal,
  { key, facts }: Entry,
  fiscalSign: string | undefined,
): Promise<CorrectionBasis | undefined> {
  if (!isCorrectable(key.operation) || facts?.kind !== "fiscal") return undefined;
  const of = { operation: key.operation, documentId: key.documentId, fiscalSign: fiscalSign ?? facts.fiscalSign };
  const entry = await journal.find(correctionKey(key, correctionId(of, "undo")));
  return entry === undefined || entry.state === "refused" || entry.document.kind !== "correction" ? undefined : entry.document.basis;
}

function standingIn(entry: Entry | undefined): StandingCorrection["standing"] {
  if (entry === undefined || entry.state === "refused") return "due";
  return entry.state === "done" ? "done" : "open";
}

/** What was refused may be attempted anew with other data; what was registered, or may have been, may not. */
async function contradiction(journal: Journal, { operation }: PlannedCorrection, entry: Entry): Promise<string | undefined> {
  if (entry.state === "refused") return undefined;
  const { step, settlement } = operation;
  const same = entry.operation.kind === "correction" && isDeepStrictEqual(entry.operation.settlement, settlement);
  if (!same) {
    const what = entry.state === "done" ? "was registered" : "was begun";
    return `${step}: this correction ${what} already with other data. See \`journal explain ${entry.id}\`. Correct that entry if it is wrong.`;
  }
  const undoing = await undoingOf(journal, entry);
  return undoing === undefined
    ? undefined
    : `${step}: entry ${entry.id} registered this, and entry ${undoing.id} undoes that again. See \`journal explain ${undoing.id}\` and correct the last one of them.`;
}

function impossible(problem: string): Standing {
  return { kind: "impossible", problem };
}
