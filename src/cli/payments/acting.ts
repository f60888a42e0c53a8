import { formatKopecks } from "../../kernel/money.ts";
import { paymentStory } from "../../operator/payments/payment-story.ts";
import { type Reconciled, reconcile } from "../../operator/payments/reconcile.ts";
import { type RefundOrder, refundPayment } from "../../operator/payments/refund-payment.ts";
import type { OperatorPayments } from "../../operator/payments/services.ts";
import { type Settlement, settlePayment } from "../../operator/payments/settle-payment.ts";
import type { Payment, Refund } from "../../payments/payment.ts";
import type { CommandIo } from "../command.ts";
import { refundJson, storyJson } from "./payment-json.ts";
import { reconcileLines, unreadableLines } from "./tables.ts";
import { reasonText, reconcileText, refundObstacleText, settleObstacleText } from "./words.ts";

/** Orders a refund and prints the outcome. Exit code 1: no refund was made, or the refund is refused or waits for a person. */
export async function refund(tools: OperatorPayments, payment: Payment, order: RefundOrder, json: boolean, io: CommandIo): Promise<number> {
  const ordered = await refundPayment(tools, payment, order);
  const story = await paymentStory(tools, payment.id);
  const made = ordered.kind === "ordered" ? story.refunds.find(({ number }) => number === ordered.number) : undefined;
  const code = made === undefined || made.state === "refused" || made.state === "person" ? 1 : 0;
  if (json) {
    const outcome =
      ordered.kind === "refused"
        ? { outcome: "refused", ...ordered.because }
        : { outcome: "ordered", ...(made === undefined ? {} : { refund: refundJson(made) }) };
    io.out(JSON.stringify({ ...outcome, payment: storyJson(story) }, undefined, 2));
  } else if (ordered.kind === "refused") io.err(`Nothing goes back: ${refundObstacleText(ordered.because)}`);
  else if (made !== undefined) (code === 0 ? io.out : io.err)(refundText(made));
  return code;
}

function refundText(refund: Refund): string {
  const { number, amountKopecks, state, reason, nextTryAtMs } = refund;
  const what = `Refund ${number} of ${formatKopecks(amountKopecks)}`;
  const why = reason === undefined ? "" : `: ${reasonText(reason)}`;
  switch (state) {
    case "done":
      return `${what} is done`;
    case "accepted":
      return `${what} is accepted by the bank: the money is on its way`;
    case "queued":
      return nextTryAtMs === undefined
        ? `${what} is stored; a running server sends it`
        : `${what} is stored; a running server sends it at ${new Date(nextTryAtMs).toISOString()}${why}`;
    case "sent":
      return `${what} was sent, and the bank has not answered yet; a running server finds out`;
    case "refused":
      return `${what} was refused by the bank${why}`;
    case "person":
      return `${what} waits for a person${why}: look at the bank, then \`payments settle\``;
  }
}

export async function settle(
  tools: OperatorPayments,
  payment: Payment,
  settlement: Settlement,
  json: boolean,
  io: CommandIo,
): Promise<number> {
  const settled = await settlePayment(tools, payment, settlement);
  const story = await paymentStory(tools, payment.id);
  const code = settled.kind === "refused" ? 1 : 0;
  if (json) {
    const outcome =
      settled.kind === "refused"
        ? { outcome: "refused", ...settled.because }
        : { outcome: "settled", ...(settled.kind === "refund-settled" ? { refund: settled.number, waiting: settled.waiting } : {}) };
    io.out(JSON.stringify({ ...outcome, payment: storyJson(story) }, undefined, 2));
    return code;
  }
  switch (settled.kind) {
    case "refused":
      io.err(`Nothing was settled: ${settleObstacleText(settled.because)}`);
      break;
    case "payment-settled":
      io.out(`The payment is ${story.payment.state}`);
      break;
    case "refund-settled": {
      const state = story.refunds.find(({ number }) => number === settled.number)?.state;
      io.out(`Refund ${settled.number} is ${state}, the payment is ${story.payment.state}`);
      if (settled.waiting > 0) io.out(`${settled.waiting} more of its refunds wait for a person: run the same command for the next`);
    }
  }
  return code;
}

/**
 * Compares the open payments and the payments of the last three days with the banks, and prints those that do not agree; as JSON it prints
 * all. Exit code 1: a payment differs or could not be read, or a signal stopped the comparison.
 */
export async function reconcileAll(tools: OperatorPayments, json: boolean, io: CommandIo): Promise<number> {
  const rows: Reconciled[] = [];
  const unreadable = await reconcile(tools, io.signal, (row) => void rows.push(row));
  for (const line of unreadableLines(unreadable)) io.err(line);
  const sorted = rows.toSorted((a, b) => a.payment.createdAtMs - b.payment.createdAtMs);
  const count = (kind: Reconciled["result"]["kind"]) => rows.filter(({ result }) => result.kind === kind).length;
  if (json) io.out(JSON.stringify(sorted.map(reconciledJson), undefined, 2));
  else {
    const odd = sorted.filter(({ result }) => result.kind !== "agrees");
    if (odd.length > 0) for (const line of reconcileLines(odd)) io.out(line);
    io.out(
      `${rows.length} payments were compared: ${count("agrees")} agree, ${count("changed")} changed, ${count("differs")} differ, ${count("unreachable")} could not be read`,
    );
  }
  if (io.signal.aborted) io.err("A signal came first: not all were compared.");
  return io.signal.aborted || count("differs") + count("unreachable") + unreadable.length > 0 ? 1 : 0;
}

function reconciledJson({ payment, result }: Reconciled) {
  const { id, operationId, accountId, storeId, acquirer, bankId, state, amountKopecks } = payment;
  const { kind, ...details } = result;
  const named = { id, operationId, accountId, retailStoreId: storeId, acquirer, bankId: bankId ?? null };
  return { ...named, amount: amountKopecks, state, result: kind, ...details, what: reconcileText(result) };
}
