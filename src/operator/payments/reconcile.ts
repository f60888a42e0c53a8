import { pause } from "../../kernel/clock.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import type { PaymentState } from "../../model/payment.ts";
import type { OpenAccount } from "../../payments/clients.ts";
import { isUnderWay, type Payment, paymentOf } from "../../payments/payment.ts";
import { paymentWithRefunds, type StoredPayment } from "../../payments/payment-with-refunds.ts";
import { type PageStart, paymentsToCompare } from "../../payments/reconcile-queries.ts";
import { isOpen, isRejected } from "../../payments/states.ts";
import { type BookDifference, compareBooks } from "./compare-books.ts";
import { HELD_WAIT_MS, type PaymentDesk } from "./services.ts";

/** How far back payments that are over are compared (as far as sales of payments are looked for). */
const LOOK_BACK_MS = 3 * 24 * 3_600_000;
const PAGE_ROWS = 200;
/** Payments that are looked at together: one bank that does not answer must not hold up the others. */
const PARALLEL = 8;
/** How often it is asked whether a merchant's account may be read again. */
const PACE_MS = 100;
const READ_MS = 2_500;

/** How the bank's book and ours stand after the look. */
export interface Reconciled {
  /** As it is stored afterwards. */
  payment: Payment;
  result: ReconcileResult;
}

export type ReconcileResult =
  | { kind: "agrees" }
  /** Our book has followed the bank's. */
  | { kind: "changed"; from: string; to: string }
  /** A person must look. */
  | { kind: "differs"; difference: BookDifference | OpenQuestion }
  | { kind: "unreachable"; why: "no-answer" | "held" | "no-setting" | "not-known-there" | "cannot-be-found" };

/** Both books may say the same, and a person must act all the same. */
type OpenQuestion =
  | { code: "not-understood" }
  | { code: "late-money"; kopecks: number }
  /** A refund failed or was never answered, and nothing sends it again: the buyer's money is where it should not be. */
  | { code: "not-returned"; kopecks: number };

/**
 * Reads at the banks everything that is open or followed, and what is over since three days at the longest. Whatever is found takes
 * the same way as a reading of the server. Tells of each payment once, in no order. Ends early when the signal is aborted.
 */
export async function reconcile(desk: PaymentDesk, signal: AbortSignal, tell: (row: Reconciled) => void): Promise<void> {
  const { store, clock } = desk.services;
  const sinceMs = clock.nowMs() - LOOK_BACK_MS;
  let after: PageStart | undefined;
  while (!signal.aborted) {
    const start = after;
    const rows = await store.read((db) => paymentsToCompare(db, sinceMs, start, PAGE_ROWS));
    const waiting = rows.map(paymentOf);
    const work = async () => {
      for (let payment = waiting.shift(); payment !== undefined && !signal.aborted; payment = waiting.shift()) {
        const row = await reconcileOne(desk, payment, signal);
        if (row !== undefined) tell(await withWaitingRefunds(desk, row));
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = { createdAtMs: last.created_at_ms, id: last.id };
  }
}

/** Undefined: there is nothing to ask, or the signal came first. */
async function reconcileOne(desk: PaymentDesk, payment: Payment, signal: AbortSignal): Promise<Reconciled | undefined> {
  // The bank has refused to make it, so that it knows nothing of it.
  if (payment.state === "failed" && payment.bankId === undefined) return undefined;
  const open = await desk.clients.ofPayment(payment);
  if ("problem" in open) return { payment, result: { kind: "unreachable", why: "no-setting" } };
  if (!(await mayRead(desk, payment.merchant, signal))) return undefined;
  if (isRejected(payment.state) && payment.bankId === undefined) return { payment, result: await look(desk, open, payment) };
  const before = await storedOf(desk, payment.id);
  const isFollowed = isOpen(before.payment.state) || isRejected(before.payment.state) || before.refunds.some(isUnderWay);
  if (!isFollowed) return byReading(desk, open, before);
  const followed = await byTurn(desk, before);
  const isSound = followed.result.kind === "agrees" || followed.result.kind === "changed";
  // A turn draws no conclusion from what the bank says of the sums of a payment that has had money.
  if (!isSound || !WITH_MONEY.includes(followed.payment.state) || !(await mayRead(desk, payment.merchant, signal))) return followed;
  const compared = await byReading(desk, open, await storedOf(desk, payment.id));
  return compared.result.kind === "differs" ? compared : followed;
}

/** A refund that waits for a person is not forgotten because both books lack it. */
async function withWaitingRefunds(desk: PaymentDesk, row: Reconciled): Promise<Reconciled> {
  if (row.result.kind !== "agrees" && row.result.kind !== "changed") return row;
  const { payment, refunds } = await storedOf(desk, row.payment.id);
  const kopecks = refunds.filter(({ state }) => state === "person").reduce((sum, { amountKopecks }) => sum + amountKopecks, 0);
  return kopecks === 0 ? row : { payment, result: { kind: "differs", difference: { code: "not-returned", kopecks } } };
}

const WITH_MONEY: readonly PaymentState[] = ["paid", "refunding", "partly refunded", "refunded"];

/** A turn as the server runs it, with a reading that was not due. */
async function byTurn(desk: PaymentDesk, before: StoredPayment): Promise<Reconciled> {
  const { clock } = desk.services;
  const beganMs = clock.nowMs();
  const turn = await desk.turns.takeSoon(before.payment.id, deadlineIn(clock, HELD_WAIT_MS), { read: true, mayAsk: true });
  const after = await storedOf(desk, before.payment.id);
  const { payment } = after;
  if ("held" in turn) return { payment, result: { kind: "unreachable", why: "held" } };
  const wasRead = payment.readAtMs !== undefined && payment.readAtMs >= beganMs;
  if (wasRead && (payment.state === "unknown" || payment.reason?.code === "mismatch"))
    return { payment, result: { kind: "differs", difference: { code: "not-understood" } } };
  if (payment.late?.state === "person" && !after.refunds.some(({ state }) => state === "done"))
    return { payment, result: { kind: "differs", difference: { code: "late-money", kopecks: payment.late.amountKopecks } } };
  if (standingOf(before) !== standingOf(after))
    return { payment, result: { kind: "changed", from: standingOf(before), to: standingOf(after) } };
  return { payment, result: wasRead ? { kind: "agrees" } : { kind: "unreachable", why: "no-answer" } };
}

/** Payments that had money, and of which nothing is under way: no state follows from a reading, so that the books are compared. */
async function byReading(desk: PaymentDesk, { client }: OpenAccount, { payment, refunds }: StoredPayment): Promise<Reconciled> {
  const { bankId } = payment;
  if (bankId === undefined) return { payment, result: { kind: "unreachable", why: "not-known-there" } };
  const reading = await client.read(bankId, deadlineIn(desk.services.clock, READ_MS));
  switch (reading.kind) {
    case "payment": {
      const difference = compareBooks(payment, refunds, reading.payment);
      return { payment, result: difference === undefined ? { kind: "agrees" } : { kind: "differs", difference } };
    }
    case "refused":
      return { payment, result: { kind: "unreachable", why: "not-known-there" } };
    case "busy":
    case "unknown":
      return { payment, result: { kind: "unreachable", why: "no-answer" } };
  }
}

/** A payment that ended before the bank's answer to its making was known. Its money would belong to nobody. */
async function look({ services }: PaymentDesk, { client }: OpenAccount, payment: Payment): Promise<ReconcileResult> {
  const { id, amountKopecks, expiresAtMs, description, storeId } = payment;
  const order = { paymentId: id, amountKopecks, expiresAtMs, description, storeId };
  const found = await client.find(order, deadlineIn(services.clock, READ_MS));
  switch (found.kind) {
    case "none":
      return { kind: "agrees" };
    case "payment":
      return HARMLESS.includes(found.payment.status)
        ? { kind: "agrees" }
        : { kind: "differs", difference: { code: "status", ours: payment.state, bank: found.payment.status } };
    case "repeat-create":
      return { kind: "unreachable", why: "cannot-be-found" };
    case "busy":
    case "unknown":
      return { kind: "unreachable", why: "no-answer" };
  }
}

/** At the bank too the payment is over without money. */
const HARMLESS: readonly string[] = ["declined", "expired", "cancelled", "refunded"];

/** Waits until the account may be read. False: the signal came first. */
async function mayRead({ clients, services }: PaymentDesk, merchant: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (clients.mayRead(merchant)) return true;
    await pause(services.clock, PACE_MS, signal);
  }
  return false;
}

async function storedOf({ services }: PaymentDesk, id: string): Promise<StoredPayment> {
  const stored = await services.store.read((db) => paymentWithRefunds(db, id));
  if (stored === undefined) throw new Error(`payment ${id} is gone, and payments are never deleted`);
  return stored;
}

/** What a person would call a change: the state, money after the end, and the refunds' states. */
function standingOf({ payment, refunds }: StoredPayment): string {
  const late = payment.late === undefined ? [] : ["late money"];
  const back = refunds.map(({ number, state }) => `refund ${number} ${state}`);
  return [payment.state, ...late, ...back].join(", ");
}
