import { type Act, type Actor, writeAudit } from "../../accounts/audit.ts";
import type { Entry, Move } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { type EntryState, mayTakeBack } from "../../journal/states.ts";
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
import type { CannotTellCause, Claim, ClaimCheck, Contradiction } from "./claim-check.ts";
import { deviceTimeNow, type Impossible, shapeProblem } from "./figure-bounds.ts";
import { knownIdentity } from "./known-identity.ts";
import type { ReadOff } from "./read-off-schema.ts";
import { boundsOf, type PlaceBounds, type PlaceInDrive, placeOfId } from "./replaced-drive.ts";
import { settledFacts } from "./settled-facts.ts";

/** A person's statement about how an operation ended. */
export interface Statement {
  claim: Claim;
  /**
   * The register's identity. Required when the register does not answer and has finished nothing with the entry's drive for this server.
   */
  identity?: RegisterIdentity;
  said?: string;
  /** The statement counts even if the register cannot confirm it. */
  unconfirmed: boolean;
  /** Replaces a person's earlier statement. */
  again: boolean;
}

type SettledByHand = Settled | { kind: "refused"; because: Obstacle };

/** The entry has ended as stated. */
export interface Settled {
  kind: "settled";
  entry: Entry;
  /** The answer has no receipt: too little is known to draw one. */
  lacksPaper: boolean;
  /** The platform may have received the earlier figures: an answer with them is stored. */
  wasAnswered: boolean;
  due: Due;
  /** When a return refunds more than was sold: the reasons. When the comparison failed: its error. */
  excess: { kind: "compared"; reasons: Reason[] } | { kind: "not-compared"; message: string };
}

interface Due {
  /** Set when the register has another sum than was sent. */
  wrong?: DueWhenWrong;
  /** The necessary action if the person was wrong, or if money changed hands without a document. */
  after?: AfterPerson;
}

export type Obstacle =
  | { code: "settled-by-person" }
  | { code: "no-doubt" }
  /** The entry's document was read in a drive at this place. The entry can be settled only as that document. */
  | ({ code: "stands-in-drive" } & PlaceInDrive)
  | { code: "corrected-since"; correction: Entry }
  /** The register cannot confirm the claim now, and the register's earlier answer contradicts the claim. */
  | { code: "register-said-otherwise"; doubt: Doubt }
  | { code: "register-contradicts"; contradiction: Contradiction }
  | { code: "register-silent"; cause: CannotTellCause }
  | { code: "figures-impossible"; problem: Impossible }
  | { code: "identity-unknown" };

export interface SettlingServices {
  journal: Journal;
  clock: Pick<Clock, "nowMs">;
  /**
   * Checks the claim with the entry's register. Throws a `Failure` when the register is not available, for example because a server uses
   * it.
   */
  ask(entry: Entry, claim: Claim): Promise<ClaimCheck>;
}

/** The entry's new outcome, and whether the register confirmed it. */
interface Decision {
  kind: "decided";
  outcome: { kind: "done"; facts: DocumentFacts } | { kind: "refused"; refusal: Refusal };
  lacksPaper: boolean;
  confirmed: boolean;
  /** The register's sum in kopecks, if it differs from the sent sum. */
  otherSumKopecks?: number;
}

type Decided = Decision | { kind: "refused"; because: Obstacle };

/**
 * Settles an entry as a person states: ends a doubt, or replaces a person's earlier statement. A refused operation can also end as done,
 * when its document was read in a drive (replaced-drive.ts). The register is asked first.
 *
 * The commit that settles the entry also writes the audit line. The journal and the audit line contain the person's words, but only the
 * audit line names the person. If two callers settle at the same time (one may be the server), one of them gets the failure
 * `journal-moved`.
 */
export async function settleByHand(services: SettlingServices, entry: Entry, statement: Statement, actor: Actor): Promise<SettledByHand> {
  const { journal, clock } = services;
  const moves = await journal.moves(entry.id);
  const { claim } = statement;
  const subject = await subjectOf(services, entry, moves, statement);
  if (subject.kind === "refused") return subject;
  const { begun, bounds } = subject;
  const decided =
    claim.kind === "done"
      ? await asDone(services, begun, moves, { ...statement, readOff: claim.readOff, bounds })
      : await asRefused(services, begun, statement);
  if (decided.kind === "refused") return decided;
  const { outcome, lacksPaper, otherSumKopecks } = decided;
  const excess = outcome.kind === "done" ? await excessOf(journal, entry) : { kind: "compared" as const, reasons: [] };
  const found: Reason[] = subject.isInDrive ? [{ code: "restored-from-drive" }] : [];
  const reasons = reasonsFor(decided, statement.said, [...found, ...(excess.kind === "compared" ? excess.reasons : [])]);
  const wasAnswered = entry.state === "done" && (await journal.answerOf(entry.id)) !== undefined;
  const audited = (tx: Parameters<typeof writeAudit>[0]) =>
    writeAudit(tx, { atMs: clock.nowMs(), key: entry.key, actor }, actOf(entry, outcome.kind, statement));
  const ended =
    entry.state === "in-doubt" || subject.isInDrive
      ? await journal.finish(await inDoubt(journal, begun), outcome, "person", reasons, audited)
      : await journal.settleAgain(entry, outcome, reasons, audited);
  const due = present({
    wrong: otherSumKopecks === undefined ? undefined : dueWhenWrong(ended),
    after: afterPerson(ended, [...moves, moveOf(ended)]),
  });
  return { kind: "settled", entry: ended, lacksPaper, wasAnswered, due, excess };
}

/**
 * The entry that a statement is about. `begun`: the entry as the checks need it, with a computed checkpoint if `bounds` is present.
 * `isInDrive`: the entry may be settled only because its document was read in a drive. `bounds`: present when the document was read in a
 * drive and the statement names this document.
 */
type Subject =
  | { kind: "subject"; begun: Entry; isInDrive: boolean; bounds?: PlaceBounds | undefined }
  | { kind: "refused"; because: Obstacle };

async function subjectOf({ journal, clock }: SettlingServices, entry: Entry, moves: readonly Move[], said: Statement): Promise<Subject> {
  const { claim, again } = said;
  const obstacle = stateObstacle(entry, moves, again);
  const place = entry.state === "refused" || again ? await placeOfId(journal, entry) : undefined;
  if (obstacle !== undefined && (place === undefined || entry.state !== "refused")) return refused(obstacle);
  const corrected = await correctedObstacle(journal, entry);
  if (corrected !== undefined) return refused(corrected);
  // An earlier statement may be taken back. But no statement may name another document than the one that was read.
  if (place === undefined || (obstacle === undefined && claim.kind === "refused")) {
    return { kind: "subject", begun: entry, isInDrive: false };
  }
  if (claim.kind !== "done" || claim.readOff.documentNumber !== place.documentNumber) return refused({ code: "stands-in-drive", ...place });
  const bounds = await boundsOf(journal, entry, place, clock.nowMs());
  return { kind: "subject", begun: { ...entry, checkpoint: bounds.checkpoint }, isInDrive: obstacle !== undefined, bounds };
}

/**
 * Returns the entry in a state that may be finished. A refused entry becomes a new attempt, with the checkpoint from before its document.
 * If the process dies after this commit, the next start finds the attempt, and a person settles it like any doubt.
 */
async function inDoubt(journal: Journal, entry: Entry): Promise<Entry> {
  return entry.state === "refused" && entry.checkpoint !== undefined ? journal.begin(entry, entry.checkpoint) : entry;
}

function actOf(entry: Entry, after: EntryState, { said }: Statement): Act {
  const { key, operation, state } = entry;
  return { storeId: operation.storeId, act: "settle", subject: key.documentId, before: state, after, ...present({ reason: said }) };
}

/** Returns the move just written, without reading the journal again. */
function moveOf({ id, attempt, movedAtMs, state }: Entry): Move {
  return { entryId: id, attempt, atMs: movedAtMs, from: "in-doubt", to: state, by: "person" };
}

/** Returns the register's answer to a person's newest statement. Undefined when it was not stored. */
export function registerSaid(moves: readonly Move[]): "confirmed" | "unconfirmed" | undefined {
  const reasons = moves.findLast(({ by, to }) => by === "person" && to !== "in-doubt")?.reasons ?? [];
  for (const { code } of reasons) if (code === "confirmed" || code === "unconfirmed") return code;
  return undefined;
}

/**
 * Returns the reasons of the move: first whether the register confirmed the claim, then the person's words, or a different sum if there are
 * no words. The other reasons follow.
 */
function reasonsFor({ confirmed, otherSumKopecks }: Decision, said: string | undefined, excess: readonly Reason[]): Reason[] {
  const words = said?.trim() ?? "";
  const saidReasons: Reason[] = words === "" ? [] : [{ code: "said", words }];
  const other: Reason[] = otherSumKopecks === undefined ? [] : [{ code: "other-sum", totalKopecks: otherSumKopecks }];
  return [{ code: confirmed ? "confirmed" : "unconfirmed" }, ...(saidReasons.length === 0 ? other : saidReasons), ...excess];
}

/** Returns the excess of a return over its sale, as for any return. The result never prevents the settling. */
async function excessOf(journal: Journal, entry: Entry): Promise<Settled["excess"]> {
  try {
    return { kind: "compared", reasons: reasonsOf(await compareReturn(journal, entry)) };
  } catch (error) {
    return { kind: "not-compared", message: messageOf(error) };
  }
}

/** Returns why the entry cannot be settled in its state. Undefined when it can. */
function stateObstacle({ state }: Entry, moves: readonly Move[], again: boolean): Obstacle | undefined {
  const decidedByPerson = mayTakeBack(state, moves);
  if (state === "in-doubt" || (again && decidedByPerson)) return undefined;
  return { code: decidedByPerson ? "settled-by-person" : "no-doubt" };
}

/** Returns the obstacle when a correction has corrected the entry. With a new statement the correction would correct nothing. */
async function correctedObstacle(journal: Journal, { key, state }: Entry): Promise<Obstacle | undefined> {
  if (state === "in-doubt") return undefined;
  const correction = (await correctionsOf(journal, key)).find((one) => one.state !== "refused");
  return correction === undefined ? undefined : { code: "corrected-since", correction };
}

async function asRefused({ ask }: SettlingServices, entry: Entry, { unconfirmed }: Statement): Promise<Decided> {
  const answer = await askRegister(ask, entry, { kind: "refused" }, unconfirmed);
  if (answer.kind === "refused") return answer;
  if (answer.kind !== "confirms" && entry.doubt !== undefined && saysRegistered(entry.doubt)) return saidBefore(entry.doubt);
  const outcome = { kind: "refused", refusal: { code: "not-registered" } } as const;
  return { kind: "decided", outcome, lacksPaper: false, confirmed: answer.kind === "confirms" };
}

async function asDone(
  { journal, clock, ask }: SettlingServices,
  entry: Entry,
  moves: readonly Move[],
  { readOff, identity: described, unconfirmed, bounds }: Statement & { readOff: ReadOff; bounds: PlaceBounds | undefined },
): Promise<Decided> {
  const misshapen = shapeProblem(entry.document, readOff);
  if (misshapen !== undefined) return refused({ code: "figures-impossible", problem: misshapen });
  const answer = await askRegister(ask, entry, { kind: "done", readOff }, unconfirmed);
  if (answer.kind === "refused") return answer;
  const { doubt } = entry;
  if (answer.kind !== "confirms" && doubt !== undefined && speaksAgainst(doubt, readOff.documentNumber ?? 0)) return saidBefore(doubt);
  const own = answer.kind === "confirms" ? ownFacts(entry, answer.facts, readOff) : undefined;
  if (own !== undefined) return own;
  const identity = answer.register?.identity ?? described ?? (await knownIdentity(journal, entry));
  if (identity === undefined) return refused({ code: "identity-unknown" });
  const confirmed = answer.kind === "confirms";
  const deviceNow = bounds?.deviceNow ?? answer.register?.now ?? deviceTimeNow(entry, moves, clock.nowMs());
  const others = await neighbours(journal, entry, readOff.shiftNumber);
  const settlement = settledFacts(entry, readOff, {
    ...{ identity, others, deviceNow, confirmed },
    ...present({ latestShift: bounds?.latestShift }),
  });
  if (settlement.kind === "impossible") return refused({ code: "figures-impossible", problem: settlement.problem });
  // The drive's facts are more complete than the paper's.
  const facts = (confirmed ? answer.facts : undefined) ?? settlement.facts;
  return { kind: "decided", outcome: { kind: "done", facts }, lacksPaper: lacksPaper(entry, facts), confirmed };
}

/**
 * Returns the facts of a drive's document with the operation's id and the typed figures. These facts are better evidence than the
 * checkpoint and the sent document. If the drive has another sum, the facts lack the receipt part: the journal's positions do not match
 * that sum, so no receipt can be drawn.
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

/** Returns done entries of the document's possible shifts: the checkpoint's shift, the next shift, and the typed shift. */
async function neighbours(journal: Journal, { register, checkpoint }: Entry, typed: number): Promise<Entry[]> {
  if (checkpoint === undefined) return [];
  const { driveNumber, shiftNumber } = checkpoint;
  const shifts = [...new Set([shiftNumber, shiftNumber + 1, typed])];
  return (await Promise.all(shifts.map((shift) => journal.doneInShift(register, driveNumber, shift)))).flat();
}

/**
 * Returns the register's answer, or the obstacle. A contradiction is always an obstacle. A missing confirmation is an obstacle unless
 * `unconfirmed` is set.
 */
async function askRegister(
  ask: SettlingServices["ask"],
  entry: Entry,
  claim: Claim,
  unconfirmed: boolean,
): Promise<Exclude<ClaimCheck, { kind: "contradicts" }> | { kind: "refused"; because: Obstacle }> {
  const answer = await askOrUnavailable(ask, entry, claim);
  if (answer.kind === "contradicts") return refused({ code: "register-contradicts", contradiction: answer.contradiction });
  if (answer.kind === "confirms" || unconfirmed) return answer;
  return refused({ code: "register-silent", cause: answer.cause });
}

async function askOrUnavailable(ask: SettlingServices["ask"], entry: Entry, claim: Claim): Promise<ClaimCheck> {
  try {
    return await ask(entry, claim);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: "cannot-tell", cause: { code: "not-available", message: error.message } };
  }
}

/**
 * Whether the paper cannot be drawn. A receipt needs its number in the shift. A closing report and a state report need figures that no
 * person types.
 */
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
