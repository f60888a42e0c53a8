import type { PaymentReason, PaymentReasonCode, PaymentState, RefundState, Told } from "../../model/payment.ts";
import type { PaymentStory } from "../../operator/payments/payment-story.ts";
import type { RefundObstacle } from "../../operator/payments/refund-payment.ts";
import { remainingKopecks } from "../../payments/payment.ts";
import type { PaymentEvent } from "../../payments/states.ts";
import { roubles } from "../amounts.ts";
import type { Say } from "../language.ts";
import { shownPart } from "../shown-part.ts";

type Words = readonly [ru: string, en: string];

const STATES: Record<PaymentState, { words: Words; colour: "green" | "amber" | "red" | "" }> = {
  creating: { words: ["Создаётся", "Being made"], colour: "" },
  waiting: { words: ["Ждёт оплаты", "Waits for the buyer"], colour: "" },
  cancelling: { words: ["Отменяется", "Being cancelled"], colour: "" },
  paid: { words: ["Оплачен", "Paid"], colour: "green" },
  refunding: { words: ["Возвращается", "Being refunded"], colour: "amber" },
  "partly refunded": { words: ["Возвращён частично", "Partly refunded"], colour: "amber" },
  refunded: { words: ["Возвращён", "Refunded"], colour: "amber" },
  declined: { words: ["Отклонён", "Declined"], colour: "red" },
  expired: { words: ["Не оплачен вовремя", "Expired"], colour: "red" },
  cancelled: { words: ["Отменён", "Cancelled"], colour: "" },
  failed: { words: ["Не создан", "Failed"], colour: "red" },
  unknown: { words: ["Неизвестно, ждёт проверки", "Unknown"], colour: "amber" },
};

/** Returns the words for a state of a payment, and the colour of its tag. */
export function stateOf(say: Say, state: PaymentState): { words: string; colour: string } {
  const { words, colour } = STATES[state];
  return { words: say(...words), colour };
}

const REFUND_STATES: Record<RefundState, Words> = {
  queued: ["ждёт отправки", "waits to be sent"],
  sent: ["отправлен, ответа ещё нет", "sent, not answered yet"],
  accepted: ["принят банком, деньги в пути", "accepted, the money is on its way"],
  done: ["выполнен", "done"],
  refused: ["банк отказал", "refused by the bank"],
  person: ["ждёт решения человека", "waits for a person"],
};

/** Returns the words for a state of a refund. */
export function refundWords(say: Say, state: RefundState): string {
  return say(...REFUND_STATES[state]);
}

/** The words for a stored cause, by the text before the first colon of the cause. */
const CAUSES: Record<PaymentEvent["kind"] | "create" | "refund of late money", Words> = {
  create: ["касса попросила оплату", "the till asked for the payment"],
  created: ["банк выдал код", "the acquirer has made the code"],
  refused: ["банк отказался создать", "the acquirer refused to make it"],
  lost: ["ответ банка потерян", "the acquirer's answer was lost"],
  bank: ["так ответил банк", "the acquirer says so"],
  mismatch: ["банк назвал другую сумму или оплату", "the acquirer named another sum or payment"],
  expired: ["вышло время", "its time was over"],
  cancel: ["касса отменила", "the till cancelled"],
  "cancel-ended": ["банк не умеет отменять, для кассы закончено", "the acquirer cannot cancel; it is over for the till"],
  refund: ["заказан возврат", "a refund was ordered"],
  "refunds-ended": ["возвраты закончены", "the refunds have ended"],
  person: ["решил человек", "a person decided"],
  "refund of late money": ["заказан возврат денег, которые пришли поздно", "a refund of money that came late was ordered"],
};

/** Returns the words for a payment's move. Notes follow the first semicolon and are not translated. An unknown cause stays unchanged. */
export function causeWords(say: Say, why: string): string {
  const shown = shownPart(say, why);
  const [cause = "", ...notes] = shown.split("; ");
  const kind = cause.split(":", 1)[0] ?? "";
  const words = Object.hasOwn(CAUSES, kind) ? CAUSES[kind as keyof typeof CAUSES] : undefined;
  return words === undefined ? shown : [say(...words), ...notes.map((note) => noteWords(say, note))].join("; ");
}

/** A note begins with `person: ` when a person gave the reason. */
function noteWords(say: Say, note: string): string {
  const [, words] = /^person: (.+)$/s.exec(note) ?? [];
  return words === undefined ? note : say(`«${words}»`, `“${words}”`);
}

const REASONS: Record<PaymentReasonCode, Words> = {
  "insufficient-funds": ["У покупателя не хватило денег", "The buyer has too little money"],
  "limit-exceeded": ["Лимит банка покупателя", "A limit of the buyer's bank"],
  declined: ["Банк отклонил", "Declined by the bank"],
  expired: ["Код не оплатили вовремя", "The code was not paid in time"],
  cancelled: ["Отменено", "Cancelled"],
  settings: ["Банк не принимает настройки или договор: проверьте их", "The acquirer does not take the settings: check them"],
  amount: ["Сумма вне пределов банка", "The sum is beyond the acquirer's bounds"],
  "merchant-funds": ["На счёте магазина не хватает денег для возврата", "The merchant's account lacks the money"],
  "buyer-bank": ["Банк покупателя не принял возврат", "The buyer's bank does not take the money back"],
  refused: ["Банк отказал", "Refused by the acquirer"],
  mismatch: ["Ответ банка о другой сумме или оплате", "The answer names another sum or payment"],
  "wrong-code": ["В коде другая сумма", "The code asks for another sum"],
  "no-answer": ["Банк не ответил", "The acquirer did not answer"],
};

/** Returns why no money came, or why a refund failed, with the bank's words. */
export function reasonWords(say: Say, { code, bankCode, words }: PaymentReason): string {
  const said = [bankCode, words].flatMap((part) => (part === undefined ? [] : [shownPart(say, part)])).join(": ");
  return said === "" ? say(...REASONS[code]) : `${say(...REASONS[code])} (${said})`;
}

/** Returns why there is no refund, and what to do. */
export function obstacleWords(say: Say, obstacle: RefundObstacle): string {
  switch (obstacle.code) {
    case "not-paid":
      return say("Возвращать нечего: деньги не приходили.", "There is no money that could go back.");
    case "nothing-left":
      return say("Всё уже возвращено или возвращается.", "Everything has gone back or is on its way.");
    case "refunded-meanwhile":
      return say(
        "Пока вы смотрели, сделали другой возврат. Проверьте, сколько осталось, и верните ещё раз.",
        "Another refund was ordered meanwhile. Look at what is left, and order yours again.",
      );
    case "above-remainder":
      return say(`Можно вернуть не больше ${roubles(obstacle.leftKopecks)}.`, `At most ${roubles(obstacle.leftKopecks)} can go back.`);
    case "below-least":
      return say(`Банк возвращает не меньше ${roubles(obstacle.leastKopecks)}.`, `At least ${roubles(obstacle.leastKopecks)}.`);
    case "whole-only":
      return say(
        `Банк возвращает только всё сразу: ${roubles(obstacle.leftKopecks)}.`,
        `Only the whole: ${roubles(obstacle.leftKopecks)}.`,
      );
    case "till-not-told":
      return say(
        "Касса ещё не знает об оплате: верните всё целиком или подождите.",
        "The till does not know yet: return all of it, or wait.",
      );
    case "no-bank-id":
      return say(
        "Номер оплаты в банке неизвестен: верните деньги в кабинете банка.",
        "The bank's id is unknown: return the money at the bank.",
      );
    case "acquirer-unusable":
      return say("Банк сейчас не настроен: проверьте его настройки у точки продаж.", "The acquirer cannot be used: check its settings.");
  }
}

/**
 * Whether a refund that was refused because of an earlier refund is probably the same refund, sent twice. `amountKopecks`: undefined when
 * all remaining money was to be refunded.
 */
export function isRepeatedRefund(
  {
    payment,
    refunds,
  }: {
    payment: Pick<PaymentStory["payment"], "amountKopecks">;
    refunds: readonly Pick<PaymentStory["refunds"][number], "amountKopecks" | "state">[];
  },
  amountKopecks: number | undefined,
): boolean {
  const newest = refunds.at(-1);
  if (newest === undefined) return false;
  return amountKopecks === undefined ? remainingKopecks(payment, refunds) <= 0 : newest.amountKopecks === amountKopecks;
}

/** Returns the words for the final status that the till received. */
export function toldWords(say: Say, told: Told): string {
  return told === "DONE" ? say("оплачено", "paid") : say("не оплачено", "not paid");
}

/** Returns the name of an acquirer for people. An acquirer without words keeps its technical name. */
export function acquirerWords(say: Say, name: string): string {
  const known: Record<string, string> = {
    simulated: say("Учебный (деньги не двигаются)", "Simulated (moves no money)"),
    yookassa: say("ЮKassa", "YooKassa"),
    tbank: say("Т-Банк", "T-Bank"),
    none: say("нет", "none"),
  };
  return (Object.hasOwn(known, name) ? known[name] : undefined) ?? name;
}
