import type { Entry } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { type Clock, pause } from "../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../kernel/deadline.ts";
import type { LookUp, Reached, Register, RegisterState } from "../registers/register.ts";
import { type Evidence, judge, type Verdict } from "./judge.ts";

/** Time for all questions of one settling: a register answers each within a second or is not there. */
const SETTLE_LIMIT_MS = 10_000;
/** Documents read back after a checkpoint. One document is at stake; more than this many proves foreign use. */
const MAX_DOCUMENTS_READ = 16;
/** A device that has just lost power or its cable is asked again twice before the lane stops. */
const ATTEMPTS = 3;
const PAUSE_BETWEEN_ATTEMPTS_MS = 700;

export interface SettleServices {
  journal: Journal;
  clock: Clock;
}

/**
 * Ends the doubt about an entry by asking its register what it printed. Sends nothing that registers.
 * On return the entry is done, refused (nothing was registered) or still in doubt with a reason.
 */
export async function settle(services: SettleServices, register: Register, entry: Entry, by: "look-up" | "restart"): Promise<Entry> {
  const { journal, clock } = services;
  const verdict = await investigate(clock, register, entry);
  switch (verdict.kind) {
    case "done":
      return journal.finish(entry, { kind: "done", facts: verdict.facts }, by);
    case "not-registered":
      return journal.finish(
        entry,
        { kind: "refused", refusal: { code: "not-registered" } },
        by,
        "the register made no document after the checkpoint",
      );
    case "unknown":
      if (entry.state === "in-doubt") return journal.stillInDoubt(entry, verdict.reason);
      return journal.finish(entry, { kind: "in-doubt", reason: verdict.reason }, by);
  }
}

async function investigate(clock: Clock, register: Register, entry: Entry): Promise<Verdict> {
  const { checkpoint, document } = entry;
  // An X report registers nothing: whether it was printed is not worth a lane that waits for a person.
  if (checkpoint === undefined || document.kind === "x-report") return { kind: "not-registered" };
  const deadline = deadlineIn(clock, SETTLE_LIMIT_MS);
  const now = await stateOf(clock, register, deadline);
  if (now.kind === "unreachable") return { kind: "unknown", reason: now.reason };
  const identity = await register.identity(deadline);
  if (identity.kind === "unreachable") return { kind: "unknown", reason: identity.reason };
  const documents = await documentsAfter(register, checkpoint.lastDocumentNumber, now.value, deadline);
  return judge({ document, before: checkpoint, now: now.value, identity: identity.value, ...documents });
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
  const end = lastKnown + MAX_DOCUMENTS_READ;
  for (let number = lastKnown + 1; number <= end; number += 1) {
    const found = await register.lookUp(number, deadline);
    const isThere = found.kind === "found" || found.kind === "foreign";
    if (number > told && !isThere) return { since, next: found };
    since.push(found);
  }
  const next: LookUp = { kind: "foreign", what: `documents behind ${end}` };
  return { since: [...since, next], next };
}
