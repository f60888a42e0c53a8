import type { Entry, EntryContent, EntryKey } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { CorrectionStep } from "../model/correction.ts";
import type { CorrectableKind } from "../model/operation.ts";
import type { Refusal } from "../model/refusal.ts";

/** What a correction is of: an operation, and the receipt that it made, by tag 1077; none where it made none. */
export interface Corrected {
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

/**
 * Why a repeat of an operation that was refused must not be attempted: it was registered by a correction
 * meanwhile, or may have been.
 */
export async function correctionOf(journal: Journal, key: EntryKey): Promise<Refusal | undefined> {
  if (!isCorrectable(key.operation)) return undefined;
  const missed = correctionId({ operation: key.operation, documentId: key.documentId }, "missed");
  const entry = await journal.find(correctionKey(key, missed));
  if (entry === undefined || entry.state === "refused") return undefined;
  return { code: "already-corrected", details: entry.facts?.kind === "fiscal" ? { number: String(entry.facts.documentNumber) } : {} };
}

/** Why a correction has lost its object; undefined for everything else. */
export async function correctionProblem(journal: Journal, { key, operation }: EntryContent): Promise<Refusal | undefined> {
  if (operation.kind !== "correction") return undefined;
  const { of, step } = operation;
  const corrected = await journal.find({ ...key, operation: of.operation, documentId: of.document.id });
  const expected: Entry["state"] = step === "missed" ? "refused" : "done";
  if (corrected?.state === expected) return undefined;
  const reason = step === "missed" ? "документ уже пробит или его судьба неизвестна" : "исправляемый документ не пробит";
  return { code: "not-correctable", details: { reason } };
}

export function isCorrectable(operation: EntryKey["operation"]): operation is CorrectableKind {
  return operation === "sale" || operation === "sales-return" || operation === "correction";
}
