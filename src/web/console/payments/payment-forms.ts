import type { PaymentStory } from "../../../operator/payments/payment-story.ts";
import { STATES_WITH_MONEY } from "../../../operator/payments/services.ts";
import { remainingKopecks } from "../../../payments/payment.ts";
import { isOpen } from "../../../payments/states.ts";
import { roubles } from "../../amounts.ts";
import { field, problemOf, reasonField } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";
import type { ConsoleContext } from "../layout.ts";

export interface PaymentForm {
  act: "refund" | "settle";
  typed: ReadonlyMap<string, string>;
  problem: { field: "amount" | "reason" | "decision"; words: string };
}

/** Draws the refund form. Undefined: no money is left to refund. */
export function refundForm({ say, session }: ConsoleContext, story: PaymentStory, form: PaymentForm | undefined): Content {
  const { payment, refunds } = story;
  const left = leftKopecks(story);
  if (left <= 0) return undefined;
  const own = form?.act === "refund" ? form : undefined;
  return html`<section class="card" id="refund"><h2>${say("Вернуть деньги покупателю", "Return money to the buyer")}</h2>
<form method="post" action="/console/payments/${encodeURIComponent(payment.id)}/refund"><input type="hidden" name="csrf" value="${session.csrf}"><input type="hidden" name="seen" value="${refunds.length}"><div class="fields">${field(
    say,
    {
      name: "amount",
      label: say("Сумма, ₽", "Sum, ₽"),
      value: own?.typed.get("amount") ?? "",
      hint: say(`Пусто: всё, ${roubles(left)}.`, `Empty: all of it, ${roubles(left)}.`),
      short: true,
      ...problemOf(own, "amount"),
      kind: { type: "text", maxLength: 16, inputMode: "numeric" },
    },
  )}${reasonField(say, own, { hint: kept(say) })}</div><div class="actions"><button class="primary" data-action="refund">${say("Вернуть деньги", "Return the money")}</button></div><p class="hint">${say(
    "Отменить возврат нельзя.",
    "A refund cannot be undone.",
  )}</p></form></section>`;
}

/** Draws the settlement form. Undefined: neither the payment's state nor a refund waits for a person. */
export function settleForm({ say, session }: ConsoleContext, story: PaymentStory, form: PaymentForm | undefined): Content {
  const { payment } = story;
  const shown = openPart(story);
  if (shown === undefined) return undefined;
  const own = form?.act === "settle" ? form : undefined;
  const words = settleWords(say, shown);
  return html`<section class="card" id="settle"><h2>${words.title}</h2><p>${words.ask}</p>
<form method="post" action="/console/payments/${encodeURIComponent(payment.id)}/settle"><input type="hidden" name="csrf" value="${session.csrf}"><input type="hidden" name="shown" value="${shown}">
<fieldset class="choice"><legend>${say("Что показывает банк", "What the bank shows")}</legend>
${decision("paid", words.paid, own)}${decision("not-paid", words["not-paid"], own)}
${own?.problem.field === "decision" ? html`<p class="wrong" data-error id="decision-error">${own.problem.words}</p>` : undefined}</fieldset>
<div class="fields">${reasonField(say, own, { hint: kept(say) })}</div><div class="actions"><button class="primary" data-action="settle">${say("Решить", "Settle")}</button></div></form></section>`;
}

/** Returns the words of the settlement form. `shown`: the part that the person ends, as in `openPart`. */
export function settleWords(say: Say, shown: "payment" | number): Record<"title" | "ask" | "paid" | "not-paid", string> {
  if (shown === "payment")
    return {
      title: say("Решить, пришли ли деньги", "Decide whether the money has come"),
      ask: say("Посмотрите эту оплату в кабинете банка.", "Look at this payment at the bank."),
      paid: say("Деньги пришли", "The money has come"),
      "not-paid": say("Денег нет и не будет", "There is no money and none will come"),
    };
  return {
    title: say(`Решить судьбу возврата ${shown}`, `Decide on refund ${shown}`),
    ask: say("Посмотрите этот возврат в кабинете банка.", "Look at this refund at the bank."),
    paid: say("Деньги остались у магазина", "The money is still here"),
    "not-paid": say("Деньги ушли покупателю", "The money has gone back to the buyer"),
  };
}

function decision(value: "paid" | "not-paid", label: string, form: PaymentForm | undefined): Markup {
  const isWrong = form?.problem.field === "decision";
  return html`<label class="check"><input type="radio" name="decision" value="${value}"${form?.typed.get("decision") === value ? html` checked` : undefined}${
    isWrong ? html` aria-invalid="true" aria-describedby="decision-error"` : undefined
  }${isWrong && value === "paid" ? html` autofocus` : undefined}> ${label}</label>`;
}

/** Returns the part that a person may end: the payment, or the number of the oldest refund that waits for a person. Undefined: none. */
function openPart({ payment, refunds }: PaymentStory): "payment" | number | undefined {
  if (payment.state === "unknown") return "payment";
  // A payment in progress ends by itself, so it waits for nobody.
  return isOpen(payment.state) ? undefined : refunds.find(({ state }) => state === "person")?.number;
}

function leftKopecks({ payment, refunds }: PaymentStory): number {
  const hasMoney = STATES_WITH_MONEY.includes(payment.state) || payment.late !== undefined;
  return hasMoney ? remainingKopecks(payment, refunds) : 0;
}

function kept(say: ConsoleContext["say"]): string {
  return say("Останется в истории оплаты и в списке «Кто что менял».", "Stays in the payment's history and in the audit.");
}
