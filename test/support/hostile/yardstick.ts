/** The yardstick's time on the machine that the bounds in milliseconds were set on, when that had nothing else to do. */
const REFERENCE_MS = 8;
/** A machine slower than this is allowed no more: work that grows with the square of a body takes twenty times a bound and longer. */
const MOST_TIMES_SLOWER = 4;
/** The shortest counts, as it does for what is compared: code that is not compiled yet and collection of garbage are in the others. */
const TRIES = 4;
/** So many at a time, since the kernel counts a thread's own time in steps of some milliseconds. */
const ROUNDS = 6;
const ITEMS = 1_000;
const MEMBERS = 20;
const LETTERS = 40;

/**
 * How many times as long as on the reference machine this thread takes at present for work that never changes: 1 to 4. It is the
 * kind of work that a body asks for, and it uses nothing of `src`, so a fault there does not lengthen its own bound.
 */
export function timesSlower(): number {
  const item = Object.fromEntries(Array.from({ length: MEMBERS }, (_, index) => [`member-${index}`, "a".repeat(LETTERS)]));
  const text = JSON.stringify(Array.from({ length: ITEMS }, () => item));
  return timesSlowerFor(Math.min(...Array.from({ length: TRIES }, () => roundMs(text))));
}

/** Never below 1: on a machine as quick as the reference one or quicker a bound holds as it is written. */
export function timesSlowerFor(yardstickMs: number): number {
  return Math.min(MOST_TIMES_SLOWER, Math.max(1, yardstickMs / REFERENCE_MS));
}

/** Looks at each character of a megabyte, reads it as JSON, copies every object and writes all again. */
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
/** Round its name and its text. */
const QUOTES_OF_MEMBER = 4;
