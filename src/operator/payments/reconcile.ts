import { pause } from "../../kernel/clock.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import type { OpenAccount } from "../../payments/clients.ts";
import { isReadable, listedPaymentOf, type UnreadablePayment, unreadablePaymentOf } from "../../payments/listed-payment.ts";
import { isUnderWay, type Payment } from "../../payments/payment.ts";
import { paymentWithRefunds, type StoredPayment } from "../../payments/payment-with-refunds.ts";
import { type PageStart, paymentsToCompare } from "../../payments/reconcile-queries.ts";
import { isOpen, isRejected } from "../../payments/states.ts";
import { type BookDifference, compareBooks } from "./compare-books.ts";
import { HELD_WAIT_MS, type OperatorPayments, STATES_WITH_MONEY } from "./services.ts";

/** How far back ended payments are compared. `payments/sales.ts` searches the sales of payments equally far back. */
const LOOK_BACK_MS = 3 * 24 * 3_600_000;
const PAGE_ROWS = 200;
/** The largest number of simultaneous readings. A silent bank must not delay the rest. */
const PARALLEL = 8;
/** The pause between two tries to read a merchant's account. */
const PACE_MS = 100;
const READ_MS = 2_500;

export interface Reconciled {
  /** The payment as stored after the comparison. */
  payment: Payment;
  result: ReconcileResult;
}

export type ReconcileResult =
  | { kind: "agrees" }
  /** The reading has changed this server's state of the payment to the bank's state. */
  | { kind: "changed"; from: string; to: string }
  /** A person must look. */
  | { kind: "differs"; difference: BookDifference | OpenQuestion }
  | { kind: "unreachable"; why: "no-answer" | "held" | "no-setting" | "not-known-there" | "cannot-be-found" };

/** A person must act, even when the bank's state and the stored state agree. */
type OpenQuestion =
  | { code: "not-understood" }
  | { code: "late-money"; kopecks: number }
  /** A refund failed or was never answered, and nothing sends it again. The buyer may not have got the money back. */
  | { code: "not-returned"; kopecks: number };

/**
 * Reads at the banks all payments that the server still reads itself, payments with a refund that waits for a person, and payments of the
 * last three days. The readings of open payments, and of some ended payments, have the same effects as the server's own readings. Reports
 * each payment at most once, in any order. Ends early when the signal is aborted. Returns the payments that cannot be read.
 */
export async function reconcile(
  tools: OperatorPayments,
  signal: AbortSignal,
  tell: (row: Reconciled) => void,
): Promise<UnreadablePayment[]> {
  const { store, clock } = tools.services;
  const unreadable: UnreadablePayment[] = [];
  const sinceMs = clock.nowMs() - LOOK_BACK_MS;
  let after: PageStart | undefined;
  while (!signal.aborted) {
    const start = after;
    const rows = await store.read((db) => paymentsToCompare(db, sinceMs, start, PAGE_ROWS));
    const waiting = [...rows];
    const work = async () => {
      for (let row = waiting.shift(); row !== undefined && !signal.aborted; row = waiting.shift()) {
        const compared = await comparedRow(tools, row, signal);
        if (compared !== undefined && "problem" in compared) unreadable.push(compared);
        else if (compared !== undefined) tell(compared);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) break;
    after = { createdAtMs: last.created_at_ms, id: last.id };
  }
  return unreadable;
}

type ComparedRow = Awaited<ReturnType<typeof paymentsToCompare>>[number];

/** Compares the payment of a row. Undefined: there is no question for the bank, or the signal was aborted. */
async function comparedRow(
  tools: OperatorPayments,
  row: ComparedRow,
  signal: AbortSignal,
): Promise<Reconciled | UnreadablePayment | undefined> {
  const payment = listedPaymentOf(row);
  if (!isReadable(payment)) return payment;
  try {
    const compared = await reconcileOne(tools, payment, signal);
    return compared && (await withWaitingRefunds(tools, compared));
  } catch (error) {
    // Refunds have rows of their own.
    if (!(error instanceof Failure) || error.code !== "payment-unreadable") throw error;
    return unreadablePaymentOf(row, error.message);
  }
}

/** Compares one payment. Undefined: there is no question for the bank, or the signal was aborted. */
async function reconcileOne(tools: OperatorPayments, payment: Payment, signal: AbortSignal): Promise<Reconciled | undefined> {
  // The bank refused to make the payment, so the payment does not exist there.
  if (payment.state === "failed" && payment.bankId === undefined) return undefined;
  const open = await tools.clients.ofPayment(payment);
  if ("problem" in open) return { payment, result: { kind: "unreachable", why: "no-setting" } };
  if (!(await mayRead(tools, payment.merchant, signal))) return undefined;
  if (isRejected(payment.state) && payment.bankId === undefined) return { payment, result: await look(tools, open, payment) };
  const before = await storedOf(tools, payment.id);
  const isFollowed = isOpen(before.payment.state) || isRejected(before.payment.state) || before.refunds.some(isUnderWay);
  if (!isFollowed) return byReading(tools, open, before);
  const followed = await byTurn(tools, before);
  const isSound = followed.result.kind === "agrees" || followed.result.kind === "changed";
  // The turn did not compare the sums of a paid payment, so they are compared here.
  if (!isSound || !STATES_WITH_MONEY.includes(followed.payment.state) || !(await mayRead(tools, payment.merchant, signal))) return followed;
  const compared = await byReading(tools, open, await storedOf(tools, payment.id));
  return compared.result.kind === "differs" ? compared : followed;
}

/** Reports a refund that waits for a person, even when the bank's state and the stored state agree. */
async function withWaitingRefunds(tools: OperatorPayments, row: Reconciled): Promise<Reconciled> {
  if (row.result.kind !== "agrees" && row.result.kind !== "changed") return row;
  const { payment, refunds } = await storedOf(tools, row.payment.id);
  const kopecks = refunds.filter(({ state }) => state === "person").reduce((sum, { amountKopecks }) => sum + amountKopecks, 0);
  return kopecks === 0 ? row : { payment, result: { kind: "differs", difference: { code: "not-returned", kopecks } } };
}

/** Runs a turn of the payment like the server. The turn reads the payment even if no reading is due. */
async function byTurn(tools: OperatorPayments, before: StoredPayment): Promise<Reconciled> {
  const { clock } = tools.services;
  const beganMs = clock.nowMs();
  const turn = await tools.turns.takeSoon(before.payment.id, deadlineIn(clock, HELD_WAIT_MS), { read: true, mayAsk: true });
  const after = await storedOf(tools, before.payment.id);
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

/** Reads a payment and compares the bank's state with the stored state. The reading itself changes no stored state. */
async function byReading(tools: OperatorPayments, { client }: OpenAccount, { payment, refunds }: StoredPayment): Promise<Reconciled> {
  const { bankId } = payment;
  if (bankId === undefined) return { payment, result: { kind: "unreachable", why: "not-known-there" } };
  const reading = await client.read(bankId, deadlineIn(tools.services.clock, READ_MS));
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

/** Looks at the bank for a payment that ended before the bank answered its creation. Nobody else would notice if a buyer paid it. */
async function look({ services }: OperatorPayments, { client }: OpenAccount, payment: Payment): Promise<ReconcileResult> {
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

/** Statuses of a payment that has ended at the bank without money left there. */
const HARMLESS: readonly string[] = ["declined", "expired", "cancelled", "refunded"];

/** Waits until the account may be read. False: the signal was aborted. */
async function mayRead({ clients, services }: OperatorPayments, merchant: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (clients.mayRead(merchant)) return true;
    await pause(services.clock, PACE_MS, signal);
  }
  return false;
}

async function storedOf({ services }: OperatorPayments, id: string): Promise<StoredPayment> {
  const stored = await services.store.read((db) => paymentWithRefunds(db, id));
  if (stored === undefined) throw new Error(`payment ${id} is gone, and payments are never deleted`);
  return stored;
}

/** Returns everything whose change is reported: the state, money after the end, and the states of the refunds. */
function standingOf({ payment, refunds }: StoredPayment): string {
  const late = payment.late === undefined ? [] : ["late money"];
  const back = refunds.map(({ number, state }) => `refund ${number} ${state}`);
  return [payment.state, ...late, ...back].join(", ");
}
