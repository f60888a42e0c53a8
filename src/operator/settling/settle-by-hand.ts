import type { Entry, Move } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { mayTakeBack } from "../../journal/states.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { isCash, isTrade } from "../../model/document.ts";
import { type Doubt, saysRegistered, speaksAgainst } from "../../model/doubt.ts";
import type { DocumentFacts, RegisterIdentity } from "../../model/facts.ts";
import type { Reason } from "../../model/reason.ts";
import type { Refusal } from "../../model/refusal.ts";
import { correctionsOf } from "../../operations/corrections.ts";
import { compareReturn, reasonsOf } from "../../operations/returned-more.ts";
import { type AfterPerson, afterPerson, type DueWhenWrong, dueWhenWrong } from "../due.ts";
import type { Claim, ClaimCheck, Finding, Silence } from "./claim-check.ts";
import { deviceTimeNow, type Impossible, shapeProblem } from "./figure-bounds.ts";
import { knownIdentity } from "./known-identity.ts";
import type { ReadOff } from "./read-off-schema.ts";
import { settledFacts } from "./settled-facts.ts";

/** What a person says of an operation whose outcome the server does not know. */
export interface Statement {
  claim: Claim;
  /** What the register is, where it never finished anything here. */
  identity?: RegisterIdentity;
  /** How the person knows. */
  said?: string;
  /** The person's word alone counts where the register cannot be asked. */
  unconfirmed: boolean;
  /** Replaces what a person has said before. */
  again: boolean;
}

type SettledByHand = Settled | { kind: "refused"; because: Obstacle };

/** The entry has ended as the person said. */
export interface Settled {
  kind: "settled";
  entry: Entry;
  /** The answer goes out without a copy of the paper: too little is known to draw one. */
  lacksPaper: boolean;
  /** The platform has been answered with the figures from before. */
  wasAnswered: boolean;
  due: Due;
  /** A return that gives back more than was sold; what failed where it could not be compared with its sale. */
  excess: { kind: "compared"; reasons: Reason[] } | { kind: "not-compared"; message: string };
}

/** What somebody has to do about it now or later. */
interface Due {
  /** The register has it with another sum than was sent. */
  wrong?: DueWhenWrong;
  /** A person may have been wrong, or money may have changed hands. */
  after?: AfterPerson;
}

/** Why nothing was settled. */
export type Obstacle =
  | { code: "settled-by-person" }
  | { code: "no-doubt" }
  | { code: "corrected-since"; correction: Entry }
  /** The register cannot be asked now, and what it said when it could is no less true. */
  | { code: "register-said-otherwise"; doubt: Doubt }
  | { code: "register-contradicts"; finding: Finding }
  | { code: "register-silent"; cause: Silence }
  | { code: "figures-impossible"; problem: Impossible }
  | { code: "identity-unknown" };

export interface SettlingServices {
  journal: Journal;
  clock: Pick<Clock, "nowMs">;
  /** Asks the register of the entry; throws a `Failure` where it cannot be had, as while a server has it. */
  ask(entry: Entry, claim: Claim): Promise<ClaimCheck>;
}

/** What the entry becomes, with what the register itself has said of it. */
interface Decision {
  kind: "decided";
  outcome: { kind: "done"; facts: DocumentFacts } | { kind: "refused"; refusal: Refusal };
  lacksPaper: boolean;
  /** The register has said that it is true. */
  confirmed: boolean;
  /** The sum that the register has, where it is not what was sent, in kopecks. */
  otherSumKopecks?: number;
}

type Decided = Decision | { kind: "refused"; because: Obstacle };

/**
 * Ends a doubt as a person says, or replaces what a person has said before; the register is asked first. Of two that
 * settle at once, the server included, one gets the failure `journal-moved`.
 */
export async function settleByHand(services: SettlingServices, entry: Entry, statement: Statement): Promise<SettledByHand> {
  const { journal } = services;
  const moves = await journal.moves(entry.id);
  const obstacle = standingObstacle(entry, moves, statement.again) ?? (await correctedObstacle(journal, entry));
  if (obstacle !== undefined) return refused(obstacle);
  const { claim } = statement;
  const decided =
    claim.kind === "done"
      ? await asDone(services, entry, moves, { ...statement, readOff: claim.readOff })
      : await asRefused(services, entry, statement);
  if (decided.kind === "refused") return decided;
  const { outcome, lacksPaper, otherSumKopecks } = decided;
  const excess = outcome.kind === "done" ? await excessOf(journal, entry) : { kind: "compared" as const, reasons: [] };
  const reasons = wordOf(decided, statement.said, excess.kind === "compared" ? excess.reasons : []);
  const wasAnswered = entry.state === "done" && (await journal.answerOf(entry.id)) !== undefined;
  const ended =
    entry.state === "in-doubt"
      ? await journal.finish(entry, outcome, "person", reasons)
      : await journal.settleAgain(entry, outcome, reasons);
  const due = present({
    wrong: otherSumKopecks === undefined ? undefined : dueWhenWrong(ended),
    after: afterPerson(ended, [...moves, wordIn(ended)]),
  });
  return { kind: "settled", entry: ended, lacksPaper, wasAnswered, due, excess };
}

/** The move of the word that has just been said: what is due is told from it without asking the journal again. */
function wordIn({ id, attempt, movedAtMs, state }: Entry): Move {
  return { entryId: id, attempt, atMs: movedAtMs, from: "in-doubt", to: state, by: "person" };
}

/** What the register had said to the newest word of a person: undefined where that was not kept. */
export function registerSaid(moves: readonly Move[]): "confirmed" | "unconfirmed" | undefined {
  const reasons = moves.findLast(({ by, to }) => by === "person" && to !== "in-doubt")?.reasons ?? [];
  for (const { code } of reasons) if (code === "confirmed" || code === "unconfirmed") return code;
  return undefined;
}

/** How much a person's word is worth later on comes first, then what was said, or what says itself where nothing was. */
function wordOf({ confirmed, otherSumKopecks }: Decision, said: string | undefined, excess: readonly Reason[]): Reason[] {
  const words = said?.trim() ?? "";
  const told: Reason[] = words === "" ? [] : [{ code: "said", words }];
  const other: Reason[] = otherSumKopecks === undefined ? [] : [{ code: "other-sum", totalKopecks: otherSumKopecks }];
  return [{ code: confirmed ? "confirmed" : "unconfirmed" }, ...(told.length === 0 ? other : told), ...excess];
}

/** A return that a person says was registered may give back too much like any other; whether it does never keeps it from being settled. */
async function excessOf(journal: Journal, entry: Entry): Promise<Settled["excess"]> {
  try {
    return { kind: "compared", reasons: reasonsOf(await compareReturn(journal, entry)) };
  } catch (error) {
    return { kind: "not-compared", message: messageOf(error) };
  }
}

/** Why nothing can be settled here; undefined when something can. */
function standingObstacle({ state }: Entry, moves: readonly Move[], again: boolean): Obstacle | undefined {
  const isPersons = mayTakeBack(state, moves);
  if (state === "in-doubt" || (again && isPersons)) return undefined;
  return { code: isPersons ? "settled-by-person" : "no-doubt" };
}

/** A correction repairs what was said: saying it anew beside it would leave the correction without its object. */
async function correctedObstacle(journal: Journal, { key, state }: Entry): Promise<Obstacle | undefined> {
  if (state === "in-doubt") return undefined;
  const correction = (await correctionsOf(journal, key)).find((one) => one.state !== "refused");
  return correction === undefined ? undefined : { code: "corrected-since", correction };
}

async function asRefused({ ask }: SettlingServices, entry: Entry, { unconfirmed }: Statement): Promise<Decided> {
  const word = await heard(ask, entry, { kind: "refused" }, unconfirmed);
  if (word.kind === "refused") return word;
  if (word.kind !== "confirms" && entry.doubt !== undefined && saysRegistered(entry.doubt)) return saidBefore(entry.doubt);
  const outcome = { kind: "refused", refusal: { code: "not-registered" } } as const;
  return { kind: "decided", outcome, lacksPaper: false, confirmed: word.kind === "confirms" };
}

async function asDone(
  { journal, clock, ask }: SettlingServices,
  entry: Entry,
  moves: readonly Move[],
  { readOff, identity: described, unconfirmed }: Statement & { readOff: ReadOff },
): Promise<Decided> {
  const misshapen = shapeProblem(entry.document, readOff);
  if (misshapen !== undefined) return refused({ code: "figures-impossible", problem: misshapen });
  const word = await heard(ask, entry, { kind: "done", readOff }, unconfirmed);
  if (word.kind === "refused") return word;
  const { doubt } = entry;
  if (word.kind !== "confirms" && doubt !== undefined && speaksAgainst(doubt, readOff.documentNumber ?? 0)) return saidBefore(doubt);
  const own = word.kind === "confirms" ? ownFacts(entry, word.facts, readOff) : undefined;
  if (own !== undefined) return own;
  const identity = word.register?.identity ?? described ?? (await knownIdentity(journal, entry));
  if (identity === undefined) return refused({ code: "identity-unknown" });
  const confirmed = word.kind === "confirms";
  const deviceNow = word.register?.now ?? deviceTimeNow(entry, moves, clock.nowMs());
  const others = await neighbours(journal, entry, readOff.shiftNumber);
  const settlement = settledFacts(entry, readOff, { identity, others, deviceNow, confirmed });
  if (settlement.kind === "impossible") return refused({ code: "figures-impossible", problem: settlement.problem });
  // What the drive itself says of the document is more than what stands on its paper.
  const facts = (confirmed ? word.facts : undefined) ?? settlement.facts;
  return { kind: "decided", outcome: { kind: "done", facts }, lacksPaper: lacksPaper(entry, facts), confirmed };
}

/**
 * The drive has the document with our id and those very figures: that is more than the checkpoint says, and than what was
 * sent. With another sum it goes without what a copy of the paper is drawn from: its positions are not those in the journal.
 */
function ownFacts(entry: Entry, facts: DocumentFacts | undefined, { sumKopecks }: ReadOff): Decision | undefined {
  const { document } = entry;
  if (!isTrade(document) || facts?.kind !== "fiscal" || facts.receipt === undefined) return undefined;
  const { receipt, ...rest } = facts;
  if (sumKopecks !== undefined && sumKopecks !== receipt.totalKopecks) return undefined;
  const decided = { kind: "decided", confirmed: true } as const;
  if (receipt.totalKopecks === document.totalKopecks) return { ...decided, outcome: { kind: "done", facts }, lacksPaper: false };
  return { ...decided, outcome: { kind: "done", facts: rest }, lacksPaper: true, otherSumKopecks: receipt.totalKopecks };
}

/** Done entries among which the document may stand: its shift is the checkpoint's, or the next. */
async function neighbours(journal: Journal, { register, checkpoint }: Entry, typed: number): Promise<Entry[]> {
  if (checkpoint === undefined) return [];
  const { driveNumber, shiftNumber } = checkpoint;
  const shifts = [...new Set([shiftNumber, shiftNumber + 1, typed])];
  return (await Promise.all(shifts.map((shift) => journal.doneInShift(register, driveNumber, shift)))).flat();
}

/** What the register says, where the person's word may stand beside it; else why it may not. */
async function heard(
  ask: SettlingServices["ask"],
  entry: Entry,
  claim: Claim,
  unconfirmed: boolean,
): Promise<Exclude<ClaimCheck, { kind: "contradicts" }> | { kind: "refused"; because: Obstacle }> {
  const word = await answered(ask, entry, claim);
  if (word.kind === "contradicts") return refused({ code: "register-contradicts", finding: word.finding });
  if (word.kind === "confirms" || unconfirmed) return word;
  return refused({ code: "register-silent", cause: word.cause });
}

async function answered(ask: SettlingServices["ask"], entry: Entry, claim: Claim): Promise<ClaimCheck> {
  try {
    return await ask(entry, claim);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: "cannot-tell", cause: { code: "not-available", message: error.message } };
  }
}

/** A receipt needs its number in the shift, and the report of a closing its counters, which nobody types in. */
function lacksPaper({ document }: Entry, facts: DocumentFacts): boolean {
  if (facts.kind !== "fiscal" || isCash(document)) return false;
  if (document.kind === "state-report") return facts.stateReport === undefined;
  return document.kind === "close-shift" ? facts.shiftReport === undefined : isTrade(document) && facts.receipt === undefined;
}

function saidBefore(doubt: Doubt): { kind: "refused"; because: Obstacle } {
  return refused({ code: "register-said-otherwise", doubt });
}

function refused(because: Obstacle): { kind: "refused"; because: Obstacle } {
  return { kind: "refused", because };
}
