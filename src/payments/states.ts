import type { BankStatus } from "../acquirers/acquirer.ts";
import type { PaymentState, PaymentStatus, Told } from "../model/payment.ts";

/**
 * The states of a QR payment (qr-acquirers 2). Only this file decides the next state. Only `moves.ts` calls `next`.
 *
 * - `creating`: stored before the bank is asked. The bank's answer makes it `waiting` or `failed`; a lost answer makes it `unknown`. The
 *   expiry or the till's cancel also ends the state.
 * - `waiting`: the code can be paid. The bank's answer, the expiry or the till's cancel ends the state.
 * - `cancelling`: the till has cancelled before it was told DONE. The follower asks the bank until it answers. The payment ends
 *   `cancelled`, or through `refunding` if the buyer was faster.
 * - `paid`: the money has come. A refund ends the state.
 * - `refunding`, `partly refunded`, `refunded`: money is being returned or was returned.
 * - `declined`, `expired`, `cancelled`, `failed`: ended without money. Later money never changes the state: the money is returned or waits
 *   for a person (`lateMoney`).
 * - `unknown`: the bank's answer was lost, has an unknown or unexplained status, or names another amount, currency or payment. A known
 *   answer of the bank or a person ends the state. The expiry ends it only after a lost answer. The till's cancel makes it `cancelling`.
 *
 * The first turn that can use the merchant's account and runs `EXPIRY_BOUND_MS` (refresh-times.ts) or more after the expiry ends every open
 * state that may expire.
 */
export interface Standing {
  state: PaymentState;
  told?: Told;
  /**
   * The till has cancelled before it was told DONE, or the server counts the payment as cancelled: after a refused creation, after a code
   * with a wrong sum, or after a person's refund before DONE. The till is then never told DONE, even if the bank has the money.
   */
  cancelled: boolean;
  /**
   * Why the state is `unknown`: the bank did not answer (`lost`), its status is in no table or unexplained (`unlisted`), or it named
   * another amount, currency or payment (`mismatch`).
   */
  doubt?: PaymentDoubt;
}

export const PAYMENT_DOUBTS = ["lost", "unlisted", "mismatch"] as const;
export type PaymentDoubt = (typeof PAYMENT_DOUBTS)[number];

export type PaymentEvent =
  /** The bank has made the payment. Its code is known, or is not needed any more. */
  | { kind: "created" }
  /** The bank has certainly made no payment. */
  | { kind: "refused" }
  /** The bank may have made the payment. */
  | { kind: "lost" }
  | { kind: "bank"; status: BankStatus }
  /** The bank's answer belongs to another payment, or names another amount or currency. */
  | { kind: "mismatch" }
  /** The payment's expiry has passed. No reading has shown money in time, or no reading was answered within the bound. */
  | { kind: "expired" }
  | { kind: "cancel" }
  /** The bank cannot cancel the payment. The till is told that the payment has ended. */
  | { kind: "cancel-ended" }
  | { kind: "refund" }
  /** The last running refund has ended. `refunded`: how much of the payment's money was returned. */
  | { kind: "refunds-ended"; refunded: "nothing" | "part" | "all" }
  | { kind: "person"; decision: "paid" | "not-paid" };

export interface Step {
  state: PaymentState;
  /** Only with the state `unknown`. Absent with this state: the earlier doubt stays. */
  doubt?: PaymentDoubt;
  effect?: Effect;
}

/**
 * What must happen besides the new state. `return`: all money is returned. `returned-by-bank`: the bank has turned the cancel into a
 * refund. `late-money`: money came after the end. `alert`: a person must look.
 */
export type Effect = "return" | "returned-by-bank" | "late-money" | "alert";

/** States after an end without money. Money may still come. */
const REJECTED: readonly PaymentState[] = ["declined", "expired", "cancelled", "failed"];
const OPEN: readonly PaymentState[] = ["creating", "waiting", "cancelling", "unknown"];

/** True while the payment waits for the bank, for the buyer or for its end. */
export function isOpen(state: PaymentState): boolean {
  return OPEN.includes(state);
}

export function isRejected(state: PaymentState): boolean {
  return REJECTED.includes(state);
}

/**
 * The answer to the call `state`. An end told to the till never changes (qr-acquirers 2, note). A refund before the till was told DONE
 * counts as a cancel: at the refund's end the till is told REJECTED. If the refund failed, the money waits for a person, and the till is
 * told REJECTED too.
 */
export function statusOf({ state, told, cancelled }: Pick<Standing, "state" | "told" | "cancelled">): PaymentStatus {
  if (told !== undefined) return told;
  if (isRejected(state) || state === "refunded" || state === "partly refunded") return "REJECTED";
  if (state === "paid") return cancelled ? "REJECTED" : "DONE";
  return "IN_PROGRESS";
}

/** Returns the next state of the payment. If the state stays the same and there is no effect, the event changes nothing. */
export function next(standing: Standing, event: PaymentEvent): Step {
  const { state } = standing;
  switch (event.kind) {
    case "created":
      return state === "creating" || (state === "unknown" && standing.doubt === "lost") ? opened(standing) : { state };
    case "refused":
      return afterRefusal(standing);
    case "lost":
      return state === "creating" ? { state: "unknown", doubt: "lost" } : { state };
    case "bank":
      return afterReading(standing, event.status);
    case "mismatch":
      return afterMismatch(standing);
    case "expired":
      return afterExpiry(standing);
    case "cancel":
      return afterCancel(standing);
    case "cancel-ended":
      return state === "cancelling" ? { state: "cancelled" } : { state };
    case "refund":
      return state === "paid" || state === "partly refunded" ? { state: "refunding" } : { state };
    case "refunds-ended":
      return afterRefunds(state, event.refunded);
    case "person":
      return afterPerson(standing, event.decision);
  }
}

function opened({ cancelled }: Standing): Step {
  return { state: cancelled ? "cancelling" : "waiting" };
}

/** For an open payment a person is alerted once, not at every reading. For an ended payment the caller reports a mismatch only once. */
function afterMismatch({ state, doubt }: Standing): Step {
  if (!isOpen(state)) return { state, effect: "alert" };
  const isKnown = state === "unknown" && doubt === "mismatch";
  return { state: "unknown", doubt: "mismatch", ...(isKnown ? {} : { effect: "alert" }) };
}

/** If an answer of the bank was not understood or names another payment, the passing of time alone never ends the payment. */
function afterExpiry({ state, cancelled, doubt }: Standing): Step {
  if (!isOpen(state) || (state === "unknown" && doubt !== "lost")) return { state };
  return { state: cancelled ? "cancelled" : "expired" };
}

/** The bank has made no payment. A `cancelling` payment ends as `cancelled`. */
function afterRefusal({ state }: Standing): Step {
  if (state === "creating" || state === "unknown") return { state: "failed" };
  return state === "cancelling" ? { state: "cancelled" } : { state };
}

function afterReading(standing: Standing, status: BankStatus): Step {
  const { state } = standing;
  if (isRejected(state)) return hasMoney(status) ? { state, effect: "late-money" } : { state };
  if (!isOpen(state)) return { state };
  if (hasMoney(status)) return { ...afterMoney(standing) };
  switch (status) {
    case "waiting":
      return state === "unknown" ? opened(standing) : { state };
    case "declined":
    case "expired":
    case "cancelled":
      return { state: standing.cancelled ? "cancelled" : status };
    case "refunding":
    case "refunded":
      // If the till has not cancelled, nothing explains why the bank has returned the money.
      return standing.cancelled ? { state: "refunding", effect: "returned-by-bank" } : unlisted(standing);
    default:
      return unlisted(standing);
  }
}

/** A person is alerted once, not at every reading. */
function unlisted({ state, doubt }: Standing): Step {
  const known = state === "unknown" && doubt === "unlisted";
  return { state: "unknown", doubt: "unlisted", ...(known ? {} : { effect: "alert" }) };
}

/** Money makes an open payment `paid`. If the payment was cancelled, all the money is returned. */
function afterMoney({ cancelled }: Standing): Step {
  return cancelled ? { state: "paid", effect: "return" } : { state: "paid" };
}

function hasMoney(status: BankStatus): boolean {
  return status === "paid";
}

function afterCancel({ state, told }: Standing): Step {
  if (told !== undefined) return { state };
  if (state === "paid") return { state: "paid", effect: "return" };
  return state === "waiting" || state === "creating" || state === "unknown" ? { state: "cancelling" } : { state };
}

function afterRefunds(state: PaymentState, refunded: "nothing" | "part" | "all"): Step {
  if (state !== "refunding") return { state };
  return { state: refunded === "all" ? "refunded" : refunded === "part" ? "partly refunded" : "paid" };
}

function afterPerson(standing: Standing, decision: "paid" | "not-paid"): Step {
  const { state } = standing;
  if (!isOpen(state)) return { state };
  if (decision === "paid") return afterMoney(standing);
  return { state: standing.cancelled ? "cancelled" : "declined" };
}
