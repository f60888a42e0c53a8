import type { AlertState } from "./condition.ts";

/**
 * Decides, from what holds now, what was told and the time, what a person is told next. Pure.
 *
 * A condition that holds owes the message `begins`, unless that was told last. One that is over owes `ends`, if `begins` was told last. No
 * message is owed within an hour of its like, so a condition that flickers tells of one beginning, and perhaps one end, an hour. When it
 * still holds after the hour, the beginning is told then. A beginning that is owed stays owed after the condition is over, because nobody
 * knows of it yet: what could not be sent is told later, and then the end. An end that is owed is dropped when the condition holds again.
 */
export interface AlertStanding {
  stands: boolean;
  changedAtMs: number;
  seenAtMs: number;
  /** The message that was sent last. */
  told?: AlertState;
  beginsToldAtMs?: number;
  endsToldAtMs?: number;
  owed?: AlertState;
  /** When the condition began or ended of which the owed message tells. */
  owedSinceMs?: number;
  /** Failed attempts to send the owed message. */
  attempts: number;
  nextTryAtMs?: number;
  problem?: string;
}

/** No message of one kind about one condition comes twice within this time. */
const QUIET_MS = 3_600_000;
/** The pause after the first failed attempt; each later pause is twice as long, up to the largest. */
const FIRST_PAUSE_MS = 30_000;
const LARGEST_PAUSE_MS = 900_000;
/** How long nobody else sends what a process sends. Longer than all channels together may take. */
const CLAIM_MS = 60_000;
/** A message about what is over is given up after so long. A beginning that still holds is never given up. */
const GIVE_UP_MS = 7 * 86_400_000;
/** A condition of which nothing was known for so long is forgotten: a register that nobody uses any more. */
const FORGET_MS = 30 * 86_400_000;
/** `seenAtMs` is stored to this precision, so that a look at which nothing has changed writes nothing. */
const SEEN_STEP_MS = 3_600_000;

/** A condition that was just found. */
export function begun(nowMs: number): AlertStanding {
  return { stands: true, changedAtMs: nowMs, seenAtMs: nowMs, owed: "begins", owedSinceMs: nowMs, attempts: 0 };
}

/** `stands`: undefined when the look could not tell. Returns the same object when nothing has changed. */
export function looked(before: AlertStanding, stands: boolean | undefined, nowMs: number): AlertStanding {
  const now = stands ?? before.stands;
  const isFresh = stands === undefined || within(before.seenAtMs, SEEN_STEP_MS, nowMs);
  const owed = owedMessage(before, now, nowMs);
  if (now === before.stands && isFresh && owed === before.owed) return before;
  const seenAtMs = stands === undefined ? before.seenAtMs : nowMs;
  const changedAtMs = now === before.stands ? before.changedAtMs : nowMs;
  const after = { ...before, stands: now, seenAtMs, changedAtMs };
  return owed === before.owed ? after : withOwed(after, owed);
}

/** Whether the owed message may be sent now. A time far ahead was stored before the wall clock was set back. */
export function isDue({ owed, nextTryAtMs }: AlertStanding, nowMs: number): boolean {
  if (owed === undefined) return false;
  return nextTryAtMs === undefined || nextTryAtMs <= nowMs || nextTryAtMs > nowMs + LARGEST_PAUSE_MS;
}

/** The message is being sent by one process. */
export function claimed(before: AlertStanding, nowMs: number): AlertStanding {
  return { ...before, nextTryAtMs: nowMs + CLAIM_MS };
}

export function sent(before: AlertStanding, nowMs: number): AlertStanding {
  const { owed } = before;
  if (owed === undefined) return before;
  const told = { ...withOwed(before, undefined), told: owed };
  return owed === "begins" ? { ...told, beginsToldAtMs: nowMs } : { ...told, endsToldAtMs: nowMs };
}

export function failed(before: AlertStanding, problem: string, nowMs: number): AlertStanding {
  return { ...before, attempts: before.attempts + 1, nextTryAtMs: nowMs + pauseAfter(before.attempts), problem };
}

/** Why a condition needs no row any more; undefined: it needs its row. */
export function endOf(standing: AlertStanding, nowMs: number): "settled" | "given-up" | "forgotten" | undefined {
  const { stands, owed, seenAtMs, changedAtMs, beginsToldAtMs, endsToldAtMs } = standing;
  if (nowMs - seenAtMs >= FORGET_MS) return "forgotten";
  if (stands) return undefined;
  if (owed !== undefined) return nowMs - changedAtMs >= GIVE_UP_MS ? "given-up" : undefined;
  // What is still to be told: the end, as soon as it is not the second within an hour.
  if (standing.told === "begins") return undefined;
  return isQuiet(beginsToldAtMs, nowMs) || isQuiet(endsToldAtMs, nowMs) ? undefined : "settled";
}

function owedMessage(before: AlertStanding, stands: boolean, nowMs: number): AlertState | undefined {
  if (before.owed === "begins") return "begins";
  if (stands) return before.told === "begins" || isQuiet(before.beginsToldAtMs, nowMs) ? undefined : "begins";
  return before.told === "begins" && !isQuiet(before.endsToldAtMs, nowMs) ? "ends" : undefined;
}

/** With another owed message its attempts begin anew. */
function withOwed(before: AlertStanding, owed: AlertState | undefined): AlertStanding {
  const { owed: _owed, owedSinceMs: _since, nextTryAtMs: _next, problem: _problem, ...rest } = before;
  return owed === undefined ? { ...rest, attempts: 0 } : { ...rest, attempts: 0, owed, owedSinceMs: before.changedAtMs };
}

function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10), LARGEST_PAUSE_MS);
}

function isQuiet(atMs: number | undefined, nowMs: number): boolean {
  return atMs !== undefined && within(atMs, QUIET_MS, nowMs);
}

/** A moment ahead of now was stored before the wall clock was set back, and counts for nothing. */
function within(atMs: number, spanMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < spanMs;
}
