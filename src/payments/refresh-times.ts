import { isUnderWay, type Payment, type Refund } from "./payment.ts";
import { isRejected } from "./states.ts";

/** The time between two readings, by the payment's age (qr-acquirers 6). For an older payment it is `LONGEST_STEP_MS`. */
const STEPS: readonly { untilMs: number; stepMs: number }[] = [
  { untilMs: 60_000, stepMs: 2_000 },
  { untilMs: 180_000, stepMs: 3_000 },
  { untilMs: 300_000, stepMs: 5_000 },
  { untilMs: 420_000, stepMs: 8_000 },
  { untilMs: 540_000, stepMs: 13_000 },
  { untilMs: 660_000, stepMs: 20_000 },
];
const LONGEST_STEP_MS = 30_000;
/** How long a payment is read after the latest of its end, its expiry here and its expiry at the bank: a buyer's bank may be slow. */
const WATCH_MS = 15 * 60_000;
/**
 * How long after its expiry a payment stays open while the bank cannot be read. Money that is found later is returned or waits for a
 * person.
 */
export const EXPIRY_BOUND_MS = 2 * 60_000;
/** The time between two readings of a refund, by its age. A refund may take days, so its end need not be known to the second. */
const REFUND_STEPS: readonly { untilMs: number; stepMs: number }[] = [
  { untilMs: 60_000, stepMs: 2_000 },
  { untilMs: 10 * 60_000, stepMs: 15_000 },
];
const LONGEST_REFUND_STEP_MS = 10 * 60_000;
/** A refund without a known end is left to a person this long after its newest attempt (qr-acquirers 8). */
export const REFUND_BOUND_MS = 5 * 24 * 3_600_000;
/** For an ended payment that could not be read since its end: the time between two readings, and how long the readings go on. */
const UNREAD_STEP_MS = 5 * 60_000;
const UNREAD_BOUND_MS = 30 * 24 * 3_600_000;
/**
 * The time between two readings of an `unknown` payment whose doubt is not `lost`. The bank may correct its answer before a person looks.
 */
const UNKNOWN_STEP_MS = 60_000;

/** The time between two readings of a payment of this age. */
export function refreshStepMs(ageMs: number): number {
  return STEPS.find(({ untilMs }) => ageMs < untilMs)?.stepMs ?? LONGEST_STEP_MS;
}

/** When the bank is asked next about this payment, in ms since the epoch. Undefined: never, because nothing is left to read. */
export function nextReadAtMs(payment: Payment, refunds: readonly Refund[], nowMs: number): number | undefined {
  const times = [ofPayment(payment, nowMs), ...refunds.filter(isUnderWay).map((refund) => ofRefund(refund, nowMs))];
  const due = times.filter((time) => time !== undefined);
  return due.length === 0 ? undefined : Math.min(...due);
}

function ofPayment(payment: Payment, nowMs: number): number | undefined {
  const { state, createdAtMs, expiresAtMs } = payment;
  const inStep = nowMs + refreshStepMs(nowMs - createdAtMs);
  switch (state) {
    case "creating":
    case "waiting":
    case "cancelling":
      // The code's expiry is one of the times of reading.
      return nowMs < expiresAtMs ? Math.min(inStep, expiresAtMs) : inStep;
    case "unknown":
      return payment.doubt === "lost" ? inStep : nowMs + UNKNOWN_STEP_MS;
    default:
      return isRejected(state) ? ofRejected(payment, nowMs, inStep) : undefined;
  }
}

/**
 * An ended payment is read until its watch is over. If the bank answered no reading during the watch, money may have come unseen. Then the
 * readings go on, up to a bound.
 */
function ofRejected(payment: Payment, nowMs: number, inStepMs: number): number | undefined {
  const untilMs = watchedUntilMs(payment);
  if (untilMs === 0 || nowMs >= untilMs + UNREAD_BOUND_MS) return undefined;
  if (nowMs < untilMs) return inStepMs;
  const wasRead = (payment.readAtMs ?? 0) >= untilMs - WATCH_MS;
  return wasRead ? undefined : nowMs + UNREAD_STEP_MS;
}

/** Until when money may still come for an ended payment. 0 for a payment that the bank has never made: nobody can pay it. */
function watchedUntilMs(payment: Payment): number {
  const { bankId, expiresAtMs, bankExpiresAtMs, movedAtMs } = payment;
  return bankId === undefined && !isPerhapsMade(payment) ? 0 : Math.max(expiresAtMs, bankExpiresAtMs ?? 0, movedAtMs) + WATCH_MS;
}

/**
 * True for an ended payment whose creation got no answer and that was not found at the bank. The payment may exist at the bank, and a buyer
 * may pay it there.
 */
export function isPerhapsMade({ state, bankId, reason }: Payment): boolean {
  return bankId === undefined && (state === "expired" || state === "cancelled") && reason?.code === "no-answer";
}

/** The earliest moment for a new refund, where the bank demands time between attempts. Undefined: now. */
export function firstTryAtMs(refunds: readonly Refund[], minGapMs: number, nowMs: number): number | undefined {
  const times = refunds.flatMap(({ state, triedAtMs, nextTryAtMs }) => [triedAtMs, state === "queued" ? nextTryAtMs : undefined]);
  const newestMs = Math.max(Number.NEGATIVE_INFINITY, ...times.filter((time) => time !== undefined));
  return newestMs + minGapMs > nowMs ? newestMs + minGapMs : undefined;
}

function ofRefund({ state, nextTryAtMs, triedAtMs, askedAtMs }: Refund, nowMs: number): number {
  if (state === "queued") return Math.max(nowMs, nextTryAtMs ?? nowMs);
  const ageMs = nowMs - (triedAtMs ?? askedAtMs);
  return nowMs + (REFUND_STEPS.find(({ untilMs }) => ageMs < untilMs)?.stepMs ?? LONGEST_REFUND_STEP_MS);
}
