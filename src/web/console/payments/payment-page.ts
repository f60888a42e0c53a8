import type { PaymentStory } from "../../../operator/payments/payment-story.ts";
import { dayAndHourAt, roubles } from "../../amounts.ts";
import { facts } from "../../fields.ts";
import { type Content, html } from "../../html.ts";
import { acquirerWords, causeWords, reasonWords, refundWords, toldWords } from "../../words/payment-words.ts";
import type { ConsoleContext, ConsoleView } from "../layout.ts";
import { noticeMarkup } from "../notice.ts";
import { accountLink, storeLink } from "../places.ts";
import type { ConsoleServices } from "../services.ts";
import { type PaymentForm, refundForm, settleForm } from "./payment-forms.ts";
import { stateTag } from "./payments-page.ts";

/** Draws the history of one payment: its states with their causes, the refunds and the sale. `said`: the result of the last act. */
export async function paymentPage(
  { namesOf }: Pick<ConsoleServices, "namesOf">,
  context: ConsoleContext,
  story: PaymentStory,
  { form, said }: { form?: PaymentForm; said?: string } = {},
): Promise<ConsoleView> {
  const names = await namesOf([story.payment]);
  const { say, zone } = context;
  const { payment, refunds, moves, saleDocumentId } = story;
  const { operationId, amountKopecks, state, reason, late } = payment;
  const content = html`<div data-payment="${operationId}" data-state="${state}">
<div class="head"><a class="back" href="/console/payments">${say("← Оплаты", "← Payments")}</a><h1>${say("Оплата", "Payment")} ${roubles(amountKopecks)}</h1>
<p>${stateTag(say, state)}</p></div>
${noticeMarkup(said)}
${late?.state === "person" ? html`<div class="panel amber"><p>${say("Деньги пришли после отказа: решите, возвращать ли их.", "Money came after the end: decide whether it goes back.")}</p></div>` : undefined}
<div class="story"><div class="stack">
${settleForm(context, story, form)}
<section class="card"><h2>${say("Что с ней было", "What happened to it")}</h2><ol class="operations">${moves.map(
    (move) =>
      html`<li><div>${stateTag(say, move.to)}</div><div class="soft number">${dayAndHourAt(move.atMs, zone)}</div><p class="wide hint">${causeWords(say, move.why)}</p></li>`,
  )}</ol></section>
${refundList(context, refunds)}
${refundForm(context, story, form)}
</div>
<div class="stack"><section class="card"><h2>${say("Данные", "Data")}</h2>${facts([
    [say("Операция кассы", "Operation of the till"), operationId],
    [say("Номер в банке", "The bank's number"), payment.bankId],
    [say("Банк", "Bank"), acquirerWords(say, payment.acquirer)],
    [say("Кассе сказано", "The till was told"), payment.told === undefined ? undefined : toldWords(say, payment.told)],
    [say("Причина", "Reason"), reason === undefined ? undefined : reasonWords(say, reason)],
    [
      say("Продажа", "Sale"),
      saleDocumentId === undefined ? undefined : html`<a href="/console/operations/${saleDocumentId}">${saleDocumentId}</a>`,
    ],
    [say("Аккаунт", "Account"), accountLink("/console/payments", names, payment)],
    [say("Точка продаж", "Point of sale"), storeLink("/console/payments", names, payment)],
  ])}</section></div></div></div>`;
  return { page: "payment", title: say("Оплата", "Payment"), content };
}

function refundList({ say, zone }: ConsoleContext, refunds: PaymentStory["refunds"]): Content {
  if (refunds.length === 0) return undefined;
  return html`<section class="card"><h2>${say("Возвраты", "Refunds")}</h2><ol class="operations">${refunds.map(
    ({ amountKopecks, state, askedAtMs, reason }) =>
      html`<li><div class="number">${roubles(amountKopecks)} · ${refundWords(say, state)}</div><div class="soft number">${dayAndHourAt(askedAtMs, zone)}</div>${
        reason === undefined ? undefined : html`<p class="wide hint">${reasonWords(say, reason)}</p>`
      }</li>`,
  )}</ol></section>`;
}
