import type { Entry, EntryContent, EntryKey } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { CorrectionStep } from "../model/correction.ts";
import type { CorrectableKind, CorrectionOperation } from "../model/operation.ts";
import type { Refusal } from "../model/refusal.ts";
import { uncorrectable } from "../model/uncorrectable.ts";

/** The operation that a correction corrects, and its receipt. `fiscalSign` (tag 1077) is absent when the operation has no receipt. */
interface Corrected {
  operation: CorrectableKind;
  documentId: string;
  fiscalSign?: string;
}

/**
 * The document id of a correction. It consists of the corrected operation, its receipt and the step, so the same
 * correction is never registered twice, however often it is requested.
 */
export function correctionId({ operation, documentId, fiscalSign }: Corrected, step: CorrectionStep): string {
  return [operation, documentId, ...(fiscalSign === undefined ? [] : [fiscalSign]), step].join(":");
}

/** The key of a correction, derived from the key of the corrected operation. */
export function correctionKey(of: EntryKey, document: string): EntryKey {
  return { appId: of.appId, accountId: of.accountId, operation: "correction", documentId: document };
}

/** All corrections that were ever requested for the operation and any of its receipts, oldest first. */
export async function correctionsOf(journal: Journal, key: EntryKey): Promise<Entry[]> {
  if (!isCorrectable(key.operation)) return [];
  const found = await journal.entriesUnder({ ...key, operation: "correction" }, `${key.operation}:${key.documentId}:`);
  return found.filter(({ operation }) => operation.kind === "correction" && operation.of.document.id === key.documentId);
}

/** The correction that undoes this entry's receipt: registered, or not refused yet. Undefined when there is none. */
export async function undoingOf(journal: Journal, { key, facts }: Entry): Promise<Entry | undefined> {
  if (!isCorrectable(key.operation) || facts?.kind !== "fiscal") return undefined;
  const id = correctionId({ operation: key.operation, documentId: key.documentId, fiscalSign: facts.fiscalSign }, "undo");
  return unlessRefused(await journal.find(correctionKey(key, id)));
}

/**
 * Corrections of the operation that are in force or may become so: they are not refused, and no correction undoes them.
 */
export async function holdingCorrections(journal: Journal, key: EntryKey): Promise<Entry[]> {
  const holding: Entry[] = [];
  for (const entry of await correctionsOf(journal, key)) {
    if (entry.state !== "refused" && (await undoingOf(journal, entry)) === undefined) holding.push(entry);
  }
  return holding;
}

/**
 * The refusal for a repeat of a refused operation that a correction has registered meanwhile, or may have. Undefined
 * when there is no such correction.
 */
export async function correctionOf(journal: Journal, key: EntryKey): Promise<Refusal | undefined> {
  const entry = await missedOf(journal, key);
  if (entry === undefined) return undefined;
  return { code: "already-corrected", details: entry.facts?.kind === "fiscal" ? { number: String(entry.facts.documentNumber) } : {} };
}

/** The correction that registers a refused operation: registered, or not refused yet. */
async function missedOf(journal: Journal, key: EntryKey): Promise<Entry | undefined> {
  if (!isCorrectable(key.operation)) return undefined;
  return unlessRefused(
    await journal.find(correctionKey(key, correctionId({ operation: key.operation, documentId: key.documentId }, "missed"))),
  );
}

/** Returns why a correction can no longer be made. Undefined when it can be made, and for every other operation. */
export async function correctionProblem(journal: Journal, { key, operation }: EntryContent): Promise<Refusal | undefined> {
  if (operation.kind !== "correction") return undefined;
  const { of, step } = operation;
  const corrected = await journal.find({ ...key, operation: of.operation, documentId: of.document.id });
  if (step === "missed") {
    if (of.operation === "correction") return uncorrectable("is-correction");
    if (corrected?.state !== "refused") return uncorrectable("not-refused");
    if ((await twinsOf(journal, corrected)).length > 0) return uncorrectable("twin-registered");
    const others = (await holdingCorrections(journal, corrected.key)).filter(({ key: { documentId } }) => documentId !== key.documentId);
    return others.length === 0 ? undefined : uncorrectable("corrected-already");
  }
  if (corrected?.state !== "done") return uncorrectable("not-registered");
  return step === "redo" ? redoProblem(journal, key, operation) : undefined;
}

/** Entries of the same document under the other id type that were registered or may have been. */
export async function twinsOf(journal: Journal, { key, twinHash, idType }: Entry): Promise<Entry[]> {
  const found = await journal.twins(key.appId, key.accountId, key.operation, twinHash);
  return found.filter((other) => other.idType !== idType && other.state !== "refused");
}

/** The right receipt may be registered only after the wrong receipt was undone. Otherwise the drive holds the settlement twice. */
async function redoProblem(journal: Journal, key: EntryKey, { of, settlement }: CorrectionOperation): Promise<Refusal | undefined> {
  const { originalSign } = settlement;
  const corrected = { operation: of.operation, documentId: of.document.id };
  const id = correctionId(originalSign === undefined ? corrected : { ...corrected, fiscalSign: originalSign }, "undo");
  const undo = await journal.find(correctionKey(key, id));
  if (undo?.state !== "done") return uncorrectable("wrong-not-undone");
  return (await undoingOf(journal, undo)) === undefined ? undefined : uncorrectable("undoing-undone");
}

function unlessRefused(entry: Entry | undefined): Entry | undefined {
  return entry === undefined || entry.state === "refused" ? undefined : entry;
}

export function isCorrectable(operation: EntryKey["operation"]): operation is CorrectableKind {
  return operation === "sale" || operation === "sales-return" || operation === "correction";
}
