import type { Checkpoint, Entry, Move } from "../../journal/entry.ts";
import type { DocumentFacts } from "../../model/facts.ts";
import { instant } from "./rows.ts";
import { reasonWords } from "./words/reason-words.ts";

/** What the register made, by the numbers that it is found by. */
export function describeFacts(facts: DocumentFacts): string {
  const where = `shift ${facts.shiftNumber}, ${facts.time} on the register's clock, drive ${facts.identity.driveNumber}`;
  return facts.kind === "fiscal" ? `ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ${where}` : `a slip (${facts.document}), ${where}`;
}

/** What the register had printed last when the entry was sent. */
export function describeCheckpoint({ driveNumber, lastDocumentNumber, shiftNumber, shiftOpen, deviceTime }: Checkpoint): string {
  return `drive ${driveNumber} ended with document ${lastDocumentNumber}, shift ${shiftNumber} was ${shiftOpen ? "open" : "closed"}, the register's clock showed ${deviceTime}`;
}

/** Times are of UTC. */
export function describeMove({ atMs, attempt, from, to, by, reasons = [] }: Move): string {
  const what = from === undefined ? `came in as ${to}` : `${from} → ${to}`;
  return `${instant(atMs)}  attempt ${attempt}  ${what}, by ${by}${reasons.length === 0 ? "" : `: ${reasonWords(reasons)}`}`;
}

/** What a register said of its refusal; nothing where it said nothing. */
export function deviceWords({ refusal }: Entry): string {
  return refusal?.device === undefined ? "" : ` (the register says ${refusal.device.code}: ${refusal.device.words})`;
}
