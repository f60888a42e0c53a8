import type { Entry, EntryContent, EntryKey } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { CorrectionStep } from "../model/correction.ts";
import type { CorrectableKind, CorrectionOperation } from "../model/operation.ts";
import type { Refusal } from "../model/refusal.ts";
import { uncorrectable } from "../model/uncorrectable.ts";

/** What a correction is of: an operation, and the receipt that it made, by tag 1077; none where it made none. */
interface Corrected {
  operation: CorrectableKind;
  documentId: string;
  fiscalSign?: string;
}

/**
 * The id of a correction's document, made of what is corrected and the step: the same correction is never
 * registered twice, however often somebody asks for it.
 */
export function correctionId({ operation, documentId, fiscalSign }: Corrected, step: CorrectionStep): string {
  return [operation, documentId, ...(fiscalSign === undefined ? [] : [fiscalSign]), step].join(":");
}

/** The key of a correction, beside the key of the operation that it corrects. */
export function correctionKey(of: EntryKey, document: string): EntryKey {
  return { appId: of.appId, accountId: of.accountId, operation: "correction", documentId: document };
}

/** Every correction of the operation that was ever asked for, of whichever of its receipts, the oldest first. */
export async function correctionsOf(journal: Journal, key: EntryKey): Promise<Entry[]> {
  if (!isCorrectable(key.operation)) return [];
  const found = await journal.entriesUnder({ ...key, operation: "correction" }, `${key.operation}:${key.documentId}:`);
  return found.filter(({ operation }) => operation.kind === "correction" && operation.of.document.id === key.documentId);
}

/** What undoes the receipt that this entry made, or may yet; undefined where nothing was registered that does. */
export async function undoingOf(journal: Journal, { key, facts }: Entry): Promise<Entry | undefined> {
  if (!isCorrectable(key.operation) || facts?.kind !== "fiscal") return undefined;
  const id = correctionId({ operation: key.operation, documentId: key.documentId, fiscalSign: facts.fiscalSign }, "undo");
  return standing(await journal.find(correctionKey(key, id)));
}

/** Corrections of the operation that hold, or may yet: neither refused nor undone themselves. */
export async function holdingCorrections(journal: Journal, key: EntryKey): Promise<Entry[]> {
  const holding: Entry[] = [];
  for (const entry of await correctionsOf(journal, key)) {
    if (entry.state !== "refused" && (await undoingOf(journal, entry)) === undefined) holding.push(entry);
  }
  return holding;
}

/**
 * Why a repeat of an operation that was refused must not be attempted: it was registered by a correction
 * meanwhile, or may have been.
 */
export async function correctionOf(journal: Journal, key: EntryKey): Promise<Refusal | undefined> {
  const entry = await missedOf(journal, key);
  if (entry === undefined) return undefined;
  return { code: "already-corrected", details: entry.facts?.kind === "fiscal" ? { number: String(entry.facts.documentNumber) } : {} };
}

/** The correction that registers a refused operation, or may yet. */
async function missedOf(journal: Journal, key: EntryKey): Promise<Entry | undefined> {
  if (!isCorrectable(key.operation)) return undefined;
  return standing(await journal.find(correctionKey(key, correctionId({ operation: key.operation, documentId: key.documentId }, "missed"))));
}

/** Why a correction has lost its object; undefined for everything else. */
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

/** The same document under the other id type, where it was or may have been registered. */
export async function twinsOf(journal: Journal, { key, twin, idType }: Entry): Promise<Entry[]> {
  const found = await journal.twins(key.appId, key.accountId, key.operation, twin);
  return found.filter((other) => other.idType !== idType && other.state !== "refused");
}

/** What is right is settled only where what was wrong is undone, else the drive has the settlement twice. */
async function redoProblem(journal: Journal, key: EntryKey, { of, settlement }: CorrectionOperation): Promise<Refusal | undefined> {
  const { originalSign } = settlement;
  const corrected = { operation: of.operation, documentId: of.document.id };
  const id = correctionId(originalSign === undefined ? corrected : { ...corrected, fiscalSign: originalSign }, "undo");
  const undo = await journal.find(correctionKey(key, id));
  if (undo?.state !== "done") return uncorrectable("wrong-not-undone");
  return (await undoingOf(journal, undo)) === undefined ? undefined : uncorrectable("undoing-undone");
}

function standing(entry: Entry | undefined): Entry | undefined {
  return entry === undefined || entry.state === "refused" ? undefined : entry;
}

export function isCorrectable(operation: EntryKey["operation"]): operation is CorrectableKind {
  return operation === "sale" || operation === "sales-return" || operation === "correction";
}
