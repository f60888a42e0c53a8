import { type Clock, pause } from "../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../kernel/deadline.ts";
import { isTrade, type RegisterDocument } from "../model/document.ts";
import type { LookUp, Reached, Register, RegisterState } from "../registers/register.ts";
import { lookUpIn } from "./found-in-drive/read-document.ts";
import type { Evidence } from "./judge.ts";
import { READ_AFTER_DOUBT } from "./reading-bounds.ts";

/** The time for all requests about one document in doubt. The state and `READ_AFTER_DOUBT` documents take a few seconds. */
const SETTLE_LIMIT_MS = 10_000;
/** The state is requested up to three times before the lane stops: the device may just have lost power or its cable. */
const ATTEMPTS = 3;
const PAUSE_BETWEEN_ATTEMPTS_MS = 700;

/** Collects the register's evidence about a document that may have been made. Registers nothing. Cancels a document that is still open. */
export async function evidenceOf(
  clock: Clock,
  register: Register,
  { document, before }: Pick<Evidence, "document" | "before">,
): Promise<Reached<Evidence>> {
  const deadline = deadlineIn(clock, SETTLE_LIMIT_MS);
  const now = await stateOf(clock, register, deadline);
  if (now.kind === "unreachable") return now;
  const identity = await register.identity(deadline);
  if (identity.kind === "unreachable") return identity;
  const documents = await documentsAfter(register, before.lastDocumentNumber, now.value, deadline);
  return { kind: "reached", value: { document, before, now: now.value, identity: identity.value, ...documents } };
}

/** Returns the document of the drive that has the id of the sent document, whatever its sum is. `since`: the drive's answers. */
export function withOwnId(document: RegisterDocument, since: readonly LookUp[]): Extract<LookUp, { kind: "found" }> | undefined {
  if (!isTrade(document)) return undefined;
  return since.find(
    (found): found is Extract<LookUp, { kind: "found" }> => found.kind === "found" && found.reference === document.reference,
  );
}

/** Reads the register's state. An open document is cancelled first. Otherwise the device would finish or cancel it later. */
async function stateOf(clock: Clock, register: Register, deadline: Deadline): Promise<Reached<RegisterState>> {
  let last: Reached<RegisterState> = { kind: "unreachable", reason: "" };
  for (let attempt = 1; attempt <= ATTEMPTS && deadline.remainingMs() > 0; attempt += 1) {
    if (attempt > 1) await pause(clock, PAUSE_BETWEEN_ATTEMPTS_MS);
    last = await register.inspect(deadline);
    if (last.kind === "reached" && last.value.documentOpen) {
      const abandoned = await register.abandon(deadline);
      last = abandoned.kind === "reached" ? await register.inspect(deadline) : abandoned;
    }
    if (last.kind === "reached") return last;
  }
  return last;
}

/**
 * Reads the documents after the checkpoint, at most `READ_AFTER_DOUBT`. The status may have an old number, so higher numbers are requested
 * too, until the register returns no document. `next`: the answer for the number after the last document. When the bound ended the reading,
 * `hasFurther` is true, and `next` is a foreign document that stands for all further documents.
 */
async function documentsAfter(
  register: Register,
  lastKnown: number,
  { driveNumber, lastDocumentNumber: reportedLast }: RegisterState,
  deadline: Deadline,
): Promise<Pick<Evidence, "since" | "next" | "hasFurther">> {
  const since: LookUp[] = [];
  const end = lastKnown + READ_AFTER_DOUBT;
  for (let number = lastKnown + 1; number <= end; number += 1) {
    const found = await lookUpIn(driveNumber, register, number, deadline);
    const isThere = found.kind === "found" || found.kind === "foreign";
    if (number > reportedLast && !isThere) return { since, next: found, hasFurther: false };
    since.push(found);
  }
  const next: LookUp = { kind: "foreign", what: `documents behind ${end}` };
  return { since: [...since, next], next, hasFurther: true };
}
