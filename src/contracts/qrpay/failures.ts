import { formatKopecks } from "../../kernel/money.ts";
import { present } from "../../kernel/present.ts";
import type { PaymentReasonCode } from "../../model/payment.ts";
import type { CallRefusal } from "../../payments/till/till-call.ts";

/** An error of the contract (platform-contracts 5.6; numbers by payments surface 5). The contract has no 5xx. */
export interface QrError {
  status: number;
  code: number;
  /** Short, in English, for the platform's staff. */
  title: string;
  /** In Russian, for the cashier: what happened and what to do. */
  message: string;
  parameter?: string;
}

export function bodyOf({ title, code, message, parameter }: QrError): object {
  return { errors: [{ error: title, code, errorMessage: message, ...present({ parameter }) }] };
}

export const NOT_PROVED = error(
  401,
  401,
  "Token is not valid",
  "Оплата по QR не подключена: запрос не подтверждён. Обратитесь в поддержку решения.",
);
export const BROKEN_BODY = error(400, 400, "Body is not valid JSON", "Запрос на оплату пришёл повреждённым. Повторите оплату.");
export const TOO_LARGE = error(413, 413, "Body is larger than 1 MiB", "Запрос на оплату слишком большой. Обратитесь в поддержку решения.");
export const WRONG_TYPE = error(
  415,
  415,
  "Content-Type must be application/json",
  "Запрос на оплату пришёл в неизвестном виде. Обратитесь в поддержку решения.",
);
export const NO_SUCH_PATH = error(
  404,
  404,
  "Operation is not supported",
  "Такая операция оплаты не поддерживается. Обратитесь в поддержку решения.",
);
export const WRONG_METHOD = error(
  405,
  405,
  "Method is not allowed",
  "Операция оплаты вызвана неверным способом. Обратитесь в поддержку решения.",
);
export const CROWDED = error(429, 1006, "Too many requests", "Сервер оплаты перегружен. Повторите через минуту.");
/** A fault of this server. Its code is that of a bank that does not answer, because here too the request may have been carried out. */
export const FAULT = error(
  424,
  1007,
  "The payment cannot be handled now",
  "Сервер оплаты сейчас не отвечает. Проверьте состояние оплаты через минуту; не берите оплату второй раз, пока оно неизвестно.",
);

/** A field is missing or wrong. `parameter`: the path of the field; empty when the body is no object. */
export function fieldIsWrong(parameter: string): QrError {
  const title = parameter === "" ? "The body must be an object" : `Field ${parameter} is missing or wrong`;
  return error(
    412,
    999,
    title,
    "В запросе на оплату не хватает данных. Повторите оплату; если не поможет, обратитесь в поддержку.",
    parameter,
  );
}

type WrongAmount = Omit<CallRefusal & { kind: "amount" }, "kind">;

export function amountIsWrong({ of, leastKopecks = 1, mostKopecks = Number.POSITIVE_INFINITY }: WrongAmount): QrError {
  const words = of === undefined ? wordsOfPayment : of === "refund" ? wordsOfRefund : wordsOfCancellation;
  return error(412, 1004, "The amount is not allowed", words(leastKopecks, mostKopecks), "amount");
}

function wordsOfPayment(leastKopecks: number, mostKopecks: number): string {
  return `Такую сумму по QR провести нельзя.${wordsOfBounds(leastKopecks, mostKopecks)} Проверьте сумму или выберите другой способ оплаты.`;
}

function wordsOfCancellation(_leastKopecks: number, mostKopecks: number): string {
  return `Отменить можно только всю сумму: ${formatKopecks(mostKopecks)} ₽.`;
}

/** After a refund, the sum that can still be refunded may be zero, or less than the bank's smallest refund. Then no amount is allowed. */
function wordsOfRefund(leastKopecks: number, mostKopecks: number): string {
  if (mostKopecks <= 0) return "Возвращать больше нечего: вся сумма этой оплаты уже возвращена или возвращается.";
  if (mostKopecks < leastKopecks)
    return `Осталось вернуть ${formatKopecks(mostKopecks)} ₽, а банк возвращает не меньше ${formatKopecks(leastKopecks)} ₽. Верните остаток другим способом.`;
  if (mostKopecks === leastKopecks) return `Вернуть можно только весь остаток: ${formatKopecks(mostKopecks)} ₽.`;
  return `Такую сумму вернуть нельзя.${wordsOfBounds(leastKopecks, mostKopecks)} Проверьте сумму.`;
}

function wordsOfBounds(leastKopecks: number, mostKopecks: number): string {
  const bounds = [
    ...(leastKopecks === 1 ? [] : [`от ${formatKopecks(leastKopecks)}`]),
    ...(mostKopecks === Number.POSITIVE_INFINITY ? [] : [`до ${formatKopecks(mostKopecks)}`]),
  ];
  return bounds.length === 0 ? "" : ` Можно ${bounds.join(" ")} ₽.`;
}

export function errorOf(refusal: CallRefusal): QrError {
  switch (refusal.kind) {
    case "token-used":
      return { ...NOT_PROVED, title: "The token was used before" };
    case "no-account":
      return error(
        403,
        1001,
        "The solution is not active on the account",
        "Оплата по QR не подключена к этому аккаунту или приостановлена. Попросите администратора открыть решение в каталоге.",
      );
    case "no-operation":
      return error(404, 1002, "No such operation", "Такой оплаты в этой точке продаж нет. Начните оплату заново.");
    case "conflict":
      return error(409, 1003, "The operation has another amount", "Эта оплата уже начата на другую сумму. Отмените её и начните новую.");
    case "amount":
      return amountIsWrong(refusal);
    case "no-acquirer":
      return error(
        424,
        1005,
        "The point of sale has no acquirer",
        "Для этой точки продаж не настроен банк для оплаты по QR. Попросите администратора указать его в настройках решения.",
      );
    case "refused":
      return error(424, 1005, "The acquirer refused", `${REASON_WORDS[refusal.reason.code]} Выберите другой способ оплаты.`);
    case "busy":
      return error(429, 1006, "The acquirer is busy", "Банк сейчас принимает слишком много запросов. Повторите оплату через минуту.");
    case "unreachable":
      return error(
        424,
        1007,
        "The acquirer could not be reached in time",
        "Банк не ответил вовремя. Проверьте состояние оплаты через минуту; не берите оплату второй раз, пока оно неизвестно.",
      );
  }
}

/** The reason of a failed payment or refund, for the cashier. Only the merchant sees the bank's own words. */
const REASON_WORDS: Record<PaymentReasonCode, string> = {
  "insufficient-funds": "На счёте покупателя не хватает денег.",
  "limit-exceeded": "Банк покупателя не пропустил платёж из-за лимита.",
  declined: "Банк отклонил платёж.",
  expired: "Время оплаты истекло.",
  cancelled: "Оплата отменена.",
  settings: "Банк не принимает платежи этого магазина: нужно проверить настройки решения, сообщите администратору.",
  amount: "Банк не принимает такую сумму.",
  "merchant-funds": "На счёте магазина не хватает денег для возврата, сообщите администратору.",
  "buyer-bank": "Банк покупателя не принял возврат, сообщите администратору.",
  refused: "Банк отказал.",
  mismatch: "Ответ банка не совпал с заказом, сообщите администратору.",
  "wrong-code": "Банк выдал код на другую сумму, он отменён.",
  "no-answer": "Банк не ответил.",
};

function error(status: number, code: number, title: string, message: string, parameter?: string): QrError {
  return { status, code, title, message, ...present({ parameter }) };
}
