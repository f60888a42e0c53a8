import type { Entry } from "../journal/entry.ts";
import { isMoved } from "../journal/failures.ts";
import { needsPerson } from "../journal/responsibility.ts";
import type { Clock } from "../kernel/clock.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { present } from "../kernel/present.ts";
import { isTrade } from "../model/document.ts";
import { type Doubt, sameDoubt } from "../model/doubt.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Outcome, Register, RegisterState } from "../registers/register.ts";
import { evidenceOf, withOwnId } from "./evidence.ts";
import { judge, type Verdict } from "./judge.ts";
import { laneStopped } from "./readiness.ts";
import { finishDone } from "./returned-more.ts";
import type { TurnServices } from "./services.ts";

/** Settles the doubts of a register: nothing is sent while an outcome is unknown. Returns the refusal for a doubt that remains. */
export async function clearDoubts(services: TurnServices, device: Register, register: string): Promise<Refusal | undefined> {
  for (const entry of await services.journal.sentOn(register)) {
    const doubt = await settledProblem(services, device, entry);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}

/**
 * Settles the doubts about documents that were sent to the same drive through other addresses. Such a document may be the opening of the
 * present shift, so the shift's owner is unknown until the doubt ends. The drive returns each of its documents through any address.
 *
 * A doubt that only its own address can end stops this turn (`isEndedAnywhere`).
 */
export async function clearDoubtsElsewhere(
  services: TurnServices,
  device: Register,
  register: string,
  { driveNumber }: Pick<RegisterState, "driveNumber">,
): Promise<Refusal | undefined> {
  const { journal } = services;
  for (const { id } of await journal.heads.sentToDriveElsewhere(driveNumber, register)) {
    const entry = await journal.get(id);
    if (entry === undefined || (entry.state !== "sending" && entry.state !== "in-doubt")) continue;
    if (!isEndedAnywhere(entry)) return laneStopped(entry, entry.doubt);
    const doubt = await settledProblem(services, device, entry);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}

/**
 * Whether a question to the drive through another address can end the doubt about this entry. False while a turn of the entry's own address
 * may be sending the document. False if an agent got the document: the agent may send it later, even if the drive lacks it now.
 */
export function isEndedAnywhere({ state, checkpoint }: Pick<Entry, "state" | "checkpoint">): boolean {
  return state === "in-doubt" && checkpoint?.record === undefined;
}

async function settledProblem(services: TurnServices, device: Register, entry: Entry): Promise<Refusal | undefined> {
  const settled = await settle(services, device, entry, "look-up");
  if (settled.state !== "in-doubt" && settled.state !== "sending") return undefined;
  logDoubt(services, settled);
  return laneStopped(entry, settled.doubt);
}

/**
 * Logs the doubt: as an error when a person has to look (`needsPerson`), before that as a warning. The server goes on asking the register
 * in both cases.
 */
function logDoubt({ log, clock }: Pick<TurnServices, "log" | "clock">, entry: Entry): void {
  const { id, register, doubt } = entry;
  if (needsPerson(entry, clock.nowMs())) log.error({ entry: id, register, doubt }, "the lane waits for a person");
  else log.warn({ entry: id, register, doubt }, "the lane waits until the register says what it printed");
}

/**
 * Ends the doubt about an entry by asking its register what it printed. Registers nothing. On return the entry is done, refused (nothing
 * was registered) or still in doubt with a reason. If somebody else settled the entry meanwhile, returns the entry as the journal has it.
 */
export async function settle(services: TurnServices, register: Register, entry: Entry, by: "look-up" | "restart"): Promise<Entry> {
  const verdict = await investigate(services.clock, register, entry);
  try {
    return await ended(services, entry, verdict, by);
  } catch (error) {
    const now = isMoved(error) ? await services.journal.find(entry.key) : undefined;
    if (now === undefined) throw error;
    services.log.warn({ entry: entry.id, state: now.state }, "somebody settled the doubt while the register was asked about it");
    return now;
  }
}

async function ended(services: TurnServices, entry: Entry, verdict: Verdict, by: "look-up" | "restart"): Promise<Entry> {
  const { journal, refusals } = services;
  if (verdict.kind !== "unknown") refusals.ended(entry, verdict.kind === "done" ? "done" : "refused");
  switch (verdict.kind) {
    case "done":
      return finishDone(services, entry, { facts: verdict.facts, by });
    case "not-registered":
      return journal.finish(entry, { kind: "refused", refusal: { code: "not-registered" } }, by, [{ code: "nothing-made" }]);
    case "unknown":
      if (entry.state === "in-doubt") return journal.stillInDoubt(entry, verdict.doubt);
      return journal.finish(entry, { kind: "in-doubt", doubt: verdict.doubt }, by);
  }
}

/** The longest time for a question to a record of attempts. A shop's agent answers from its own disk. */
const RECALL_LIMIT_MS = 5_000;

/**
 * Judges a sent entry by its register's record, otherwise by its device's evidence. Registers nothing, and does not change the journal.
 */
export async function investigate(clock: Clock, register: Register, entry: Entry): Promise<Verdict> {
  const { checkpoint } = entry;
  if (checkpoint?.attemptId === undefined || register.recall === undefined) return judged(clock, register, entry);
  const attempt = { id: checkpoint.attemptId, ...present({ record: checkpoint.record }) };
  const recalled = await register.recall(attempt, deadlineIn(clock, RECALL_LIMIT_MS));
  switch (recalled.kind) {
    case "unknown":
      return judged(clock, register, entry);
    case "never":
      return { kind: "not-registered" };
    case "running":
      return { kind: "unknown", doubt: { code: "answer-late" } };
    case "unreachable":
      return { kind: "unknown", doubt: { code: "no-answer", reason: recalled.reason } };
    case "outcome":
      return verdictOf(recalled.outcome, () => judged(clock, register, entry));
  }
}

/** A recorded outcome counts as the register's own answer. Only a recorded doubt needs a question to the device. */
async function verdictOf(outcome: Outcome, ask: () => Promise<Verdict>): Promise<Verdict> {
  switch (outcome.kind) {
    case "done":
      return { kind: "done", facts: outcome.facts };
    case "refused":
      return { kind: "not-registered" };
    case "in-doubt":
      return ask();
  }
}

async function judged(clock: Clock, register: Register, entry: Entry): Promise<Verdict> {
  const { checkpoint, document } = entry;
  // An X report registers nothing, so it never stops a lane for a person.
  if (checkpoint === undefined || document.kind === "x-report") return { kind: "not-registered" };
  const evidence = await evidenceOf(clock, register, { document, before: checkpoint });
  if (evidence.kind === "unreachable") return { kind: "unknown", doubt: { code: "no-answer", reason: evidence.reason } };
  const verdict = judge(evidence.value);
  // A person must see a document with the operation's id but another sum, whatever documents follow.
  const ours = verdict.kind === "unknown" ? withOwnId(document, evidence.value.since) : undefined;
  if (verdict.kind !== "unknown" || ours === undefined || !isTrade(document)) return verdict;
  const { documentNumber, receipt } = ours.facts;
  if (receipt?.totalKopecks === document.totalKopecks) return verdict;
  const doubt: Doubt = { code: "registered-with-other-sum", number: documentNumber };
  const isNewest = verdict.doubt.code === "sum-differs" && verdict.doubt.number === documentNumber;
  return isNewest && !sameDoubt(entry.doubt, doubt) ? verdict : { kind: "unknown", doubt };
}
