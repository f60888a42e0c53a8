import type { ReadDocument } from "../../journal/drives/lost-document.ts";
import type { EntryContent } from "../../journal/entry.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { driveUnread, unreachable } from "../../model/unreachable.ts";
import type { LookUp } from "../../registers/register.ts";
import { MAX_TURNS_REFUSED, READ_IN_A_TURN, TURNS_APART_MS, WAITED_FOR_LIMIT_MS } from "../reading-bounds.ts";
import type { EarlierAttempt } from "./earlier-attempt.ts";
import { type Given, lookUpIn, read, type Unread } from "./read-document.ts";
import {
  givesDocuments,
  IN_VAIN_LIMIT_MS,
  isTimeOver,
  logLost,
  MAX_TURNS_WITHOUT_DOCUMENTS,
  NOTED_TOGETHER,
  noteSilence,
  type Place,
  readLast,
  readOf,
  type Unreachable,
  unreadOfServer,
} from "./reading-place.ts";
import { requestUnreadAgain } from "./unread-again.ts";

/**
 * After this many unread documents in a row, each further document is requested only once: the register may be unable to return documents
 * now.
 */
const UNREAD_IN_A_ROW = 3;
/** The register after reading its drive. `left`: why the reading ended early, if it did. */
export interface ReadDrive extends Place {
  left: Left | undefined;
}

/** `end`: a number above the last number in the status, which the register neither returns nor denies. */
type Left = Unreachable | { kind: "end"; number: number };

/**
 * Reads the drive's documents that the journal lacks: a restored database lacks everything after its copy. The result of each reading is
 * recorded in the database. Documents made at the register itself cost only the reading time. `newest`: the last document number in the
 * journal.
 */
export async function readUnknown(place: Place, newest: number): Promise<ReadDrive> {
  const left = await readOn(place, newest);
  await markGaps(place, newest);
  return { ...place, left };
}

/** Notes the documents below the journal's newest document that the journal lacks. They are then requested like other unread documents. */
async function markGaps({ services: { log }, register, state: { driveNumber }, reading }: Place, newest: number): Promise<void> {
  const gaps = await reading.markGaps(newest);
  if (gaps.length === 0) return;
  const fields = { register, drive: driveNumber, documents: gaps.length, from: gaps[0], to: gaps.at(-1) };
  log.warn(fields, "the journal has lost documents below its newest, or others made them: they are read in the drive");
}

/**
 * Returns why nothing may be sent while part of the drive is unread: that part may contain this operation. Counts the turn as refused
 * while the drive's end is unknown.
 */
export function unreadProblem({ left, reading, register, services }: ReadDrive): Unreachable | undefined {
  if (left?.kind !== "end") return left;
  if (reading.turnsRefused.count === MAX_TURNS_REFUSED) return undefined;
  if (reading.turnsRefused.count === 0) {
    const fields = { register, document: left.number, refusedAtMost: MAX_TURNS_REFUSED };
    services.log.error(fields, "the register does not say whether its drive ends here: nothing is sent until it does");
  }
  reading.turnsRefused.add(services.clock, TURNS_APART_MS);
  return notGivenNow(left.number);
}

/** Looks for the operation among the documents that the journal lacked. */
export async function findLostAttempt(drive: ReadDrive, { document }: Pick<EntryContent, "document">): Promise<EarlierAttempt> {
  if (document.kind !== "receipt" && document.kind !== "correction") return { kind: "none" };
  const { reading } = drive;
  const cut = reading.lostNumber(document.reference) === undefined ? await requestUnreadAgain(drive) : undefined;
  const number = reading.lostNumber(document.reference);
  if (number !== undefined) return await take(drive, number, document.reference);
  return unreadProblem(drive) ?? (await notGiven(drive, cut)) ?? { kind: "none" };
}

/**
 * Returns the refusal while an unread document may be this operation's document (`unreadOfServer`). For documents that were requested in
 * vain, at most `MAX_TURNS_REFUSED` turns are refused. A turn whose register could not be reached does not count. After these turns,
 * further turns are refused only for a document that was never requested, and only if the register returns other documents. `cut`: the
 * refusal of `requestUnreadAgain` when the register could not be reached.
 */
export async function notGiven(place: Place, cut: Unreachable | undefined): Promise<Unreachable | undefined> {
  const { reading, services } = place;
  const waitedFor = await unreadOfServer(place);
  const [first] = waitedFor;
  if (first === undefined) return undefined;
  const notAsked = waitedFor.find(([, requests]) => requests === 0);
  if (reading.turnsRefused.count < MAX_TURNS_REFUSED) {
    if (cut !== undefined) return cut;
    // Many documents take many turns. So a turn counts as refused only when every unread document was requested already, or when the
    // register returns no documents.
    const isReadOn = notAsked !== undefined && reading.givesDocuments;
    if (!isReadOn) reading.turnsRefused.add(services.clock, TURNS_APART_MS);
    return notGivenNow(first[0]);
  }
  return notAsked !== undefined && (await givesDocuments(place)) ? notGivenNow(notAsked[0]) : undefined;
}

function notGivenNow(number: number): Unreachable {
  return { kind: "unreachable", refusal: driveUnread("document-not-given", { number: `${number}` }) };
}

/** Returns why the reading ended early, if it did. */
async function readOn(place: Place, newest: number): Promise<Left | undefined> {
  const { reading, state, services } = place;
  const { lastDocumentNumber: last, driveNumber } = state;
  const { readTo } = reading;
  if (reading.endWasSeen && readTo !== undefined) {
    if (last <= readTo) return undefined;
    if (last === readTo + 1 && newest === last) {
      await reading.keep(last);
      return undefined;
    }
  }
  const from = readTo ?? Math.max(0, newest === 0 ? last - READ_IN_A_TURN : Math.min(newest, last - READ_IN_A_TURN));
  const made = last > from ? await services.journal.documentNumbers(driveNumber, from) : new Set<number>();
  for (const number of [...reading.lostNumbers, ...reading.leftOut]) if (number <= last) made.add(number);
  const round = new Round(place, from);
  try {
    return await round.read(made);
  } finally {
    round.logLost();
  }
}

/** One turn's reading, in the order of the document numbers. */
class Round {
  readonly #place: Place;
  readonly #lost: number[] = [];
  #readTo: number;
  #documents: ReadDocument[] = [];
  #requested = 0;
  #unread = 0;
  #inVainMs = 0;
  /** Documents left to later turns. */
  #leftOut = 0;

  constructor(place: Place, from: number) {
    this.#place = place;
    this.#readTo = from;
  }

  /**
   * Reads up to the last number in the status. Then it reads further until the drive shows its end, because the status may be old. The
   * drive has every number up to its last number. If the register denies such a number, the document exists but was not returned.
   */
  async read(made: ReadonlySet<number>): Promise<Left | undefined> {
    const { reading, state } = this.#place;
    const last = state.lastDocumentNumber;
    for (let number = this.#readTo + 1; ; number += 1) {
      if (made.has(number)) {
        this.#reach(number);
        continue;
      }
      if (this.#isOver()) return await this.#continueNextTurn(last);
      const found = await this.#request(number, last);
      if (found.kind === "unreachable") {
        await this.#note();
        if (number <= last) await noteSilence(this.#place, number);
        return { kind: "unreachable", refusal: unreachable(found.reason) };
      }
      if (found.kind === "absent") {
        reading.endWasSeen = true;
        await this.#note();
        return undefined;
      }
      if (found.kind === "unread" && number > last) {
        reading.endWasSeen = false;
        await this.#note();
        return await this.#withoutEnd(number);
      }
      this.#reach(number, found);
      if (this.#documents.length >= NOTED_TOGETHER) await this.#note();
    }
  }

  /**
   * Decides whether the drive ends before the unread number. If the register returns or denies the drive's last document, or has returned
   * any document since the process began, the line may be bad and further documents may follow. Otherwise the register seems to return no
   * documents at all, and refusing sales would not help.
   */
  async #withoutEnd(number: number): Promise<Left | undefined> {
    const { reading, services } = this.#place;
    const last = await readLast(this.#place);
    if (last.kind === "unreachable") return { kind: "unreachable", refusal: unreachable(last.reason) };
    if (last.kind !== "unread" || reading.givesDocuments) return { kind: "end", number };
    reading.turnsWithoutDocuments.add(services.clock, TURNS_APART_MS);
    reading.endWasSeen = reading.turnsWithoutDocuments.count >= MAX_TURNS_WITHOUT_DOCUMENTS;
    return undefined;
  }

  /** Whether the rest is left to later turns. A turn reads at least one document, however long it takes. */
  #isOver(): boolean {
    return this.#requested === READ_IN_A_TURN || (this.#requested > 0 && isTimeOver(this.#place));
  }

  /** Requests a document. Returns `absent` only for a number above the last number in the status. */
  async #request(number: number, last: number): Promise<LookUp | Unread> {
    const { clock } = this.#place.services;
    const isHopeless = this.#unread >= UNREAD_IN_A_ROW && number <= last;
    if (isHopeless && this.#inVainMs >= IN_VAIN_LIMIT_MS) {
      this.#leftOut += 1;
      return { kind: "unread", reason: "left to later turns", asked: false };
    }
    this.#requested += 1;
    const startedMs = clock.monotonicMs();
    const answer = await read(this.#place, number, isHopeless ? { attempts: 1 } : {});
    const found = answer.kind === "absent" && number <= last ? DENIED : answer;
    if (found.kind === "unreachable") return found;
    this.#unread = found.kind === "unread" ? this.#unread + 1 : 0;
    if (found.kind === "unread") this.#inVainMs += clock.monotonicMs() - startedMs;
    if (found.kind === "unread" && number <= last) logUnread(this.#place, number, found.reason);
    return found;
  }

  /** Logs one line for all lost documents and one for the documents left to later turns, even after an early end. */
  logLost(): void {
    logLost(this.#place, this.#lost);
    const { services, register } = this.#place;
    if (this.#leftOut > 0) services.log.warn({ register, documents: this.#leftOut }, "documents of the drive are left to later turns");
  }

  /** Records a number that exists. */
  #reach(number: number, found?: Given | Unread): void {
    this.#readTo = number;
    if (found === undefined) return;
    const document = readOf(number, found);
    this.#documents.push(document);
    if (document.kind === "own") this.#lost.push(number);
  }

  async #note(): Promise<void> {
    await this.#place.reading.keep(this.#readTo, this.#documents);
    this.#documents = [];
  }

  async #continueNextTurn(last: number): Promise<Unreachable> {
    await this.#note();
    const { services, register, state } = this.#place;
    // `last` may be old. The drive's end was not seen, so at least one document is left.
    const left = Math.max(1, last - this.#readTo);
    const next = "sales and returns are refused until all have been read: repeat them";
    services.log.warn(
      { register, drive: state.driveNumber, readTo: this.#readTo, last, next },
      "the drive has more than one turn can read",
    );
    return { kind: "unreachable", refusal: driveUnread("documents-to-read", { left: `${left}` }) };
  }
}

const DENIED: Unread = { kind: "unread", reason: "the register denies it, though its last document has a higher number", asked: true };

function logUnread({ services, register }: Place, document: number, reason: string): void {
  services.log.error({ register, document, reason }, "the register does not give a document that the journal does not have");
}

async function take({ services, device, state }: Place, number: number, reference: string): Promise<EarlierAttempt> {
  const found = await lookUpIn(state.driveNumber, device, number, deadlineIn(services.clock, WAITED_FOR_LIMIT_MS));
  if (found.kind === "unreachable") return { kind: "unreachable", refusal: unreachable(found.reason) };
  if (found.kind === "found" && found.reference === reference) return { kind: "found", found };
  return notGivenNow(number);
}
