import type { EntryContent } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import type { LookUp, Register, RegisterState } from "../registers/register.ts";
import type { EarlierAttempt } from "./earlier-attempt.ts";
import { isOurReference } from "./reference.ts";
import { INSPECT_LIMIT_MS, type TurnServices } from "./services.ts";

/**
 * Documents of one drive that are read where the journal does not have them. A copy of the database is a day old
 * where one is made every night, and a till makes fewer in a day; at 50 ms each they take less than half a minute.
 */
const MAX_DOCUMENTS_READ = 500;
/** A document that the register does not give, though it answers, is asked for so often: one more sale must not fail for it. */
const ATTEMPTS = 3;

/** What a process knows of one drive at one register. */
interface Reading {
  /** Every document up to this one is the journal's or has been read. */
  readTo?: number;
  /** Documents that the journal does not have, by the id of ours that they carry. */
  ours: Map<string, Extract<LookUp, { kind: "found" }>>;
}

/** By journal: a process has one, and what it has read of a drive once holds for as long as it runs. */
const readings = new WeakMap<Journal, Map<string, Reading>>();

/**
 * Looks whether the operation stands among the documents that the drive has and the journal does not: a copy of the
 * database that was restored knows nothing of what came after it. Each of them is read once a process; those that
 * somebody made at the register itself cost this time and nothing else. `newest`: the last that the journal has.
 */
export async function findLostAttempt(
  services: TurnServices,
  device: Register,
  { register, document }: EntryContent,
  state: RegisterState,
  newest: number,
): Promise<EarlierAttempt> {
  const reading = readingOf(services.journal, state.driveNumber);
  const failed = newest === 0 ? undefined : await readOn(services, device, register, state, newest, reading);
  if (document.kind !== "receipt" && document.kind !== "correction") return { kind: "none" };
  const found = reading.ours.get(document.reference);
  return found === undefined ? (failed ?? { kind: "none" }) : { kind: "found", found };
}

function readingOf(journal: Journal, drive: string): Reading {
  const ofJournal = readings.get(journal) ?? new Map<string, Reading>();
  readings.set(journal, ofJournal);
  const reading = ofJournal.get(drive) ?? { ours: new Map() };
  ofJournal.set(drive, reading);
  return reading;
}

/** Why it could not be read to the end; undefined when it was. */
async function readOn(
  services: TurnServices,
  device: Register,
  register: string,
  { driveNumber, lastDocumentNumber: last }: RegisterState,
  newest: number,
  reading: Reading,
): Promise<Extract<EarlierAttempt, { kind: "unreachable" }> | undefined> {
  const { readTo } = reading;
  if (readTo !== undefined && last <= readTo) return undefined;
  if (readTo !== undefined && readTo === last - 1 && newest === last) {
    reading.readTo = last;
    return undefined;
  }
  const behind = Math.max(readTo ?? 0, last - MAX_DOCUMENTS_READ);
  const made = await services.journal.documentNumbers(driveNumber, behind);
  // What came before the first that the journal has is of the time before it.
  const first = readTo === undefined ? Math.max(behind + 1, Math.min(newest, ...made)) : behind + 1;
  const unknown = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  const lost: number[] = [];
  const failed = await readEach(services, device, unknown, made, reading, lost);
  if (lost.length > 0) tellOfLost(services, { register, drive: driveNumber, documents: lost });
  return failed;
}

async function readEach(
  services: TurnServices,
  device: Register,
  numbers: readonly number[],
  made: ReadonlySet<number>,
  reading: Reading,
  lost: number[],
): Promise<Extract<EarlierAttempt, { kind: "unreachable" }> | undefined> {
  let absent = 0;
  for (const number of numbers) {
    if (!made.has(number)) {
      const found = await read(services, device, number);
      if (found.kind === "unreachable") return found;
      // The status may say more than there is: where the drive says that it ends, it is asked again at the next turn.
      absent = found.kind === "absent" ? absent + 1 : 0;
      if (absent === ATTEMPTS) return undefined;
      if (found.kind === "absent") continue;
      if (found.kind === "found" && found.reference !== undefined && isOurReference(found.reference)) {
        if (!reading.ours.has(found.reference)) reading.ours.set(found.reference, found);
        lost.push(number);
      }
    }
    reading.readTo = number;
  }
  return undefined;
}

async function read({ clock, log }: TurnServices, device: Register, number: number): Promise<LookUp> {
  let reason = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const found = await device.lookUp(number, deadlineIn(clock, INSPECT_LIMIT_MS));
    if (found.kind !== "unreachable") return found;
    const seen = await device.inspect(deadlineIn(clock, INSPECT_LIMIT_MS));
    if (seen.kind === "unreachable") return found;
    reason = found.reason;
  }
  log.error({ document: number, reason }, "the register does not give a document that the journal does not have");
  return { kind: "foreign", what: reason };
}

function tellOfLost({ log }: TurnServices, lost: { register: string; drive: string; documents: readonly number[] }): void {
  const next =
    "was an older copy of the database restored? Sales and returns among them are found when the platform repeats them; " +
    "compare cash in and out since the copy by hand: slips stand in no drive, and a repeat moves the money again";
  log.error({ ...lost, next }, "the drive has documents of ours that the journal does not have");
}
