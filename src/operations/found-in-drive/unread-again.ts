import type { DriveReading } from "../../journal/drives/drive-reading.ts";
import type { ReadDocument } from "../../journal/drives/lost-document.ts";
import { unreachable } from "../../model/unreachable.ts";
import { GIVEN_UP_AGAIN_MS, MAX_REQUESTS, MAX_TURNS_REFUSED, READ_IN_A_TURN, WAITED_FOR_LIMIT_MS } from "../reading-bounds.ts";
import { type Given, isGiven, read } from "./read-document.ts";
import {
  IN_VAIN_LIMIT_MS,
  isTimeOver,
  logLost,
  NOTED_TOGETHER,
  noteSilence,
  type Place,
  readOf,
  type Unreachable,
  unreadOfServer,
} from "./reading-place.ts";

/** The largest number of requests in vain in one turn for documents that no longer delay sales. */
const MAX_IN_VAIN = 2;

/**
 * Requests the unread documents again, those with the fewest requests first. While sales wait for documents, a turn spends more time on
 * these requests. A turn requests at least one document, whatever time is left. Returns the refusal if the register could not be reached.
 */
export async function requestUnreadAgain(place: Place): Promise<Unreachable | undefined> {
  const { services, reading } = place;
  const given = new GivenAgain(place);
  const waits = keepsSalesWaiting(reading);
  let requested = 0;
  let inVain = 0;
  let inVainMs = 0;
  let cut: Unreachable | undefined;
  for (const number of await dueAgain(place)) {
    const startedMs = services.clock.monotonicMs();
    if (requested > 0 && isTimeOver(place)) break;
    requested += 1;
    const found = await read(place, number, { attempts: 1, ...(isWaitedFor(reading, number) ? { limitMs: WAITED_FOR_LIMIT_MS } : {}) });
    if (found.kind === "unreachable") {
      if (number <= place.state.lastDocumentNumber) await noteSilence(place, number);
      cut = { kind: "unreachable", refusal: unreachable(found.reason) };
      break;
    }
    if (isGiven(found)) {
      await given.add(number, found);
      continue;
    }
    reading.countRequest(number);
    inVain += 1;
    inVainMs += services.clock.monotonicMs() - startedMs;
    if (waits ? inVainMs >= IN_VAIN_LIMIT_MS : inVain === MAX_IN_VAIN) break;
  }
  await given.end();
  return cut;
}

/** The unread documents that the register returns in one turn. */
class GivenAgain {
  readonly #place: Place;
  readonly #numbers: number[] = [];
  readonly #lost: number[] = [];
  #unwritten: ReadDocument[] = [];

  constructor(place: Place) {
    this.#place = place;
  }

  /** Notes the document. A crash loses at most `NOTED_TOGETHER` notes, and these documents are requested again. */
  async add(number: number, found: Given): Promise<void> {
    const { services, state } = this.#place;
    // The journal may have got the document meanwhile, when its operation was repeated.
    const isKnown = await services.journal.hasDocument(state.driveNumber, number);
    this.#unwritten.push(isKnown ? { number, kind: "journalled" } : readOf(number, found));
    if (this.#unwritten.length >= NOTED_TOGETHER) await this.#write();
  }

  /** Stores what is left, and logs all documents. */
  async end(): Promise<void> {
    await this.#write();
    if (this.#numbers.length === 0) return;
    const { services, register, state } = this.#place;
    const fields = { register, drive: state.driveNumber, documents: this.#numbers };
    services.log.warn(fields, "the register gives documents that it did not give before");
    logLost(this.#place, this.#lost);
  }

  async #write(): Promise<void> {
    const { reading } = this.#place;
    if (this.#unwritten.length === 0 || reading.readTo === undefined) return;
    await reading.keep(reading.readTo, this.#unwritten);
    for (const { number, kind } of this.#unwritten) {
      this.#numbers.push(number);
      if (kind === "own") this.#lost.push(number);
    }
    this.#unwritten = [];
  }
}

/** Whether the document still delays sales and was requested before. The first request of each document has a short time. */
function isWaitedFor(reading: DriveReading, number: number): boolean {
  return isDelaying(reading) && reading.requestsOf(number) > 0;
}

/** Whether unread documents still delay sales, even if they were requested in vain. */
function isDelaying({ turnsRefused }: DriveReading): boolean {
  return turnsRefused.count < MAX_TURNS_REFUSED;
}

/**
 * Returns the unread documents to request in this turn, those with the fewest requests first. A document that delays sales is due in each
 * turn. Otherwise the turns of many tills would use up its requests within seconds. Once in `GIVEN_UP_AGAIN_MS`, `MAX_IN_VAIN` of the given
 * up documents are due too.
 */
async function dueAgain(place: Place): Promise<number[]> {
  const { reading, services } = place;
  const delaying = new Map(isDelaying(reading) ? await unreadOfServer(place) : []);
  const unread = [...reading.unread()].sort(([, a], [, b]) => a - b);
  const isDue = ([number, requests]: (typeof unread)[number]) => requests < MAX_REQUESTS || delaying.has(number);
  const due = unread.filter(isDue).slice(0, READ_IN_A_TURN);
  const givenUp = unread.filter((one) => !isDue(one)).slice(0, MAX_IN_VAIN);
  const isTime = givenUp.length > 0 && reading.requestsOfGivenUp.add(services.clock, GIVEN_UP_AGAIN_MS);
  return [...due, ...(isTime ? givenUp : [])].map(([number]) => number);
}

/** Whether sales are or may be refused because of documents that the register did not return. */
function keepsSalesWaiting(reading: DriveReading): boolean {
  return isDelaying(reading) || (reading.givesDocuments && [...reading.unread().values()].includes(0));
}
