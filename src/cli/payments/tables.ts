import { formatKopecks } from "../../kernel/money.ts";
import type { PaymentStory } from "../../operator/payments/payment-story.ts";
import type { Reconciled } from "../../operator/payments/reconcile.ts";
import { isReadable, type ListedPayment } from "../../payments/listed-payment.ts";
import { instant, tableOf } from "../journal/rows.ts";
import { reasonText, reconcileText } from "./words.ts";

export function listLines(payments: readonly ListedPayment[]): string[] {
  const title = ["CREATED (UTC)", "STATE", "SUM", "TOLD", "ACQUIRER", "STORE", "OPERATION", "PAYMENT"];
  return tableOf([title, ...payments.map(rowOf)]);
}

function rowOf(payment: ListedPayment): string[] {
  if (!isReadable(payment)) {
    const { createdAtMs, amountKopecks, storeId, operationId, id } = payment;
    return [instant(createdAtMs), "cannot be read", formatKopecks(amountKopecks), "", "", storeId, operationId, id];
  }
  const { createdAtMs, state, amountKopecks, told, acquirer, storeId, operationId, id, late } = payment;
  const noted = late === undefined ? state : `${state} (late money)`;
  return [instant(createdAtMs), noted, formatKopecks(amountKopecks), told ?? "", acquirer, storeId, operationId, id];
}

/** Returns a line for each payment that cannot be read, with what is wrong. */
export function unreadableLines(payments: readonly ListedPayment[]): string[] {
  return payments.flatMap((payment) => (isReadable(payment) ? [] : [`Payment ${payment.id} cannot be read: ${payment.problem}`]));
}

export function storyLines({ payment, refunds, moves, saleDocumentId }: PaymentStory): string[] {
  const { late, reason } = payment;
  const rows: (readonly [string, string | undefined])[] = [
    ["Payment", payment.id],
    ["Operation", payment.operationId],
    ["Account", payment.accountId],
    ["Point of sale", payment.storeId],
    ["Acquirer", payment.merchant],
    ["Bank's id", payment.bankId],
    ["Bank's status", payment.rawStatus],
    ["Sum", formatKopecks(payment.amountKopecks)],
    ["State", payment.state],
    ["Told", payment.told],
    ["Reason", reason === undefined ? undefined : reasonText(reason)],
    ["Late money", late === undefined ? undefined : `${formatKopecks(late.amountKopecks)}, ${late.state}`],
    ["Sale", saleDocumentId],
    ["Code ends (UTC)", instant(payment.expiresAtMs)],
    ["Read next (UTC)", payment.nextReadAtMs === undefined ? "never" : instant(payment.nextReadAtMs)],
  ];
  const known = rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const back = refunds.map((each) => [
    String(each.number),
    formatKopecks(each.amountKopecks),
    each.state,
    each.cause,
    instant(each.askedAtMs),
    each.reason === undefined ? "" : reasonText(each.reason),
  ]);
  const course = moves.map(({ atMs, from, to, why }) => [instant(atMs), from ?? "", to, why]);
  return [
    ...tableOf(known),
    ...(back.length === 0 ? [] : ["", ...tableOf([["REFUND", "SUM", "STATE", "CAUSE", "ASKED (UTC)", "REASON"], ...back])]),
    "",
    ...tableOf([["AT (UTC)", "FROM", "TO", "WHY"], ...course]),
  ];
}

/** Returns the table of payments, each compared with the bank. */
export function reconcileLines(rows: readonly Reconciled[]): string[] {
  const cells = rows.map(({ payment, result }) => [
    instant(payment.createdAtMs),
    result.kind,
    formatKopecks(payment.amountKopecks),
    payment.id,
    reconcileText(result),
  ]);
  return tableOf([["CREATED (UTC)", "RESULT", "SUM", "PAYMENT", "WHAT"], ...cells]);
}
