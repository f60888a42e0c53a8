import { isDeepStrictEqual } from "node:util";
import type { Entry, Twin } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { present } from "../../kernel/present.ts";
import type { CorrectionStep } from "../../model/correction.ts";
import type { CorrectionBasis } from "../../model/document.ts";
import { correctionId, correctionKey, holdingCorrections, isCorrectable, twinsOf, undoingOf } from "../../operations/corrections.ts";
import type { PlannedCorrection } from "./correction-steps.ts";

/**
 * How far a planned correction has come in the journal. `due`: never begun, or refused. `open`: begun, but neither registered nor refused
 * yet. `done`: registered. So a later run can continue where an interrupted run has ended.
 */
export interface StandingCorrection extends PlannedCorrection {
  standing: "due" | "open" | "done";
  /** Absent if never begun. */
  entry?: Entry;
}

type Standing = { kind: "standing"; corrections: StandingCorrection[] } | { kind: "refused"; because: StandingObstacle };

/** Why the plan contradicts an earlier registration. */
export type StandingObstacle =
  /** The same document is or may be registered under another id type, by its own operation or by a correction. */
  | { code: "twin-registered"; twin: Twin }
  /** `correction` corrects an earlier outcome of the entry. A person has settled the entry again since. */
  | { code: "settled-anew"; correction: Entry }
  /** `entry` is the correction of this step, begun or registered with other data. */
  | { code: "made-with-other-data"; step: CorrectionStep; entry: Entry }
  /** `entry` is the begun or registered correction of this step. The correction `undoing` has undone it or may undo it. */
  | { code: "undone-again"; step: CorrectionStep; entry: Entry; undoing: Entry };

/** Reads from the journal how far each planned correction has come. Refused: the plan contradicts an earlier registration. */
export async function standingOf(journal: Journal, corrected: Entry, planned: readonly PlannedCorrection[]): Promise<Standing> {
  if (corrected.state === "refused") {
    const [twin] = await twinsOf(journal, corrected);
    if (twin !== undefined) return refused({ code: "twin-registered", twin });
  }
  const orphaned = await orphanedCorrection(journal, corrected, planned);
  if (orphaned !== undefined) return refused({ code: "settled-anew", correction: orphaned });
  const corrections: StandingCorrection[] = [];
  for (const correction of planned) {
    const entry = await journal.find(correction.key);
    const obstacle = entry === undefined ? undefined : await contradiction(journal, correction, entry);
    if (obstacle !== undefined) return refused(obstacle);
    corrections.push({ ...correction, standing: standingIn(entry), ...present({ entry }) });
  }
  return { kind: "standing", corrections };
}

/** Whether all corrections are registered. */
export function allStand(corrections: readonly StandingCorrection[]): boolean {
  return corrections.every(({ standing }) => standing === "done");
}

/**
 * Returns a valid or unfinished correction of an earlier outcome of the entry, which the plan lacks. When a person settles an entry again,
 * its fiscal sign may change or disappear, and with it the ids of the planned corrections. The plan would then correct the same settlement
 * a second time. Undefined: there is no such correction, or no outcome was taken back.
 */
async function orphanedCorrection(journal: Journal, { id, key }: Entry, planned: readonly PlannedCorrection[]): Promise<Entry | undefined> {
  const takenBack = (await journal.moves(id)).some(({ from, to }) => (from === "done" || from === "refused") && to === "in-doubt");
  if (!takenBack) return undefined;
  const holding = await holdingCorrections(journal, key);
  return holding.find(({ key: { documentId } }) => !planned.some((own) => own.key.documentId === documentId));
}

/**
 * Returns the basis of the correction that undoes the entry's receipt, if an earlier run has begun this correction, and the correction was
 * not refused. `fiscalSign`: tag 1077 of the receipt to undo. Undefined: the sign in the entry's facts.
 */
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

/**
 * Returns the obstacle if the correction of a step was begun with other data, or if another correction undoes this correction. Only a
 * refused correction may be attempted again with other data.
 */
async function contradiction(journal: Journal, { operation }: PlannedCorrection, entry: Entry): Promise<StandingObstacle | undefined> {
  if (entry.state === "refused") return undefined;
  const { step, settlement } = operation;
  const same = entry.operation.kind === "correction" && isDeepStrictEqual(entry.operation.settlement, settlement);
  if (!same) return { code: "made-with-other-data", step, entry };
  const undoing = await undoingOf(journal, entry);
  return undoing === undefined ? undefined : { code: "undone-again", step, entry, undoing };
}

function refused(because: StandingObstacle): Standing {
  return { kind: "refused", because };
}
