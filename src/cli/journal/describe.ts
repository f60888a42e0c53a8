import type { Checkpoint, Entry, Move } from "../../journal/entry.ts";
import type { DocumentFacts } from "../../model/facts.ts";
import { instant } from "./rows.ts";
import { reasonWords } from "./words/reason-words.ts";

/** Returns what identifies the made document: its numbers, its time and its drive. */
export function describeFacts(facts: DocumentFacts): string {
  const where = `shift ${facts.shiftNumber}, ${facts.time} on the register's clock, drive ${facts.identity.driveNumber}`;
  return facts.kind === "fiscal" ? `ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ${where}` : `a slip (${facts.document}), ${where}`;
}

/** Returns the register's state before the entry was sent. */
export function describeCheckpoint({ driveNumber, lastDocumentNumber, shiftNumber, shiftOpen, deviceTime }: Checkpoint): string {
  return `drive ${driveNumber} ended with document ${lastDocumentNumber}, shift ${shiftNumber} was ${shiftOpen ? "open" : "closed"}, the register's clock showed ${deviceTime}`;
}

/** Returns the line of a move, with the time in UTC. */
export function describeMove({ atMs, attempt, from, to, by, reasons = [] }: Move): string {
  const what = from === undefined ? `came in as ${to}` : `${from} → ${to}`;
  return `${instant(atMs)}  attempt ${attempt}  ${what}, by ${by}${reasons.length === 0 ? "" : `: ${reasonWords(reasons)}`}`;
}

/** Returns the register's words about its refusal. Empty: there are none. */
export function deviceWords({ refusal }: Entry): string {
  return refusal?.device === undefined ? "" : ` (the register says ${refusal.device.code}: ${refusal.device.words})`;
}
