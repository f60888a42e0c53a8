import { formatKopecks } from "../../kernel/money.ts";
import { PAYMENT_STATES } from "../../model/payment.ts";
import type { PaymentStory } from "../../operator/payments/payment-story.ts";
import type { Payment } from "../../payments/payment.ts";
import { dayAndHourAt, roubles } from "../amounts.ts";
import { facts } from "../fields.ts";
import { type Content, html, type Markup } from "../html.ts";
import { reasonWords, refundWords, stateOf } from "../words/payment-words.ts";
import type { Cell } from "./csv.ts";
import type { ListFilter } from "./filter.ts";
import type { ConsoleContext, ConsoleView } from "./layout.ts";
import { listPage } from "./list-page.ts";
import { PAGE_ROWS } from "./operations-page.ts";
import type { ConsoleServices, PaymentSearch } from "./services.ts";

export async function paymentsPage(services: ConsoleServices, context: ConsoleContext, filter: ListFilter): Promise<ConsoleView> {
  const { say } = context;
  const found = await services.payments.search({ ...paymentSearchOf(filter), limit: PAGE_ROWS + 1 });
  const shown = found.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
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
      say("Сумма", "Sum"),
      say("Состояние", "State"),
      say("Возвращено", "Returned"),
      say("Банк", "Bank"),
    ],
    rows: shown.map((payment) => paymentRow(context, payment)),
    ...(found.length > PAGE_ROWS && last !== undefined ? { next: `${last.createdAtMs}-${last.id}` } : {}),
  });
  return { page: "payments", title, content };
}

/** Returns the search of payments for a filter. A position that is not valid is left out. */
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

export function paymentRow(
  { say, zone }: ConsoleContext,
  { id, operationId, amountKopecks, state, refundedKopecks, acquirer, createdAtMs }: Payment,
): Markup {
  return html`<tr data-payment="${operationId}" data-state="${state}"><td class="number">${dayAndHourAt(createdAtMs, zone)}</td>
<td><a href="/console/payments/${id}">${operationId}</a></td><td class="number sum">${roubles(amountKopecks)}</td>
<td>${stateTag(say, state)}</td>
<td class="number sum">${refundedKopecks === 0 ? undefined : roubles(refundedKopecks)}</td><td class="soft">${acquirer}</td></tr>`;
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

export function paymentCells(payment: Payment, zone: string): Cell[] {
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

/** Draws one payment: the states that the bank and the till were told, its refunds and its sale. */
export function paymentPage({ say, zone }: ConsoleContext, { payment, refunds, moves, saleDocumentId }: PaymentStory): ConsoleView {
  const { operationId, amountKopecks, state, reason, late } = payment;
  const content = html`<div data-payment="${operationId}" data-state="${state}">
<div class="head"><a class="back" href="/console/payments">${say("← Оплаты", "← Payments")}</a><h1>${say("Оплата", "Payment")} ${roubles(amountKopecks)}</h1>
<p>${stateTag(say, state)}</p></div>
${late?.state === "person" ? html`<div class="panel amber">${say("Деньги пришли после отказа: решите, возвращать ли их.", "Money came after the end: decide whether it goes back.")}</div>` : undefined}
<div class="columns-2"><section class="card"><h2>${say("Что с ней было", "What happened to it")}</h2><ol class="operations">${moves.map(
    (move) =>
      html`<li><div>${stateTag(say, move.to)}</div><div class="soft number">${dayAndHourAt(move.atMs, zone)}</div><p class="wide hint">${move.why}</p></li>`,
  )}</ol></section>
<section class="card"><h2>${say("Данные", "Data")}</h2>${facts([
    [say("Операция кассы", "Operation of the till"), operationId],
    [say("Номер в банке", "The bank's number"), payment.bankId],
    [say("Банк", "Bank"), payment.acquirer],
    [say("Кассе сказано", "The till was told"), payment.told],
    [say("Причина", "Reason"), reason === undefined ? undefined : reasonWords(say, reason)],
    [say("Возвраты", "Refunds"), refundList(say, refunds)],
    [
      say("Продажа", "Sale"),
      saleDocumentId === undefined ? undefined : html`<a href="/console/operations?q=${saleDocumentId}">${saleDocumentId}</a>`,
    ],
    [say("Аккаунт", "Account"), payment.accountId],
    [say("Точка продаж", "Point of sale"), payment.storeId],
  ])}
<p class="hint">${say("Вернуть деньги или решить неизвестное:", "To return money, or to settle what is unknown:")} <code>payments refund ${operationId}</code>, <code>payments settle ${operationId}</code></p></section></div></div>`;
  return { page: "payment", title: say("Оплата", "Payment"), content };
}

function refundList(say: ConsoleContext["say"], refunds: PaymentStory["refunds"]): Content {
  if (refunds.length === 0) return undefined;
  return html`<ul>${refunds.map(({ amountKopecks, state }) => html`<li>${roubles(amountKopecks)} <span class="soft">${refundWords(say, state)}</span></li>`)}</ul>`;
}

/** Draws a state of the payment's history. The history may name a state that no longer exists; it is shown as it is written. */
function stateTag(say: ConsoleContext["say"], state: string): Markup {
  const known = PAYMENT_STATES.find((one) => one === state);
  const { words, colour } = known === undefined ? { words: state, colour: "" } : stateOf(say, known);
  return html`<span class="tag ${colour}">${words}</span>`;
}
