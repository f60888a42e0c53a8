import type { AlertState } from "./condition.ts";

/*
 * Decides which message a person gets next. Pure: the decision depends on the condition's state, the sent messages and the time.
 *
 * A condition that holds owes the message `begins`, unless `begins` was sent last. An ended condition owes `ends` if `begins` was sent
 * last. For an hour after a message, no message of its kind is owed. So a condition that often begins and ends causes at most one `begins`
 * and one `ends` an hour. If the condition holds after the hour, `begins` is owed then. An owed `begins` stays owed after the condition's
 * end, because nobody knows of the condition yet. Then `ends` follows. An owed `ends` is dropped if the condition holds again.
 */

/** What is known of a condition, and which messages about it were sent or are owed. `told`: the message that was sent last. */
export interface AlertStanding {
  stands: boolean;
  changedAtMs: number;
  seenAtMs: number;
  told?: AlertState;
  beginsToldAtMs?: number;
  endsToldAtMs?: number;
  owed?: AlertState;
  /** When the owed message's change happened: the condition began or ended. */
  owedSinceMs?: number;
  attempts: number;
  nextTryAtMs?: number;
  problem?: string;
}

/** After `begins` or `ends` was sent, the same message about the same condition is not owed again for this time. */
const QUIET_MS = 3_600_000;
/** The pause after the first failed attempt. Each later pause is twice as long, but at most `LARGEST_PAUSE_MS`. */
const FIRST_PAUSE_MS = 30_000;
const LARGEST_PAUSE_MS = 900_000;
/**
 * While one process sends a message, other processes leave the message alone for this time. Sending takes less time, even when every
 * channel is tried.
 */
const CLAIM_MS = 60_000;
/** Unsent messages are given up this long after the end of their condition. */
const GIVE_UP_MS = 7 * 86_400_000;
/** A condition is forgotten when no check could judge it for this time. Its register is probably out of use. */
const FORGET_MS = 30 * 86_400_000;
/** Without a change, `seenAtMs` is written at most once in this time. So most checks write nothing. */
const SEEN_STEP_MS = 3_600_000;

/** Returns the standing of a condition that has begun for the first time, or again after its row was deleted. */
export function begun(nowMs: number): AlertStanding {
  return { stands: true, changedAtMs: nowMs, seenAtMs: nowMs, owed: "begins", owedSinceMs: nowMs, attempts: 0 };
}

/**
 * Returns the standing after a check. `stands`: undefined when the check could not find out. If nothing has changed, returns `before`
 * itself.
 */
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

/**
 * True when the owed message may be sent now. A planned time in the far future was set before the clock was set back, so it does not count.
 */
export function isDue({ owed, nextTryAtMs }: AlertStanding, nowMs: number): boolean {
  if (owed === undefined) return false;
  return nextTryAtMs === undefined || nextTryAtMs <= nowMs || nextTryAtMs > nowMs + LARGEST_PAUSE_MS;
}

/** Returns the standing while this process sends the owed message. */
export function claimed(before: AlertStanding, nowMs: number): AlertStanding {
  return { ...before, nextTryAtMs: nowMs + CLAIM_MS };
}

/** Returns the standing after the owed message was sent. */
export function sent(before: AlertStanding, nowMs: number): AlertStanding {
  const { owed } = before;
  if (owed === undefined) return before;
  const told = { ...withOwed(before, undefined), told: owed };
  return owed === "begins" ? { ...told, beginsToldAtMs: nowMs } : { ...told, endsToldAtMs: nowMs };
}

/** Returns the standing after an attempt to send the owed message failed. */
export function failed(before: AlertStanding, problem: string, nowMs: number): AlertStanding {
  return { ...before, attempts: before.attempts + 1, nextTryAtMs: nowMs + pauseAfter(before.attempts), problem };
}

/** Returns why a condition's row may be deleted. Undefined: it must stay. */
export function endOf(standing: AlertStanding, nowMs: number): "settled" | "given-up" | "forgotten" | undefined {
  const { stands, owed, seenAtMs, changedAtMs, beginsToldAtMs, endsToldAtMs } = standing;
  if (nowMs - seenAtMs >= FORGET_MS) return "forgotten";
  if (stands) return undefined;
  if (owed !== undefined) return nowMs - changedAtMs >= GIVE_UP_MS ? "given-up" : undefined;
  // `begins` was sent last, so `ends` will be owed when an hour has passed since the previous `ends`.
  if (standing.told === "begins") return undefined;
  return isQuiet(beginsToldAtMs, nowMs) || isQuiet(endsToldAtMs, nowMs) ? undefined : "settled";
}

function owedMessage(before: AlertStanding, stands: boolean, nowMs: number): AlertState | undefined {
  if (before.owed === "begins") return "begins";
  if (stands) return before.told === "begins" || isQuiet(before.beginsToldAtMs, nowMs) ? undefined : "begins";
  return before.told === "begins" && !isQuiet(before.endsToldAtMs, nowMs) ? "ends" : undefined;
}

/** Returns the standing with another owed message, or without an owed message. The count of attempts begins at 0. */
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

/** True when the moment is within the span before now. False for a moment in the future, which was stored before the clock was set back. */
function within(atMs: number, spanMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < spanMs;
}
