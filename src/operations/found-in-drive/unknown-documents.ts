import type { DriveReading, ReadDocument } from "../../journal/drive-readings.ts";
import type { EntryContent } from "../../journal/entry.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { driveUnread, unreachable } from "../../model/unreachable.ts";
import type { LookUp, Register, RegisterState } from "../../registers/register.ts";
import { READ_IN_A_TURN } from "../reading-bounds.ts";
import { isOurReference } from "../reference.ts";
import { INSPECT_LIMIT_MS, type TurnServices } from "../services.ts";
import type { EarlierAttempt } from "./earlier-attempt.ts";

/** Documents that are read before it is noted how far: what a process that dies has to read again. */
const NOTED_TOGETHER = 50;
/** A document that the register does not give, though it answers, is asked for so often: one more sale must not fail for it. */
const ATTEMPTS = 3;
/** After so many such documents one behind the other it gives none now, and is not asked for the rest. */
const UNREAD_IN_A_ROW = 3;
/** They are asked for again in the turns of sales, each so often since the process began: it may be broken for ever. */
const MAX_ASKED_AGAIN = 10;
/**
 * So many turns are refused while one of them is not given, or while the register does not say where its drive ends:
 * then it is taken to be broken for ever.
 */
const MAX_TURNS_REFUSED = 5;
/** A turn leaves them when so many more are not given. */
const UNREAD_AGAIN = 2;

/** Where the turn stands: the register that answers, and what is known of its drive. */
interface Place {
  services: Pick<TurnServices, "clock" | "journal" | "log">;
  device: Register;
  /** Its address. */
  register: string;
  state: RegisterState;
  reading: DriveReading;
}

/** Place, and what of its drive could not be read. */
export interface ReadDrive extends Place {
  left: Left | undefined;
}

/** `end`: behind the last number that its status tells, the register does not give a document and does not deny it. */
type Left = Unreachable | { kind: "end"; number: number };

type Unreachable = Extract<EarlierAttempt, { kind: "unreachable" }>;

/**
 * Reads the documents that the drive has and the journal does not: a copy of the database that was restored knows nothing
 * of what came after it. Each of them is read once and noted in the journal's own database; those that somebody made at
 * the register itself cost this time and nothing else. `newest`: the last that the journal has.
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

/** Why nothing may be sent beside what was not read: this very operation may stand there. */
export function leftUnread({ left, reading, register, services }: ReadDrive): Unreachable | undefined {
  if (left?.kind !== "end") return left;
  if (reading.turnsRefused === MAX_TURNS_REFUSED) return undefined;
  if (reading.turnsRefused === 0) {
    const fields = { register, document: left.number, refusedAtMost: MAX_TURNS_REFUSED };
    services.log.error(fields, "the register does not say whether its drive ends here: nothing is sent until it does");
  }
  reading.turnsRefused += 1;
  return notGivenNow(left.number);
}

/** Looks whether the operation stands among them. */
export async function findLostAttempt(drive: ReadDrive, { document }: Pick<EntryContent, "document">): Promise<EarlierAttempt> {
  if (document.kind !== "receipt" && document.kind !== "correction") return { kind: "none" };
  await askAgain(drive);
  const number = drive.reading.lostNumber(document.reference);
  if (number !== undefined) return await take(drive, number, document.reference);
  return leftUnread(drive) ?? (await notGiven(drive)) ?? { kind: "none" };
}

/**
 * A document that was not given may be this very operation, where it was made behind one that the journal has: for some
 * turns nothing is sent beside it. What stands before all that the journal has was made before this server had the register.
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

/** What was left; undefined when all was read. */
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
    round.tell();
  }
}

/** The reading of one turn, in the order of the numbers. */
class Round {
  readonly #place: Place;
  readonly #lost: number[] = [];
  #readTo: number;
  #documents: ReadDocument[] = [];
  /** Numbers that the drive says it does not have, behind `#readTo`. */
  #absent: number[] = [];
  #asked = 0;
  /** Not given, one behind the other. */
  #unread = 0;

  constructor(place: Place, from: number) {
    this.#place = place;
    this.#readTo = from;
  }

  /** Until the drive says that it ends: the status of its register may be older, and may say more than there is. */
  async read(made: ReadonlySet<number>): Promise<Left | undefined> {
    const { reading, state } = this.#place;
    const last = state.lastDocumentNumber;
    for (let number = this.#readTo + 1; ; number += 1) {
      if (made.has(number)) {
        this.#reach(number);
        continue;
      }
      if (this.#asked === READ_IN_A_TURN) return await this.#laterOn(last);
      const found = await this.#ask(number, last);
      if (found.kind === "unreachable") {
        await this.#note();
        return { kind: "unreachable", refusal: unreachable(found.reason) };
      }
      if (number > last && (found.kind === "absent" || found.kind === "unread")) {
        reading.endWasSeen = found.kind === "absent" && this.#absent.length === 0;
        await this.#note();
        return found.kind === "absent" ? undefined : { kind: "end", number };
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

  async #ask(number: number, last: number): Promise<LookUp | Unread> {
    if (this.#unread === UNREAD_IN_A_ROW && number <= last) return { kind: "unread", reason: "none of the last was given" };
    this.#asked += 1;
    const found = await read(this.#place, number);
    if (found.kind === "unread" && number <= last) tellOfUnread(this.#place, number, found.reason);
    if (found.kind !== "unreachable") this.#unread = found.kind === "unread" ? this.#unread + 1 : 0;
    return found;
  }

  /** One line for all, also when the reading ends early. */
  tell(): void {
    tellOfLost(this.#place, this.#lost);
  }

  /** A number that is there; what was said to be absent before it is only not given. */
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

  async #laterOn(last: number): Promise<Unreachable> {
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

/** The register answers, and does not give the document. */
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

function tellOfUnread({ services, register }: Place, document: number, reason: string): void {
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

/** What the register did not give before. */
export async function askAgain(place: Place): Promise<void> {
  const { services, device, reading, state, register } = place;
  const due = [...reading.unread].filter(([, asked]) => asked < MAX_ASKED_AGAIN).slice(0, READ_IN_A_TURN);
  const given: ReadDocument[] = [];
  let failed = 0;
  for (const [number] of due) {
    const found = await device.lookUp(number, deadlineIn(services.clock, INSPECT_LIMIT_MS));
    if (found.kind === "found" || found.kind === "foreign") given.push(readOf(number, found));
    else {
      reading.askedAgain(number);
      failed += 1;
    }
    if (failed === UNREAD_AGAIN) break;
  }
  if (given.length === 0 || reading.readTo === undefined) return;
  await reading.keep(reading.readTo, given);
  const documents = given.map(({ number }) => number);
  services.log.warn({ register, drive: state.driveNumber, documents }, "the register gives documents that it did not give before");
  tellOfLost(
    place,
    given.flatMap(({ number, kind }) => (kind === "ours" ? [number] : [])),
  );
}

function tellOfLost({ services, register, state }: Place, documents: readonly number[]): void {
  if (documents.length === 0) return;
  const next =
    "was an older copy of the database restored? Sales and returns among them are found when the platform repeats them; " +
    "compare cash in and out since the copy by hand: slips stand in no drive, and a repeat moves the money again";
  services.log.error(
    { register, drive: state.driveNumber, documents, next },
    "the drive has documents of ours that the journal does not have",
  );
}

/** The document, as the drive has it now. */
async function take({ services, device }: Place, number: number, reference: string): Promise<EarlierAttempt> {
  const found = await device.lookUp(number, deadlineIn(services.clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") return { kind: "unreachable", refusal: unreachable(found.reason) };
  if (found.kind === "found" && found.reference === reference) return { kind: "found", found };
  return notGivenNow(number);
}
