import { formatKopecks } from "../../../kernel/money.ts";
import { PAYMENT_STATES } from "../../../model/payment.ts";
import { isReadable, type ListedPayment, type UnreadablePayment } from "../../../payments/listed-payment.ts";
import { dayAndHourAt, roubles } from "../../amounts.ts";
import { html, type Markup } from "../../html.ts";
import { acquirerWords, stateOf } from "../../words/payment-words.ts";
import type { Cell } from "../export/csv.ts";
import type { ListFilter } from "../filter.ts";
import type { ConsoleContext, ConsoleView } from "../layout.ts";
import { listPage } from "../list-page.ts";
import { PAGE_ROWS } from "../operations-page.ts";
import { type PlaceNames, storeText } from "../places.ts";
import type { ConsoleServices, PaymentSearch } from "../services.ts";

export async function paymentsPage(services: ConsoleServices, context: ConsoleContext, filter: ListFilter): Promise<ConsoleView> {
  const { say } = context;
  const found = await services.payments.search({ ...paymentSearchOf(filter), limit: PAGE_ROWS + 1 });
  const shown = found.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  const names = await services.namesOf(shown);
  const title = say("Оплаты по QR", "QR payments");
  const content = listPage({
    say,
    address: "/console/payments",
    filter,
    title,
    hint: say("Номер платежа в банке, операция кассы или день", "The bank's number, the till's operation, or a day"),
    fields: ["q", "from", "to", "account", "store"],
    states: PAYMENT_STATES.map((state) => ({ value: state, label: stateOf(say, state).words })),
    head: [
      say("Создана", "Made"),
      say("Операция", "Operation"),
      { sum: say("Сумма", "Sum") },
      say("Состояние", "State"),
      { sum: say("Возвращено", "Returned") },
      say("Точка продаж", "Point of sale"),
    ],
    rows: shown.map((payment) => paymentRow(context, payment, names)),
    ...(found.length > PAGE_ROWS && last !== undefined ? { next: `${last.createdAtMs}-${last.id}` } : {}),
  });
  return { page: "payments", title, content };
}

/** Returns the payment search of a filter. Ignores an invalid `page`. */
export function paymentSearchOf({ q, accountId, storeId, state, fromMs, toMs, page }: ListFilter): Omit<PaymentSearch, "limit"> {
  const [, createdAtMs, id] = /^(\d{1,15})-([\w-]{1,64})$/.exec(page ?? "") ?? [];
  return {
    ...(q === undefined ? {} : { id: q }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(storeId === undefined ? {} : { storeId }),
    ...(state === undefined ? {} : { state }),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
    ...(createdAtMs === undefined || id === undefined ? {} : { after: { createdAtMs: Number(createdAtMs), id } }),
  };
}

export function paymentRow(context: ConsoleContext, payment: ListedPayment, names: PlaceNames): Markup {
  if (!isReadable(payment)) return unreadableRow(context, payment, names);
  const { say, zone } = context;
  const { id, operationId, amountKopecks, state, refundedKopecks, acquirer, createdAtMs } = payment;
  return html`<tr data-payment="${operationId}" data-state="${state}"><td class="number">${dayAndHourAt(createdAtMs, zone)}</td>
<td><a href="/console/payments/${id}">${operationId}</a></td><td class="number sum">${roubles(amountKopecks)}</td>
<td>${stateTag(say, state)}</td>
<td class="number sum" data-label="${say("возвращено", "returned")}">${refundedKopecks === 0 ? undefined : roubles(refundedKopecks)}</td><td>${storeText(names, payment)}<div class="hint">${acquirerWords(say, acquirer)}</div></td></tr>`;
}

function unreadableRow({ say, zone }: ConsoleContext, payment: UnreadablePayment, names: PlaceNames): Markup {
  const { id, operationId, amountKopecks, createdAtMs, problem } = payment;
  return html`<tr data-payment="${operationId}" data-unreadable><td class="number">${dayAndHourAt(createdAtMs, zone)}</td>
<td>${operationId}<div class="hint">${id}</div></td><td class="number sum">${roubles(amountKopecks)}</td>
<td colspan="2"><span class="tag red">${say("не читается", "cannot be read")}</span><div class="hint">${problem}</div></td><td>${storeText(names, payment)}</td></tr>`;
}

export const PAYMENTS_HEAD = [
  "id",
  "made",
  "operation id",
  "sum",
  "state",
  "told",
  "returned",
  "acquirer",
  "bank id",
  "account",
  "store",
] as const;

export function paymentCells(payment: ListedPayment, zone: string): Cell[] {
  if (!isReadable(payment)) {
    const made = dayAndHourAt(payment.createdAtMs, zone);
    const known = [payment.id, made, payment.operationId, Number(formatKopecks(payment.amountKopecks))];
    return [...known, `unreadable: ${payment.problem}`, "", "", "", "", payment.accountId, payment.storeId];
  }
  const { id, createdAtMs, operationId, amountKopecks, state, told, refundedKopecks, acquirer, bankId, accountId, storeId } = payment;
  const sum = Number(formatKopecks(amountKopecks));
  return [
    id,
    dayAndHourAt(createdAtMs, zone),
    operationId,
    sum,
    state,
    told,
    Number(formatKopecks(refundedKopecks)),
    acquirer,
    bankId,
    accountId,
    storeId,
  ];
}

/** Draws a state. A stored move may have an unknown state, from another version of the server. Such a state is shown as written. */
export function stateTag(say: ConsoleContext["say"], state: string): Markup {
  const known = PAYMENT_STATES.find((one) => one === state);
  const { words, colour } = known === undefined ? { words: state, colour: "" } : stateOf(say, known);
  return html`<span class="tag ${colour}">${words}</span>`;
}
