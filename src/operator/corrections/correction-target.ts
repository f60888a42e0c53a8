import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { present } from "../../kernel/present.ts";
import { isTrade } from "../../model/document.ts";
import type { FiscalFacts } from "../../model/facts.ts";
import { correctionsOf } from "../../operations/corrections.ts";
import type { Read, Sought } from "./drive-search.ts";

/** How a person names a receipt of the entry that is not the journal's own. */
export interface TargetWish {
  fiscalSign?: string;
  /** Its number in the drive, where that is known. */
  documentNumber?: number;
  /** The person answers for a sign that neither journal nor drive knows. */
  unknownSign: boolean;
}

/** `copy`: absent where the journal's own receipt is meant. `warnings`: what nobody here could check about it. */
type Target = { kind: "target"; copy?: Copy; warnings: TargetWarning[] } | { kind: "refused"; because: TargetObstacle };

/** Another receipt of the same entry. */
export interface Copy {
  fiscalSign: string;
  /** As the drive says; absent where it was not asked, or has none. */
  documentNumber?: number;
}

/** Why no receipt of the entry is meant. */
export type TargetObstacle =
  | { code: "sign-of-other-entry"; fiscalSign: string; owner: Entry }
  /** The drive has that sign on a document with other sums. */
  | { code: "no-copy"; found: FiscalFacts }
  | SignUnknown
  | { code: "drive-not-asked"; fiscalSign: string; reason: string };

/** `read`: the documents of the drive that it is not among. */
interface SignUnknown {
  code: "sign-unknown";
  fiscalSign: string;
  driveNumber: string;
  read: Read;
}

export type TargetWarning =
  /** `onWord`: a person's word will be taken where the drive has no such receipt. */
  | { code: "not-looked-up"; fiscalSign: string; onWord: boolean }
  | SignUnknown
  /** A person's word alone stands for it; `corrections`: what corrects receipts of this entry already. */
  | { code: "on-word-alone"; corrections: Entry[] };

export interface DriveSearch {
  searchDrive(entry: Entry, wanted: { fiscalSign: string; documentNumber?: number }): Promise<Sought>;
}

/**
 * Which receipt of the entry is meant: the one that the journal has, or another that its sign names, a copy of it
 * that the drive has too. Of that one nothing is known here, so it is looked up in the drive, with its sums; a
 * sign that neither knows is taken on a person's word alone, who says so. `registers`: absent where they may not be asked.
 */
export async function targetOf(
  journal: Journal,
  registers: DriveSearch | undefined,
  entry: Entry,
  { fiscalSign, documentNumber, unknownSign }: TargetWish,
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
  const sought = await registers.searchDrive(entry, { fiscalSign, ...present({ documentNumber }) });
  switch (sought.kind) {
    case "found":
      if (!isCopy(entry, sought.facts)) return refused({ code: "no-copy", found: sought.facts });
      return copyOf({ fiscalSign, documentNumber: sought.facts.documentNumber });
    case "absent": {
      const { driveNumber, read } = sought;
      const unknown: SignUnknown = { code: "sign-unknown", fiscalSign, driveNumber, read };
      return unknownSign ? copyOf({ fiscalSign }, unknown, onWord) : refused(unknown);
    }
    case "unreachable":
      return refused({ code: "drive-not-asked", fiscalSign, reason: sought.reason });
  }
}

/** A correction repeats the sums of what it undoes, and those are the journal's. */
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
