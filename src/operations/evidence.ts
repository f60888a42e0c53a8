import { type Clock, pause } from "../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../kernel/deadline.ts";
import { isTrade, type RegisterDocument } from "../model/document.ts";
import type { LookUp, Reached, Register, RegisterState } from "../registers/register.ts";
import type { Evidence } from "./judge.ts";
import { READ_AFTER_DOUBT } from "./reading-bounds.ts";

/** Time for all questions of one settling: a register answers each within a second or is not there. */
const SETTLE_LIMIT_MS = 10_000;
/** A device that has just lost power or its cable is asked again twice before the lane stops. */
const ATTEMPTS = 3;
const PAUSE_BETWEEN_ATTEMPTS_MS = 700;

/** What the register shows of a document that may have been made. Sends nothing that registers. */
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

/** The document, if there is one, that carries the id of what was sent, whatever its sum is. */
export function withOurId(document: RegisterDocument, since: readonly LookUp[]): Extract<LookUp, { kind: "found" }> | undefined {
  if (!isTrade(document)) return undefined;
  return since.find(
    (found): found is Extract<LookUp, { kind: "found" }> => found.kind === "found" && found.reference === document.reference,
  );
}

/** The state with nothing left open: a half-made document would be finished or cancelled by the device later. */
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
 * Every document behind the checkpoint, and what the register says of the number behind them. Its status may be
 * older than its drive: the drive is asked until it says itself that there is no more.
 */
async function documentsAfter(
  register: Register,
  lastKnown: number,
  { lastDocumentNumber: told }: RegisterState,
  deadline: Deadline,
): Promise<Pick<Evidence, "since" | "next">> {
  const since: LookUp[] = [];
  const end = lastKnown + READ_AFTER_DOUBT;
  for (let number = lastKnown + 1; number <= end; number += 1) {
    const found = await register.lookUp(number, deadline);
    const isThere = found.kind === "found" || found.kind === "foreign";
    if (number > told && !isThere) return { since, next: found };
    since.push(found);
  }
  const next: LookUp = { kind: "foreign", what: `documents behind ${end}` };
  return { since: [...since, next], next };
}
