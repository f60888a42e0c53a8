import type { DriveReading, ReadDocument } from "../../journal/drive-readings.ts";
import type { EntryContent } from "../../journal/entry.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { driveUnread, unreachable } from "../../model/unreachable.ts";
import type { LookUp, Register, RegisterState } from "../../registers/register.ts";
import { READ_IN_A_TURN } from "../reading-bounds.ts";
import { isOurReference } from "../reference.ts";
import { INSPECT_LIMIT_MS, type TurnServices } from "../services.ts";
import type { EarlierAttempt } from "./earlier-attempt.ts";

/** Documents read before the progress is stored. A process that dies has to read at most this many again. */
const NOTED_TOGETHER = 50;
/**
 * How often a document is requested when the register answers but does not give it. One failed read must not refuse a
 * sale.
 */
const ATTEMPTS = 3;
/** After this many unread documents in a row, the register is taken to give none now. The rest are not requested. */
const UNREAD_IN_A_ROW = 3;
/**
 * Later turns of sales request an unread document again, at most this often in the life of the process: it may be
 * unreadable for ever.
 */
const MAX_REQUESTS_AGAIN = 10;
/**
 * Turns that are refused while the register does not give one document, or does not say where its drive ends. After
 * that the document is taken to be unreadable for ever.
 */
const MAX_TURNS_REFUSED = 5;
/** Turns that look for the end of a drive whose register gives no document at all. Then the number in its status is the end. */
const MAX_TURNS_WITHOUT_DOCUMENTS = 5;
/** A turn stops requesting unread documents after this many failures. */
const UNREAD_AGAIN = 2;

/** The register of the turn, and what is known of its drive. */
interface Place {
  services: Pick<TurnServices, "clock" | "journal" | "log">;
  device: Register;
  /** Canonical address. */
  register: string;
  state: RegisterState;
  reading: DriveReading;
}

/** The place after its drive was read. `left`: why reading ended early, if it did. */
export interface ReadDrive extends Place {
  left: Left | undefined;
}

/**
 * `end`: the number lies behind the last one in the status, and the register neither gives that document nor denies it.
 */
type Left = Unreachable | { kind: "end"; number: number };

type Unreachable = Extract<EarlierAttempt, { kind: "unreachable" }>;

/**
 * Reads the documents that the drive has and the journal does not: a restored copy of the database lacks everything
 * after the copy. Each document is read once and noted in the journal's database. Documents that somebody made at the
 * register itself cost only this time. `newest`: the last document number in the journal.
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

/** Why nothing may be sent while part of the drive is unread: this very operation may be there. */
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
  await requestUnreadAgain(drive);
  const number = drive.reading.lostNumber(document.reference);
  if (number !== undefined) return await take(drive, number, document.reference);
  return unreadProblem(drive) ?? (await notGiven(drive)) ?? { kind: "none" };
}

/**
 * An unread document may be this very operation when its number is behind the first document of the journal. For some
 * turns nothing is sent because of it. A document before the journal's first was made before this server had the
 * register.
 */
async function notGiven({ services, reading, state }: ReadDrive): Promise<Unreachable | undefined> {
  if (reading.unread.size === 0 || reading.turnsRefused === MAX_TURNS_REFUSED) return undefined;
  const first = await services.journal.firstDocumentNumber(state.driveNumber);
  const number = first === undefined ? undefined : [...reading.unread.keys()].find((one) => one > first);
  if (number === undefined) return undefined;
  reading.turnsRefused += 1;
  return notGivenNow(number);
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
  /** Numbers behind `#readTo` that the drive says it does not have. */
  #absent: number[] = [];
  #requested = 0;
  /** Unread documents in a row. */
  #unread = 0;

  constructor(place: Place, from: number) {
    this.#place = place;
    this.#readTo = from;
  }

  /** Reads until the drive says where it ends. The last number in the status may be too low or too high. */
  async read(made: ReadonlySet<number>): Promise<Left | undefined> {
    const { reading, state } = this.#place;
    const last = state.lastDocumentNumber;
    for (let number = this.#readTo + 1; ; number += 1) {
      if (made.has(number)) {
        this.#reach(number);
        continue;
      }
      if (this.#requested === READ_IN_A_TURN) return await this.#continueNextTurn(last);
      const found = await this.#request(number, last);
      if (found.kind === "unreachable") {
        await this.#note();
        return { kind: "unreachable", refusal: unreachable(found.reason) };
      }
      if (number > last && (found.kind === "absent" || found.kind === "unread")) {
        reading.endWasSeen = found.kind === "absent" && this.#absent.length === 0;
        await this.#note();
        return found.kind === "absent" ? undefined : await this.#withoutEnd(number);
      }
      if (found.kind === "absent") this.#absent.push(number);
      else this.#reach(number, found);
      if (this.#absent.length === ATTEMPTS) {
        await this.#note();
        return undefined;
      }
      if (this.#documents.length >= NOTED_TOGETHER) await this.#note();
    }
  }

  /**
   * The register gives some documents and not this one: the drive may go on here. A register that does not even give its
   * last document gives none, and a refused sale would not change that.
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

  async #request(number: number, last: number): Promise<LookUp | Unread> {
    if (this.#unread === UNREAD_IN_A_ROW && number <= last) return { kind: "unread", reason: "none of the last was given" };
    this.#requested += 1;
    const found = await read(this.#place, number);
    if (found.kind === "unread" && number <= last) logUnread(this.#place, number, found.reason);
    if (found.kind !== "unreachable") this.#unread = found.kind === "unread" ? this.#unread + 1 : 0;
    return found;
  }

  /** Logs one line for all lost documents, also when reading ended early. */
  logLost(): void {
    logLost(this.#place, this.#lost);
  }

  /** Notes a number that exists. Numbers before it that the drive denied must exist too, so they count as unread. */
  #reach(number: number, found?: Extract<LookUp, { kind: "found" | "foreign" }> | Unread): void {
    for (const absent of this.#absent) this.#documents.push({ number: absent, kind: "unread" });
    this.#absent = [];
    this.#readTo = number;
    if (found === undefined) return;
    const document = readOf(number, found);
    this.#documents.push(document);
    if (document.kind === "ours") this.#lost.push(number);
  }

  async #note(): Promise<void> {
    await this.#place.reading.keep(this.#readTo, this.#documents);
    this.#documents = [];
  }

  async #continueNextTurn(last: number): Promise<Unreachable> {
    await this.#note();
    const { services, register, state } = this.#place;
    const left = last - this.#readTo;
    const next = "sales and returns are refused until all have been read: repeat them";
    services.log.warn(
      { register, drive: state.driveNumber, readTo: this.#readTo, last, next },
      "the drive has more than one turn can read",
    );
    return { kind: "unreachable", refusal: driveUnread("documents-to-read", { left: `${left}` }) };
  }
}

/** The register answers but does not give the document. */
interface Unread {
  kind: "unread";
  reason: string;
}

async function read({ services: { clock }, device }: Place, number: number): Promise<LookUp | Unread> {
  let reason = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const found = await device.lookUp(number, deadlineIn(clock, INSPECT_LIMIT_MS));
    if (found.kind !== "unreachable") return found;
    const seen = await device.inspect(deadlineIn(clock, INSPECT_LIMIT_MS));
    if (seen.kind === "unreachable") return found;
    reason = found.reason;
  }
  return { kind: "unread", reason };
}

function logUnread({ services, register }: Place, document: number, reason: string): void {
  services.log.error({ register, document, reason }, "the register does not give a document that the journal does not have");
}

function readOf(number: number, found: Extract<LookUp, { kind: "found" | "foreign" }> | Unread): ReadDocument {
  if (found.kind === "unread") return { number, kind: "unread" };
  const { reference, facts } = found.kind === "found" ? found : {};
  if (facts?.document === "open-shift" || facts?.document === "close-shift") {
    return { number, kind: "report", report: facts.document, shiftNumber: facts.shiftNumber };
  }
  return reference !== undefined && isOurReference(reference) ? { number, kind: "ours", reference } : { number, kind: "others" };
}

/** Requests the documents that the register did not give before. */
export async function requestUnreadAgain(place: Place): Promise<void> {
  const { services, device, reading, state, register } = place;
  const due = [...reading.unread].filter(([, requests]) => requests < MAX_REQUESTS_AGAIN).slice(0, READ_IN_A_TURN);
  const given: ReadDocument[] = [];
  let failed = 0;
  for (const [number] of due) {
    const found = await device.lookUp(number, deadlineIn(services.clock, INSPECT_LIMIT_MS));
    if (found.kind === "found" || found.kind === "foreign") given.push(readOf(number, found));
    else {
      reading.countRequest(number);
      failed += 1;
    }
    if (failed === UNREAD_AGAIN) break;
  }
  if (given.length === 0 || reading.readTo === undefined) return;
  await reading.keep(reading.readTo, given);
  const documents = given.map(({ number }) => number);
  services.log.warn({ register, drive: state.driveNumber, documents }, "the register gives documents that it did not give before");
  logLost(
    place,
    given.flatMap(({ number, kind }) => (kind === "ours" ? [number] : [])),
  );
}

function logLost({ services, register, state }: Place, documents: readonly number[]): void {
  if (documents.length === 0) return;
  const next =
    "was an older copy of the database restored? Sales and returns among them are found when the platform repeats them; " +
    "compare cash in and out since the copy by hand: slips stand in no drive, and a repeat moves the money again";
  services.log.error(
    { register, drive: state.driveNumber, documents, next },
    "the drive has documents of ours that the journal does not have",
  );
}

/** Reads the document from the drive again. */
async function take({ services, device }: Place, number: number, reference: string): Promise<EarlierAttempt> {
  const found = await device.lookUp(number, deadlineIn(services.clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") return { kind: "unreachable", refusal: unreachable(found.reason) };
  if (found.kind === "found" && found.reference === reference) return { kind: "found", found };
  return notGivenNow(number);
}
