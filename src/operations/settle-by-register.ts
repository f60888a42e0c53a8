import type { Entry } from "../journal/entry.ts";
import type { Clock } from "../kernel/clock.ts";
import { isTrade } from "../model/document.ts";
import { type Doubt, sameDoubt } from "../model/doubt.ts";
import type { Register } from "../registers/register.ts";
import { evidenceOf, withOurId } from "./evidence.ts";
import { judge, type Verdict } from "./judge.ts";
import { finishDone } from "./returned-more.ts";
import type { TurnServices } from "./services.ts";

/**
 * Ends the doubt about an entry by asking its register what it printed. Sends nothing that registers.
 * On return the entry is done, refused (nothing was registered) or still in doubt with a reason.
 */
export async function settle(services: TurnServices, register: Register, entry: Entry, by: "look-up" | "restart"): Promise<Entry> {
  const { journal, clock, refusals } = services;
  const verdict = await investigate(clock, register, entry);
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

/** Judges a sent entry by the evidence of its register. Registers nothing, and changes nothing in the journal. */
export async function investigate(clock: Clock, register: Register, entry: Entry): Promise<Verdict> {
  const { checkpoint, document } = entry;
  // An X report registers nothing, so it never stops a lane for a person.
  if (checkpoint === undefined || document.kind === "x-report") return { kind: "not-registered" };
  const evidence = await evidenceOf(clock, register, { document, before: checkpoint });
  if (evidence.kind === "unreachable") return { kind: "unknown", doubt: { code: "no-answer", reason: evidence.reason } };
  const verdict = judge(evidence.value);
  // If the drive has a document with the operation's id and another sum, a person has to know it, whatever documents follow.
  const ours = verdict.kind === "unknown" ? withOurId(document, evidence.value.since) : undefined;
  if (verdict.kind !== "unknown" || ours === undefined || !isTrade(document)) return verdict;
  const { documentNumber, receipt } = ours.facts;
  if (receipt?.totalKopecks === document.totalKopecks) return verdict;
  const doubt: Doubt = { code: "registered-with-other-sum", number: documentNumber };
  const isNewest = verdict.doubt.code === "sum-differs" && verdict.doubt.number === documentNumber;
  return isNewest && !sameDoubt(entry.doubt, doubt) ? verdict : { kind: "unknown", doubt };
}
