import type { PaymentStory } from "../../../operator/payments/payment-story.ts";
import { type Payment, remainingKopecks } from "../../../payments/payment.ts";
import { wholeKopecks } from "../../amounts.ts";
import { reasonIn, told } from "../../fields.ts";
import type { Content, Markup } from "../../html.ts";
import type { View } from "../../layout.ts";
import { isRepeatedRefund, obstacleWords, refundWords } from "../../words/payment-words.ts";
import type { PageContext } from "../context.ts";
import type { SettingsPageServices } from "../services.ts";
import { paymentPart, paymentsView, paymentView, type RefundForm } from "./payments-pages.ts";

/** How many payments are shown: those of half a day in a busy shop. */
const SHOWN_PAYMENTS = 100;
/** The states in which the buyer's money has arrived and was not fully returned. */
const WITH_MONEY: readonly Payment["state"][] = ["paid", "refunding", "partly refunded"];

type ListServices = {
  payments: Pick<SettingsPageServices["payments"], "list">;
  settings: Pick<SettingsPageServices["settings"], "of">;
};

export async function paymentsPage(services: ListServices, context: PageContext): Promise<View> {
  const { accountId, appId } = context.session;
  const { payments } = await services.payments.list({ appId, accountId, limit: SHOWN_PAYMENTS });
  return paymentsView(context, payments, await zoneOf(services, context));
}

export async function paymentPage(services: SettingsPageServices, context: PageContext, id: string): Promise<View | undefined> {
  const payment = await ownPayment(services, context, id);
  if (payment === undefined) return undefined;
  const story = await services.payments.story(payment.id);
  return paymentView(context, story, await zoneOf(services, context), leftOf(story));
}

/**
 * Orders a refund once, even after repeated clicks: a page that does not show the newest refund orders nothing. Undefined: the session's
 * account has no such payment.
 */
export async function refund(
  services: SettingsPageServices,
  context: PageContext,
  id: string,
  form: ReadonlyMap<string, string>,
): Promise<{ status: 200 | 422; markup: Markup } | undefined> {
  const { say, session } = context;
  const payment = await ownPayment(services, context, id);
  if (payment === undefined) return undefined;
  const zone = await zoneOf(services, context);
  const before = await services.payments.story(payment.id);
  const typed = { amount: form.get("amount")?.trim() ?? "", reason: reasonIn(form) };
  const wrong = async (problems: ReadonlyMap<string, Content>) => {
    const story = await services.payments.story(payment.id);
    const back: RefundForm = { ...typed, problems };
    return { status: 422 as const, markup: paymentPart(context, story, zone, leftOf(story), back) };
  };
  const amountKopecks = typed.amount === "" ? undefined : wholeKopecks(typed.amount);
  const problems = new Map<string, Content>();
  if (typed.amount !== "" && (amountKopecks === undefined || amountKopecks <= 0))
    problems.set("amount", say("Введите сумму в рублях, например 120,50.", "A sum in roubles, such as 120.50."));
  if (typed.reason === "") problems.set("reason", say("Напишите, почему возвращаете.", "Write why the money goes back."));
  if (problems.size > 0) return wrong(problems);
  const order = {
    reason: typed.reason,
    actor: { name: session.name, place: "page" as const },
    seenRefunds: Number(form.get("seen.refunds")),
  };
  const ordered = await services.payments.refund(payment, { ...order, ...(amountKopecks === undefined ? {} : { amountKopecks }) });
  const story = await services.payments.story(payment.id);
  if (ordered.kind === "refused" && !(ordered.because.code === "refunded-meanwhile" && isRepeatedRefund(story, amountKopecks)))
    return wrong(new Map([["amount", obstacleWords(say, ordered.because)]]));
  const newest = story.refunds.at(-1);
  const words = say(
    `Возврат: ${newest === undefined ? "" : refundWords(say, newest.state)}`,
    `Refund: ${newest === undefined ? "" : refundWords(say, newest.state)}`,
  );
  const isNew = story.refunds.length > before.refunds.length || ordered.kind === "ordered";
  const already = say("Этот возврат уже сделан", "This refund was made already");
  return { status: 200, markup: paymentPart(context, story, zone, leftOf(story), undefined, told("done", isNew ? words : already)) };
}

/** Undefined: the session's account has no such payment, or several payments have this id. */
async function ownPayment(services: SettingsPageServices, { session }: PageContext, id: string): Promise<Payment | undefined> {
  const found = await services.payments.find(id);
  if (found.kind !== "found") return undefined;
  const { payment } = found;
  return payment.appId === session.appId && payment.accountId === session.accountId ? payment : undefined;
}

function leftOf({ payment, refunds }: PaymentStory): number {
  const hasLate = payment.late !== undefined;
  return WITH_MONEY.includes(payment.state) || hasLate ? remainingKopecks(payment, refunds) : 0;
}

async function zoneOf({ settings }: Pick<ListServices, "settings">, { session }: PageContext): Promise<string> {
  return (await settings.of(session.appId, session.accountId, "*")).timeZone;
}
