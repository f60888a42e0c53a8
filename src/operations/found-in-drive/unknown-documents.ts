import type { DriveReading, ReadDocument } from "../../journal/drive-readings.ts";
import type { EntryContent } from "../../journal/entry.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { driveUnread, unreachable } from "../../model/unreachable.ts";
import type { LookUp, Register, RegisterState } from "../../registers/register.ts";
import { READ_IN_A_TURN, READ_IN_A_TURN_MS } from "../reading-bounds.ts";
import { isOwnReference } from "../reference.ts";
import { INSPECT_LIMIT_MS, type TurnServices } from "../services.ts";
import type { EarlierAttempt } from "./earlier-attempt.ts";

/** The number of documents that are read before the progress is stored. A process that dies has to read at most this many again. */
const NOTED_TOGETHER = 50;
/** How often a document is requested when the register answers but does not return it. One failed read must not refuse a sale. */
const ATTEMPTS = 3;
/** After this many unread documents in a row, each further document is requested only once: the register may return none now. */
const UNREAD_IN_A_ROW = 3;
/**
 * The time that one turn spends on requests in vain before it leaves the other documents to later turns. A register that refuses a request
 * answers within 50 ms, so this is enough for 200 documents. A request without any answer takes 5 s.
 */
const IN_VAIN_LIMIT_MS = 10_000;
/**
 * The largest number of requests for an unread document since the process began: it may be unreadable for ever. Later turns of sales make
 * these requests.
 */
const MAX_REQUESTS = 10;
/**
 * The number of turns that are refused while the register does not return a document, or does not show where its drive ends. After that the
 * requested documents are taken as unreadable for ever.
 */
const MAX_TURNS_REFUSED = 5;
/**
 * The number of turns that look for the end of a drive whose register returns no document at all. After that the number in its status is
 * taken as the end.
 */
const MAX_TURNS_WITHOUT_DOCUMENTS = 5;
/** The largest number of requests in vain in one turn for documents that no longer delay sales. */
const MAX_IN_VAIN = 2;

/** The register of the turn, and the known facts about its drive. */
interface Place {
  services: Pick<TurnServices, "clock" | "journal" | "log">;
  device: Register;
  /** Canonical address. */
  register: string;
  state: RegisterState;
  reading: DriveReading;
}

/** The register after its drive was read. `left`: why the reading ended early, if it did. */
export interface ReadDrive extends Place {
  left: Left | undefined;
}

/** `end`: the number is above the last number in the status, and the register neither returns this document nor denies it. */
type Left = Unreachable | { kind: "end"; number: number };

type Unreachable = Extract<EarlierAttempt, { kind: "unreachable" }>;

/**
 * Reads the documents that the drive has and the journal does not have: a restored copy of the database lacks everything after the copy.
 * Each document is read once and recorded in the journal's database. Documents that somebody made at the register itself cost only the time
 * to read them. `newest`: the last document number in the journal.
 */
export async function readUnknown(
  services: Pick<TurnServices, "clock" | "journal" | "log">,
  device: Register,
  { register }: Pick<EntryContent, "register">,
  state: RegisterState,
  newest: number,
): Promise<ReadDrive> {
  const reading = await services.journal.drives.of(state.driveNumber, newest);
  const place = { services, device, register, state, reading };
  return { ...place, left: await readOn(place, newest) };
}

/** The reason why nothing may be sent while part of the drive is unread: this operation may already be in that part. */
export function unreadProblem({ left, reading, register, services }: ReadDrive): Unreachable | undefined {
  if (left?.kind !== "end") return left;
  if (reading.turnsRefused === MAX_TURNS_REFUSED) return undefined;
  if (reading.turnsRefused === 0) {
    const fields = { register, document: left.number, refusedAtMost: MAX_TURNS_REFUSED };
    services.log.error(fields, "the register does not say whether its drive ends here: nothing is sent until it does");
  }
  reading.turnsRefused += 1;
  return notGivenNow(left.number);
}

/** Looks whether the operation is among the documents that the journal lacked. */
export async function findLostAttempt(drive: ReadDrive, { document }: Pick<EntryContent, "document">): Promise<EarlierAttempt> {
  if (document.kind !== "receipt" && document.kind !== "correction") return { kind: "none" };
  const { reading } = drive;
  if (reading.lostNumber(document.reference) === undefined) await requestUnreadAgain(drive);
  const number = reading.lostNumber(document.reference);
  if (number !== undefined) return await take(drive, number, document.reference);
  return unreadProblem(drive) ?? (await notGiven(drive)) ?? { kind: "none" };
}

/**
 * Returns the refusal while an unread document may be this operation's document. At most `MAX_TURNS_REFUSED` turns are refused for
 * requested documents. Later turns are refused only while one of the unread documents was never requested and the register returns other
 * documents.
 */
async function notGiven(place: Place): Promise<Unreachable | undefined> {
  const { reading } = place;
  const waitedFor = await unreadOfServer(place);
  if (reading.turnsRefused < MAX_TURNS_REFUSED) {
    const [first] = waitedFor;
    if (first === undefined) return undefined;
    reading.turnsRefused += 1;
    return notGivenNow(first);
  }
  const notAsked = waitedFor.find((number) => reading.unread.get(number) === 0);
  return notAsked !== undefined && (await givesDocuments(place)) ? notGivenNow(notAsked) : undefined;
}

/**
 * Whether the register returns any document of its drive. If it has returned none yet, its last document is requested.
 */
async function givesDocuments(place: Place): Promise<boolean> {
  if (!place.reading.givesDocuments) await read(place, place.state.lastDocumentNumber, 1);
  return place.reading.givesDocuments;
}

/** The unread documents after the first document of the journal. An earlier document was made before this server used the register. */
async function unreadOfServer({ services, reading, state }: Place): Promise<number[]> {
  if (reading.unread.size === 0) return [];
  const first = await services.journal.firstDocumentNumber(state.driveNumber);
  return first === undefined ? [] : [...reading.unread.keys()].filter((one) => one > first);
}

function notGivenNow(number: number): Unreachable {
  return { kind: "unreachable", refusal: driveUnread("document-not-given", { number: `${number}` }) };
}

/** Reads further. Returns why it ended early, undefined when all was read. */
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
  readonly #startedMs: number;
  /** Unread documents in a row. */
  #unread = 0;
  #inVainMs = 0;
  /** Documents that are left to later turns. */
  #leftOut = 0;

  constructor(place: Place, from: number) {
    this.#place = place;
    this.#readTo = from;
    this.#startedMs = place.services.clock.monotonicMs();
  }

  /**
   * Reads up to the last number in the status, and further until the drive shows its end, because the status may be
   * old. The drive has every number up to its last number. So when the register denies such a number, the document
   * exists and was not returned.
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
   * Decides whether the unread number is the end of the drive. If the register returns its last document, the drive may
   * have further documents. A register that does not return even its last document returns none, and a refused sale
   * would not change that.
   */
  async #withoutEnd(number: number): Promise<Left | undefined> {
    const { reading, state } = this.#place;
    const last = await read(this.#place, state.lastDocumentNumber);
    if (last.kind === "unreachable") return { kind: "unreachable", refusal: unreachable(last.reason) };
    if (last.kind !== "unread") return { kind: "end", number };
    reading.turnsWithoutDocuments += 1;
    reading.endWasSeen = reading.turnsWithoutDocuments === MAX_TURNS_WITHOUT_DOCUMENTS;
    return undefined;
  }

  /** Whether the rest is left to later turns. At least one document is read in a turn, however long it takes. */
  #isOver(): boolean {
    if (this.#requested === READ_IN_A_TURN) return true;
    return this.#requested > 0 && this.#place.services.clock.monotonicMs() - this.#startedMs >= READ_IN_A_TURN_MS;
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
    const answer = await read(this.#place, number, isHopeless ? 1 : ATTEMPTS);
    const found = answer.kind === "absent" && number <= last ? DENIED : answer;
    if (found.kind === "unreachable") return found;
    this.#unread = found.kind === "unread" ? this.#unread + 1 : 0;
    if (found.kind === "unread") this.#inVainMs += clock.monotonicMs() - startedMs;
    if (found.kind === "unread" && number <= last) logUnread(this.#place, number, found.reason);
    return found;
  }

  /** Logs one line for all lost documents, and one for those left to later turns, also after an early end. */
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
    // The status may be older than the drive. One more document is counted for the end that was not seen.
    const left = Math.max(1, last - this.#readTo);
    const next = "sales and returns are refused until all have been read: repeat them";
    services.log.warn(
      { register, drive: state.driveNumber, readTo: this.#readTo, last, next },
      "the drive has more than one turn can read",
    );
    return { kind: "unreachable", refusal: driveUnread("documents-to-read", { left: `${left}` }) };
  }
}

/** The register answers but does not return the document. `asked`: the document was requested in this turn. */
interface Unread {
  kind: "unread";
  reason: string;
  asked: boolean;
}

type Given = Extract<LookUp, { kind: "found" | "foreign" }>;

const DENIED: Unread = { kind: "unread", reason: "the register denies it, though its last document has a higher number", asked: true };

/** Requests a document. Distinguishes a register that does not return the document from a register that is silent. */
export async function read(
  { services: { clock }, device, reading }: Pick<Place, "device" | "reading"> & { services: Pick<TurnServices, "clock"> },
  number: number,
  attempts = ATTEMPTS,
): Promise<LookUp | Unread> {
  let reason = "";
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const found = await device.lookUp(number, deadlineIn(clock, INSPECT_LIMIT_MS));
    if (isGiven(found)) reading.givesDocuments = true;
    if (found.kind !== "unreachable") return found;
    const seen = await device.inspect(deadlineIn(clock, INSPECT_LIMIT_MS));
    if (seen.kind === "unreachable") return found;
    reason = found.reason;
  }
  return { kind: "unread", reason, asked: true };
}

function isGiven(found: LookUp | Unread): found is Given {
  return found.kind === "found" || found.kind === "foreign";
}

function logUnread({ services, register }: Place, document: number, reason: string): void {
  services.log.error({ register, document, reason }, "the register does not give a document that the journal does not have");
}

function readOf(number: number, found: Given | Unread): ReadDocument {
  if (found.kind === "unread") return { number, kind: "unread", asked: found.asked };
  const { reference, facts } = found.kind === "found" ? found : {};
  if (facts?.document === "open-shift" || facts?.document === "close-shift") {
    return { number, kind: "report", report: facts.document, shiftNumber: facts.shiftNumber };
  }
  return reference !== undefined && isOwnReference(reference) ? { number, kind: "own", reference } : { number, kind: "others" };
}

/**
 * Requests the documents that the register did not return before. The documents with the fewest requests come first. As
 * long as sales wait for documents, a turn spends more time on these requests.
 */
export async function requestUnreadAgain(place: Place): Promise<void> {
  const { services, reading, state, register } = place;
  const given: ReadDocument[] = [];
  const waits = keepsSalesWaiting(reading);
  let inVain = 0;
  let inVainMs = 0;
  const begunMs = services.clock.monotonicMs();
  for (const number of dueAgain(reading)) {
    const startedMs = services.clock.monotonicMs();
    if (startedMs - begunMs >= READ_IN_A_TURN_MS) break;
    const found = await read(place, number, 1);
    if (found.kind === "unreachable") break;
    if (isGiven(found)) {
      // The journal may have the document by now, found by its operation.
      const isKnown = await services.journal.hasDocument(state.driveNumber, number);
      given.push(isKnown ? { number, kind: "others" } : readOf(number, found));
      continue;
    }
    reading.countRequest(number);
    inVain += 1;
    inVainMs += services.clock.monotonicMs() - startedMs;
    if (waits ? inVainMs >= IN_VAIN_LIMIT_MS : inVain === MAX_IN_VAIN) break;
  }
  if (given.length === 0 || reading.readTo === undefined) return;
  await reading.keep(reading.readTo, given);
  const documents = given.map(({ number }) => number);
  services.log.warn({ register, drive: state.driveNumber, documents }, "the register gives documents that it did not give before");
  logLost(
    place,
    given.flatMap(({ number, kind }) => (kind === "own" ? [number] : [])),
  );
}

function dueAgain(reading: DriveReading): number[] {
  const due = [...reading.unread].filter(([, requests]) => requests < MAX_REQUESTS).sort(([, a], [, b]) => a - b);
  return due.slice(0, READ_IN_A_TURN).map(([number]) => number);
}

/** Whether sales are refused, or may be refused, because of documents that the register did not return. */
function keepsSalesWaiting({ turnsRefused, givesDocuments, unread }: DriveReading): boolean {
  return turnsRefused < MAX_TURNS_REFUSED || (givesDocuments && [...unread.values()].includes(0));
}

function logLost({ services, register, state }: Place, documents: readonly number[]): void {
  if (documents.length === 0) return;
  const next =
    "was an older copy of the database restored? Sales and returns among them are found when the platform repeats them; " +
    "compare cash in and out since the copy by hand: slips stand in no drive, and a repeat moves the money again";
  services.log.error(
    { register, drive: state.driveNumber, documents, next },
    "the drive has documents of this server that the journal does not have",
  );
}

/** Reads the document from the drive again. */
async function take({ services, device }: Place, number: number, reference: string): Promise<EarlierAttempt> {
  const found = await device.lookUp(number, deadlineIn(services.clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") return { kind: "unreachable", refusal: unreachable(found.reason) };
  if (found.kind === "found" && found.reference === reference) return { kind: "found", found };
  return notGivenNow(number);
}
