import { systemClock } from "../../../src/kernel/clock.ts";

/** The time of the fixed work on the machine for which the bounds in milliseconds were set, without other load. */
const REFERENCE_MS = 8;
/** A slower machine gets no more time than this. Work that grows with the square of a body takes twenty times a bound and longer. */
const MOST_TIMES_SLOWER = 4;
/** The shortest try counts, as for the work that is compared. The others include code that is not compiled yet, and garbage collection. */
const TRIES = 4;
/** So many rounds in one measurement, because the kernel counts the time of a thread in steps of some milliseconds. */
const ROUNDS = 6;
const ITEMS = 1_000;
const MEMBERS = 20;
const LETTERS = 40;

/**
 * How many times longer than the reference machine this thread takes at present for fixed work: 1 to 4. The work is like that
 * for a body, but uses no code of `src`, so a fault there does not raise its own bound.
 */
export function timesSlower(): number {
  const text = textOfWork();
  return timesSlowerFor(Math.min(...Array.from({ length: TRIES }, () => roundMs(text))));
}

/** A busier machine gets no more time than this. */
const MOST_TIMES_LONGER = 6;

/**
 * How long something may take by the clock whose limit is for the reference machine without other load: the limit itself when that was
 * kept, and otherwise as many times more as fixed work takes longer at present, on a machine that is slower or has other work.
 */
export function allowedMs(tookMs: number, limitMs: number): number {
  if (tookMs < limitMs) return limitMs;
  const text = textOfWork();
  const startedMs = systemClock.monotonicMs();
  for (let round = 0; round < ROUNDS * TRIES; round += 1) fixedWork(text);
  const roundsMs = (systemClock.monotonicMs() - startedMs) / ROUNDS / TRIES;
  return limitMs * Math.min(MOST_TIMES_LONGER, Math.max(1, roundsMs / REFERENCE_MS));
}

/** Returns at least 1: on a machine that is as fast as the reference machine, a bound is used unchanged. */
export function timesSlowerFor(yardstickMs: number): number {
  return Math.min(MOST_TIMES_SLOWER, Math.max(1, yardstickMs / REFERENCE_MS));
}

function textOfWork(): string {
  const item = Object.fromEntries(Array.from({ length: MEMBERS }, (_, index) => [`member-${index}`, "a".repeat(LETTERS)]));
  return JSON.stringify(Array.from({ length: ITEMS }, () => item));
}

/** Looks at each character of a megabyte, parses it as JSON, copies every object and serializes all again. */
function fixedWork(text: string): void {
  let quotes = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === QUOTE) quotes += 1;
  const items = (JSON.parse(text) as object[]).map((item) =>
    Object.entries(item).map(([name, value]: [string, unknown]) => ({ name, value })),
  );
  if (quotes !== ITEMS * MEMBERS * QUOTES_OF_MEMBER) throw new Error(`${quotes} quotes in the text of the yardstick`);
  const written = JSON.stringify(items.map((members) => Object.fromEntries(members.map(({ name, value }) => [name, value]))));
  if (written !== text) throw new Error("the yardstick wrote another text than it read");
}

function roundMs(text: string): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) fixedWork(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / ROUNDS;
}

const QUOTE = 0x22;
/** The quotes of a member: two around its name, two around its text. */
const QUOTES_OF_MEMBER = 4;
