import { type WallTime, wallAsUtcMs } from "../kernel/moment.ts";
import { present } from "../kernel/present.ts";
import { type Concern, clockBehindOf, concernsOf, type Reserves } from "../model/concerns.ts";
import type { Facts, Finding } from "./examination-schema.ts";

/**
 * Returns a register's problems with their remedies, the most severe first. `own`: more problems, which only the protocol detects. `prints`
 * false: the register does not print, so missing paper and an open cover are no problems.
 */
export function findingsOf(facts: Facts, own: readonly Finding[] = [], prints = true): Finding[] {
  const found = [
    ...concernsOf(reservesOf(facts, prints)).map(findingOf),
    ...driveFindings(facts),
    ...paperFindings(facts),
    ...documentFindings(facts),
  ];
  return [...found, ...lineFindings(facts), ...own].sort((a, b) => WEIGHTS.indexOf(a.weight) - WEIGHTS.indexOf(b.weight));
}

const WEIGHTS: readonly Finding["weight"][] = ["stops-now", "stops-soon", "worth-knowing"];

export function findingThat(weight: Finding["weight"], about: string, words: string, remedy: string): Finding {
  return { weight, about, words, remedy };
}

function findingOf({ about, weight, words, remedy }: Concern): Finding {
  return { weight, about, words, remedy };
}

function reservesOf({ drive, queue, shift, clock, paper }: Facts, prints: boolean): Reserves {
  const warned = (warning: Facts["drive"]["warnings"][number]) => drive.warnings.includes(warning);
  return {
    keysExpireSoon: warned("keys-expire-soon"),
    keysExpireNow: warned("keys-expire-now"),
    memoryFull: warned("memory-full"),
    operatorTimeout: warned("operator-timeout"),
    shiftExpired: shift.state === "expired",
    ...(drive.keysUntil === undefined || clock === undefined ? {} : { keyDays: daysBetween(clock.device, drive.keysUntil) }),
    ...present({ documentsLeft: drive.documentsLeft }),
    ...(queue === undefined ? {} : { unsent: queue.unsent }),
    ...(queue?.ageDays === undefined ? {} : { queueDays: queue.ageDays }),
    ...(shift.state === "closed" || shift.ageHours === undefined ? {} : { shiftHours: shift.ageHours }),
    ...(clock === undefined ? {} : { clockAheadMinutes: clock.aheadSeconds / 60, zoneKnown: clock.zoneKnown }),
    ...(clock === undefined || drive.lastDocument?.time === undefined ? {} : clockBehindOf(clock.device, drive.lastDocument.time)),
    ...(drive.phase === "unknown" ? {} : { drivePhase: drive.phase }),
    ...(prints ? paperOf(paper) : {}),
  };
}

function paperOf({ mechanism, roll, cover }: Facts["paper"]): Pick<Reserves, "paper" | "coverOpen"> {
  const coverOpen = cover === "open";
  if (mechanism === "waits-for-paper") return { paper: "ended-within", coverOpen };
  return roll === "unknown" ? { coverOpen } : { paper: roll, coverOpen };
}

const DAY_MS = 86_400_000;

export function daysBetween(from: WallTime, until: WallTime): number {
  return (wallAsUtcMs(until) - wallAsUtcMs(from)) / DAY_MS;
}

/** The numbers of debug drives begin with these digits (fiscal-receipts 3.2). */
const DEBUG_NUMBER = /^9999/;

function driveFindings({ drive, identity }: Facts): Finding[] {
  const found: Finding[] = [];
  const nameless = [identity.serialNumber, identity.registrationNumber, identity.inn, drive.number].some((number) => number === undefined);
  if (nameless && (drive.phase === "fiscal" || drive.phase === "closed")) {
    found.push(
      findingThat(
        "stops-now",
        "registration",
        "The register does not tell all of its numbers: serial, registration, INN, drive.",
        "Have the register registered.",
      ),
    );
  }
  if (drive.kind === "debug") {
    found.push(
      findingThat("worth-knowing", "drive-debug", "The drive is for tests: its receipts are no receipts.", "Sell with a live drive only."),
    );
  }
  if (drive.number !== undefined && drive.kind !== "unknown" && DEBUG_NUMBER.test(drive.number) !== (drive.kind === "debug")) {
    const words = `The drive says that it is ${drive.kind}, and its number ${drive.number} says otherwise.`;
    found.push(findingThat("worth-knowing", "drive-number", words, "See which drive that is: the server goes by the number."));
  }
  return found;
}

function paperFindings({ paper }: Facts): Finding[] {
  const found: Finding[] = [];
  if (paper.mechanism === "waits-to-continue") {
    found.push(
      findingThat(
        "worth-knowing",
        "paper",
        "Paper is back, and a document waits to be printed to its end.",
        "Nothing: the server has it printed with its next document.",
      ),
    );
  }
  if (paper.mechanism === "printing") {
    found.push(
      findingThat(
        "worth-knowing",
        "printing",
        "The register is printing: it answers 50h to what needs its printer.",
        "Wait a moment; if it does not end, look at the register.",
      ),
    );
  }
  return found;
}

function documentFindings({ openDocument }: Facts): Finding[] {
  if (openDocument === undefined) return [];
  const remedy = "Nothing while a server has the register: its next document begins by settling this one. Else cancel it at the register.";
  return [findingThat("worth-knowing", "open-document", `A document stands open: ${openDocument}.`, remedy)];
}

/** The finding has the weight `stops-soon` when repeated questions and damaged answers together exceed this share of all questions. */
const BAD_SHARE = 0.1;
/**
 * The line counts as slow when a question and its answer take at least this time. A healthy register answers short questions in 1 to 20 ms
 * (shtrih-protocol 3.3), and over a slow serial line in about 60 ms.
 */
const SLOW_MS = 150;
/** An answer that took at least this time is reported. No question of an examination takes so long (shtrih-protocol 3.3). */
const SILENT_MS = 2_000;

function lineFindings({ line }: Facts): Finding[] {
  if (line === undefined) return [];
  const { questions, repeated, damaged, noise, foreign, reopened, roundTripMs, slowestMs, slowestQuestion } = line;
  const found: Finding[] = [];
  if (reopened > 0) {
    const words = `The connection was lost and came back ${times(reopened)} while it was examined.`;
    found.push(findingThat("stops-soon", "line-lost", words, "See to cable, network and power of the register."));
  }
  if (repeated + damaged > 0) {
    const weight = repeated + damaged > questions * BAD_SHARE ? "stops-soon" : "worth-knowing";
    const words = `Of ${questions} questions ${repeated} had to be sent again, and ${damaged} answers came damaged.`;
    found.push(
      findingThat(weight, "line-errors", words, "See to the cable, its length and what lies beside it; on a serial line, to its speed."),
    );
  }
  if (slowestMs >= SILENT_MS) {
    const words = `The register kept silent for ${seconds(slowestMs)} s${slowestQuestion === undefined ? "" : ` at ${slowestQuestion}`}.`;
    found.push(
      findingThat(
        "worth-knowing",
        "line-silent",
        words,
        "If that repeats, see what keeps the register busy: its printer, its network, another program.",
      ),
    );
  }
  if (roundTripMs !== undefined && roundTripMs >= SLOW_MS) {
    const words = `A question and its answer take ${Math.round(roundTripMs)} ms: a sale of ten positions takes at least ${seconds(roundTripMs * SALE_QUESTIONS)} s.`;
    found.push(findingThat("worth-knowing", "line-slow", words, "On a serial line, see to its speed; on a network, to the way there."));
  }
  if (noise > 0) {
    const words = `Bytes that mean nothing came ${times(noise)}: some USB and network ports add them.`;
    found.push(findingThat("worth-knowing", "line-noise", words, "Nothing: they are passed over."));
  }
  if (foreign > 0) {
    const words = `Answers came ${times(foreign)} to what somebody else had asked.`;
    found.push(findingThat("stops-soon", "line-foreign", words, "See that no other program speaks to the register."));
  }
  return found;
}

/** How many questions a sale of ten lines needs. They are these commands: 8D, two FF0C, ten FF46, FF45 and 10h. */
const SALE_QUESTIONS = 15;

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
