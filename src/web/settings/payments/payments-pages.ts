import type { PaymentStory } from "../../../operator/payments/payment-story.ts";
import { isReadable, type ListedPayment, type UnreadablePayment } from "../../../payments/listed-payment.ts";
import { dayAndHourAt, roubles } from "../../amounts.ts";
import { type Field, facts, field, MAX_REASON } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import { pageLink, type View } from "../../layout.ts";
import { acquirerWords, reasonWords, refundWords, stateOf } from "../../words/payment-words.ts";
import type { PageContext } from "../context.ts";

export function paymentsView({ say }: PageContext, payments: readonly ListedPayment[], zone: string): View {
  const title = say("Оплаты по QR", "QR payments");
  const rows = payments.map((payment) => {
    if (!isReadable(payment)) return unreadableItem(say, payment, zone);
    const { words, colour } = stateOf(say, payment.state);
    const label = html`<span><strong class="number">${roubles(payment.amountKopecks)}</strong> <span class="tag ${colour}">${words}</span><br><small class="soft number">${dayAndHourAt(
      payment.createdAtMs,
      zone,
    )} · ${payment.description}</small>${payment.reason === undefined ? undefined : html`<br><small>${reasonWords(say, payment.reason)}</small>`}</span><span class="go">${say("Открыть", "Open")}</span>`;
    return html`<li data-payment="${payment.operationId}" data-state="${payment.state}">${pageLink(`/settings/payments/${encodeURIComponent(payment.id)}`, label)}</li>`;
  });
  const empty = html`<div class="card"><p class="soft">${say("Оплат по QR ещё не было.", "There was no QR payment yet.")}</p></div>`;
  return {
    page: "payments",
    title,
    content: html`<div class="head"><h1>${title}</h1></div>${rows.length === 0 ? empty : html`<ul class="rows">${rows}</ul>`}`,
  };
}

function unreadableItem(say: PageContext["say"], { operationId, amountKopecks, createdAtMs }: UnreadablePayment, zone: string): Markup {
  const words = say("Не читается. Сообщите тому, кто ведёт сервер.", "Cannot be read. Tell the person who runs the server.");
  return html`<li data-payment="${operationId}" data-unreadable><span><strong class="number">${roubles(amountKopecks)}</strong> <span class="tag red">${words}</span><br><small class="soft number">${dayAndHourAt(createdAtMs, zone)}</small></span></li>`;
}

export interface RefundForm {
  amount: string;
  reason: string;
  problems: ReadonlyMap<string, Content>;
}

/** Draws one payment. `leftKopecks`: the sum that can still be refunded. */
export function paymentView(context: PageContext, story: PaymentStory, zone: string, leftKopecks: number): View {
  const { say } = context;
  const { amountKopecks } = story.payment;
  const title = say(`Оплата ${roubles(amountKopecks)}`, `Payment of ${roubles(amountKopecks)}`);
  const back = pageLink("/settings/payments", say("← Оплаты по QR", "← QR payments"), "back");
  return {
    page: "payment",
    title,
    content: html`<div class="head">${back}<h1>${title}</h1></div>${paymentPart(context, story, zone, leftKopecks)}`,
  };
}

/** Draws the part of a payment's page that a refund replaces. */
export function paymentPart(
  context: PageContext,
  story: PaymentStory,
  zone: string,
  leftKopecks: number,
  form?: RefundForm,
  said?: Markup,
): Markup {
  const { say } = context;
  const { payment, refunds } = story;
  const { words, colour } = stateOf(say, payment.state);
  return html`<div class="stack" id="payment" data-payment="${payment.operationId}" data-state="${payment.state}">${said}
<section class="card"><div><span class="tag ${colour}">${words}</span></div>${facts([
    [say("Когда", "When"), dayAndHourAt(payment.createdAtMs, zone)],
    [say("Назначение", "Description"), payment.description],
    [say("Банк", "Acquirer"), acquirerWords(say, payment.acquirer)],
    [say("Номер в банке", "The bank's id"), payment.bankId === undefined ? undefined : html`<code>${payment.bankId}</code>`],
    [say("Операция кассы", "Operation of the till"), html`<code>${payment.operationId}</code>`],
    [say("Чек", "Receipt"), story.saleDocumentId === undefined ? undefined : html`<code>${story.saleDocumentId}</code>`],
    [say("Причина", "Reason"), payment.reason === undefined ? undefined : reasonWords(say, payment.reason)],
  ])}</section>
${
  refunds.length === 0
    ? undefined
    : html`<section class="card"><h2>${say("Возвраты", "Refunds")}</h2><ol class="operations">${refunds.map(
        (refund) =>
          html`<li><div class="number">${roubles(refund.amountKopecks)} · ${refundWords(say, refund.state)}</div><div class="soft number">${dayAndHourAt(refund.askedAtMs, zone)}</div>${
            refund.reason === undefined ? undefined : html`<p class="wide hint">${reasonWords(say, refund.reason)}</p>`
          }</li>`,
      )}</ol></section>`
}
${leftKopecks <= 0 || !context.mayChange ? undefined : refundForm(context, story, leftKopecks, form)}
</div>`;
}

function refundForm({ say }: PageContext, { payment, refunds }: PaymentStory, leftKopecks: number, form?: RefundForm): Markup {
  const problem = (name: string): Pick<Field, "problem"> => {
    const words = form?.problems.get(name);
    return words === undefined ? {} : { problem: words };
  };
  const question = say("Вернуть деньги покупателю? Отменить это нельзя.", "Return the money to the buyer? It cannot be undone.");
  return html`<section class="card"><h2>${say("Вернуть деньги", "Return money")}</h2>
<form hx-post="/settings/payments/${encodeURIComponent(payment.id)}/refund" hx-target="#payment" hx-swap="outerHTML" hx-sync="this:drop" hx-confirm="${question}" novalidate>
<fieldset><input type="hidden" name="seen.refunds" value="${refunds.length}"><div class="fields">${field(say, {
    name: "amount",
    label: say("Сумма, ₽", "Sum, ₽"),
    value: form?.amount ?? "",
    hint: say(`Пусто: всё, ${roubles(leftKopecks)}.`, `Empty: all of it, ${roubles(leftKopecks)}.`),
    short: true,
    ...problem("amount"),
    kind: { type: "text", maxLength: 16, inputMode: "numeric" },
  })}${field(say, {
    name: "reason",
    label: say("Причина", "Reason"),
    value: form?.reason ?? "",
    hint: say("Останется у точки продаж, в списке «Кто что менял».", "Stays at the point of sale, among who has changed what."),
    ...problem("reason"),
    kind: { type: "text", maxLength: MAX_REASON },
  })}</div><div class="actions"><button type="submit" class="primary" data-action="refund">${say("Вернуть", "Return")}</button></div></fieldset></form></section>`;
}
