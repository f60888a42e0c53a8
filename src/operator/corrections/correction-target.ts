import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { present } from "../../kernel/present.ts";
import { isTrade } from "../../model/document.ts";
import type { FiscalFacts } from "../../model/facts.ts";
import { correctionsOf } from "../../operations/corrections.ts";
import type { Read, SearchResult } from "./drive-search.ts";

/** How a person names a receipt of the entry that differs from the journal's receipt. */
export interface TargetRequest {
  fiscalSign?: string;
  /** The receipt's document number in the drive, if known. */
  documentNumber?: number;
  /** Accepts a fiscal sign that neither the journal nor the drive has, on the person's statement alone. */
  unknownSign: boolean;
}

/** `copy`: absent for the journal's own receipt. `warnings`: the checks that were impossible or found nothing. */
type Target = { kind: "target"; copy?: Copy; warnings: TargetWarning[] } | { kind: "refused"; because: TargetObstacle };

/** A further receipt of the same entry. */
export interface Copy {
  fiscalSign: string;
  /** Number in the drive. Absent if the drive was not searched or lacks the document. */
  documentNumber?: number;
}

/** Why the named receipt is not accepted. */
export type TargetObstacle =
  | { code: "sign-of-other-entry"; fiscalSign: string; owner: Entry }
  /** The drive has this fiscal sign on a document that is no copy of the entry's receipt (`isCopy`). */
  | { code: "no-copy"; found: FiscalFacts }
  | SignUnknown
  | { code: "drive-not-asked"; fiscalSign: string; reason: string };

/** `read`: the searched documents of the drive. */
interface SignUnknown {
  code: "sign-unknown";
  fiscalSign: string;
  driveNumber: string;
  read: Read;
}

export type TargetWarning =
  /** The register was not asked for this sign. `onWord`: the person's statement is enough even if the drive lacks the receipt. */
  | { code: "not-looked-up"; fiscalSign: string; onWord: boolean }
  | SignUnknown
  /** The sign counts on the person's statement alone. `corrections`: existing corrections of the entry's receipts. */
  | { code: "on-word-alone"; corrections: Entry[] };

export interface DriveSearch {
  searchDrive(entry: Entry, wanted: { fiscalSign: string; documentNumber?: number }): Promise<SearchResult>;
}

/**
 * Returns the receipt to correct: the journal's receipt, or a copy in the drive with the named fiscal sign. The journal does not have the
 * copy, so the drive is searched, unless an undoing correction of this sign was begun before. A sign that neither the journal nor the drive
 * has needs `unknownSign`. Without `registers` no register may be asked, and an unknown sign is accepted with a warning.
 */
export async function targetOf(
  journal: Journal,
  registers: DriveSearch | undefined,
  entry: Entry,
  { fiscalSign, documentNumber, unknownSign }: TargetRequest,
): Promise<Target> {
  const { facts } = entry;
  if (facts?.kind !== "fiscal" || fiscalSign === undefined || Number(fiscalSign) === Number(facts.fiscalSign)) {
    return { kind: "target", warnings: [] };
  }
  const [owner] = await journal.doneBySign(facts.identity.driveNumber, fiscalSign);
  if (owner !== undefined) return refused({ code: "sign-of-other-entry", fiscalSign, owner });
  const before = (await correctionsOf(journal, entry.key)).filter(({ state }) => state !== "refused");
  if (before.some((one) => undoes(one, fiscalSign))) return copyOf({ fiscalSign });
  const onWord: TargetWarning = { code: "on-word-alone", corrections: before };
  if (registers === undefined) {
    return copyOf({ fiscalSign }, { code: "not-looked-up", fiscalSign, onWord: unknownSign }, ...(unknownSign ? [onWord] : []));
  }
  const result = await registers.searchDrive(entry, { fiscalSign, ...present({ documentNumber }) });
  switch (result.kind) {
    case "found":
      if (!isCopy(entry, result.facts)) return refused({ code: "no-copy", found: result.facts });
      return copyOf({ fiscalSign, documentNumber: result.facts.documentNumber });
    case "absent": {
      const { driveNumber, read } = result;
      const unknown: SignUnknown = { code: "sign-unknown", fiscalSign, driveNumber, read };
      return unknownSign ? copyOf({ fiscalSign }, unknown, onWord) : refused(unknown);
    }
    case "unreachable":
      return refused({ code: "drive-not-asked", fiscalSign, reason: result.reason });
  }
}

/** Whether the receipt is a copy: its kind, settlement sign and total are the entry's. A correction repeats the journal's sums. */
function isCopy({ document }: Entry, { document: kind, receipt }: FiscalFacts): boolean {
  if (!isTrade(document)) return true;
  return kind === document.kind && receipt?.sign === document.sign && receipt.totalKopecks === document.totalKopecks;
}

function undoes({ operation }: Entry, fiscalSign: string): boolean {
  return operation.kind === "correction" && operation.step === "undo" && operation.settlement.originalSign === fiscalSign;
}

function copyOf(copy: Copy, ...warnings: TargetWarning[]): Target {
  return { kind: "target", copy, warnings };
}

function refused(because: TargetObstacle): Target {
  return { kind: "refused", because };
}
