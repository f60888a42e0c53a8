import type { SettleObstacle } from "../../../operator/payments/settle-payment.ts";
import type { Payment } from "../../../payments/payment.ts";
import { wholeKopecks } from "../../amounts.ts";
import { reasonIn } from "../../fields.ts";
import { isRepeatedRefund, obstacleWords, refundWords, stateOf } from "../../words/payment-words.ts";
import type { Acted } from "../acts.ts";
import type { ConsoleContext } from "../layout.ts";
import type { ConsoleServices } from "../services.ts";
import type { PaymentForm } from "./payment-forms.ts";
import { paymentPage } from "./payment-page.ts";

type Services = Pick<ConsoleServices, "payments" | "namesOf">;
type Form = ReadonlyMap<string, string>;

/** Orders a refund as the command line does. A form older than the newest refund orders nothing, so a repeated click orders one refund. */
export async function refundAct(services: Services, context: ConsoleContext, payment: Payment, typed: Form): Promise<Acted> {
  const { payments } = services;
  const { say, session } = context;
  const again = wrongForm(services, context, payment, { act: "refund", typed });
  const amount = typed.get("amount")?.trim() ?? "";
  const amountKopecks = amount === "" ? undefined : wholeKopecks(amount);
  if (amount !== "" && (amountKopecks === undefined || amountKopecks <= 0))
    return again(422, { field: "amount", words: say("Введите сумму в рублях, например 120,50.", "A sum in roubles, such as 120.50.") });
  const reason = reasonIn(typed);
  if (reason === "") return again(422, { field: "reason", words: say("Напишите, почему возвращаете.", "Write why the money goes back.") });
  const ordered = await payments.refund(payment, {
    reason,
    actor: { name: session.login, place: "page" },
    seenRefunds: Number(typed.get("seen")),
    ...(amountKopecks === undefined ? {} : { amountKopecks }),
  });
  if (ordered.kind === "refused") {
    const now = await payments.story(payment.id);
    if (ordered.because.code !== "refunded-meanwhile" || !isRepeatedRefund(now, amountKopecks))
      return again(409, { field: "amount", words: obstacleWords(say, ordered.because) });
    const said = say("Возврат уже сделан, второй не заказан.", "The refund was ordered already, and no second one.");
    return { status: 200, view: await paymentPage(services, context, now, { said }) };
  }
  const story = await payments.story(payment.id);
  const state = story.refunds.find(({ number }) => number === ordered.number)?.state ?? "queued";
  return {
    status: 200,
    view: await paymentPage(services, context, story, {
      said: say(`Возврат: ${refundWords(say, state)}.`, `Refund: ${refundWords(say, state)}.`),
    }),
  };
}

/** Ends the shown payment or refund that only a person can end. A repeated click has no effect. */
export async function settlePaymentAct(services: Services, context: ConsoleContext, payment: Payment, typed: Form): Promise<Acted> {
  const { payments } = services;
  const { say, session } = context;
  const again = wrongForm(services, context, payment, { act: "settle", typed });
  const decision = (["paid", "not-paid"] as const).find((one) => one === typed.get("decision"));
  if (decision === undefined) return again(422, { field: "decision", words: say("Выберите одно из двух.", "Choose one of the two.") });
  const reason = reasonIn(typed);
  if (reason === "") return again(422, { field: "reason", words: say("Напишите, откуда это известно.", "Write how you know.") });
  const shown = typed.get("shown");
  const settled = await payments.settle(payment, {
    decision,
    reason,
    actor: { name: session.login, place: "page" },
    shown: shown === "payment" ? "payment" : Number(shown),
  });
  if (settled.kind === "refused") return again(409, { field: "decision", words: settleWords(say, settled.because) });
  const story = await payments.story(payment.id);
  const said =
    settled.kind === "payment-settled"
      ? say(`Решено: ${stateOf(say, story.payment.state).words}.`, `Settled: ${stateOf(say, story.payment.state).words}.`)
      : say(`Решено: возврат ${settled.number}.`, `Settled: refund ${settled.number}.`);
  return { status: 200, view: await paymentPage(services, context, story, { said }) };
}

function wrongForm(services: Services, context: ConsoleContext, payment: Payment, form: Omit<PaymentForm, "problem">) {
  return async (status: 409 | 422, problem: PaymentForm["problem"]): Promise<Acted> => ({
    status,
    view: await paymentPage(services, context, await services.payments.story(payment.id), { form: { ...form, problem } }),
  });
}

function settleWords(say: ConsoleContext["say"], because: SettleObstacle): string {
  switch (because.code) {
    case "nothing-open":
    case "settled-meanwhile":
      return say("Это уже решено: посмотрите историю.", "It is settled already: look at the history.");
    case "no-bank-id":
      return say(
        "Номер оплаты в банке неизвестен, а касса её отменила: верните деньги в кабинете банка и отметьте, что денег нет.",
        "The bank's id is unknown and the till has cancelled: return the money at the bank, then say that there is none.",
      );
  }
}
