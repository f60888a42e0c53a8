import type { Entry, EntryContent, EntryKey, Twin } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { CorrectionStep } from "../model/correction.ts";
import type { CorrectableKind, CorrectionOperation } from "../model/operation.ts";
import type { Refusal } from "../model/refusal.ts";
import { uncorrectable } from "../model/uncorrectable.ts";

/** The corrected operation and its receipt. `fiscalSign` (tag 1077): absent when the operation has no receipt. */
interface Corrected {
  operation: CorrectableKind;
  documentId: string;
  fiscalSign?: string;
}

/**
 * Returns the document id of a correction. The id consists of the corrected operation, its receipt and the step. The same correction is
 * therefore never registered twice.
 */
export function correctionId({ operation, documentId, fiscalSign }: Corrected, step: CorrectionStep): string {
  return [operation, documentId, ...(fiscalSign === undefined ? [] : [fiscalSign]), step].join(":");
}

/** Returns the key of a correction, from the key of the corrected operation. */
export function correctionKey(of: EntryKey, document: string): EntryKey {
  return { appId: of.appId, accountId: of.accountId, operation: "correction", documentId: document };
}

/** Returns the journal's corrections of the operation and of its receipts, in any state. */
export async function correctionsOf(journal: Journal, key: EntryKey): Promise<Entry[]> {
  if (!isCorrectable(key.operation)) return [];
  const found = await journal.entriesUnder({ ...key, operation: "correction" }, `${key.operation}:${key.documentId}:`);
  return found.filter(({ operation }) => operation.kind === "correction" && operation.of.document.id === key.documentId);
}

/** Returns the correction that undoes this entry's receipt, unless the correction was refused. */
export async function undoingOf(journal: Journal, { key, facts }: Entry): Promise<Entry | undefined> {
  if (!isCorrectable(key.operation) || facts?.kind !== "fiscal") return undefined;
  const id = correctionId({ operation: key.operation, documentId: key.documentId, fiscalSign: facts.fiscalSign }, "undo");
  return unlessRefused(await journal.find(correctionKey(key, id)));
}

/** Returns the operation's corrections that are or may become valid: not refused, and no other correction undoes or may undo them. */
export async function holdingCorrections(journal: Journal, key: EntryKey): Promise<Entry[]> {
  const holding: Entry[] = [];
  for (const entry of await correctionsOf(journal, key)) {
    if (entry.state !== "refused" && (await undoingOf(journal, entry)) === undefined) holding.push(entry);
  }
  return holding;
}

/** Returns the refusal for a repeat of a refused operation when a correction has registered, or may register, the operation. */
export async function correctionOf(journal: Journal, key: EntryKey): Promise<Refusal | undefined> {
  const entry = await missedOf(journal, key);
  if (entry === undefined) return undefined;
  return { code: "already-corrected", details: entry.facts?.kind === "fiscal" ? { number: String(entry.facts.documentNumber) } : {} };
}

/** Returns the correction that registers a refused operation, unless the correction was refused too. */
async function missedOf(journal: Journal, key: EntryKey): Promise<Entry | undefined> {
  const missed = missedKey(key);
  return missed && unlessRefused(await journal.find(missed));
}

/** The key of the correction that registers the operation as missed. Undefined when no such correction is possible. */
export function missedKey(key: EntryKey): EntryKey | undefined {
  if (!isCorrectable(key.operation)) return undefined;
  return correctionKey(key, correctionId({ operation: key.operation, documentId: key.documentId }, "missed"));
}

/**
 * Returns the key of the operation that would make the same registration as this operation. For a correction that registers a missed
 * operation: the missed operation. For a sale or return: the correction that would register it as missed. Undefined for other operations.
 * The turns of both operations may run at the same time in two lanes, when the point of sale has got another register.
 */
export function rivalOf({ key, operation }: EntryContent): EntryKey | undefined {
  if (operation.kind !== "correction") return missedKey(key);
  if (operation.step !== "missed") return undefined;
  return { ...key, operation: operation.of.operation, documentId: operation.of.document.id };
}

/** Returns why a correction can no longer be made. Undefined when it can, and for an operation that is no correction. */
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

/** Returns what is or may be registered for the same document under another id type: its entry, or the correction that registers it. */
export async function twinsOf(journal: Journal, entry: Entry): Promise<Twin[]> {
  const others = await journal.twins(entry);
  const standing = await Promise.all(others.map(async (other) => (other.state === "refused" ? missedOf(journal, other.key) : other)));
  return standing.filter((other) => other !== undefined);
}

/**
 * Returns why the right receipt may not be registered: the wrong receipt is not undone, or its undoing was or may be undone. The drive
 * would then have the settlement twice.
 */
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

/** Whether a correction of this operation is possible: of a sale, a return or a correction. */
export function isCorrectable(operation: EntryKey["operation"]): operation is CorrectableKind {
  return operation === "sale" || operation === "sales-return" || operation === "correction";
}
