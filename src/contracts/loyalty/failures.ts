import { present } from "../../kernel/present.ts";

/** An error of the contract (platform-contracts 6.9; numbers by payments surface 6). */
export interface LoyaltyError {
  status: number;
  code: number;
  /** Short, in English, for the platform's staff. */
  title: string;
  /** In Russian, for the cashier: what happened and what to do. */
  message: string;
  parameter?: string;
}

/** Returns the body of an error answer (platform-contracts 6.9). */
export function bodyOf({ title, code, message, parameter }: LoyaltyError): object {
  return { errors: [{ error: title, code, error_message: message, ...present({ parameter }) }] };
}

export const NOT_PROVED = error(
  401,
  999,
  "The access key is wrong",
  "Бонусная программа не подключена: ключ доступа неверный. Попросите администратора открыть решение в каталоге.",
);
export const BROKEN_BODY = error(400, 400, "Body is not valid JSON", "Запрос в бонусную программу пришёл повреждённым. Повторите.");
export const TOO_LARGE = error(413, 413, "Body is larger than 1 MiB", "Чек слишком большой для бонусной программы. Разделите его на два.");
export const WRONG_TYPE = error(
  415,
  415,
  "Content-Type must be application/json",
  "Запрос в бонусную программу пришёл в неизвестном виде. Обратитесь в поддержку решения.",
);
export const NO_SUCH_PATH = error(
  404,
  404,
  "Operation is not supported",
  "Такая операция бонусной программы не поддерживается. Обратитесь в поддержку решения.",
);
export const WRONG_METHOD = error(
  405,
  405,
  "Method is not allowed",
  "Операция бонусной программы вызвана неверным способом. Обратитесь в поддержку решения.",
);
export const CROWDED = error(429, 429, "Too many requests", "Сервер бонусной программы перегружен. Повторите через минуту.");
export const NO_SEARCH = error(
  404,
  404,
  "Customers are searched for in the platform",
  "Покупателей этой программы ищет сама касса. Обратитесь к администратору, если поиск не работает.",
);
export const FAULT = error(
  500,
  28_099,
  "The programme cannot be reached now",
  "Бонусная программа сейчас не отвечает. Повторите через минуту или продайте без бонусов.",
);
export const UNKNOWN_MEMBER = error(
  404,
  28_002,
  "No such customer",
  "Этот покупатель не участвует в бонусной программе. Добавьте его или продайте без бонусов.",
);
export const CONFLICT = error(
  409,
  28_003,
  "The document was booked with other content",
  "Этот чек уже учтён в бонусной программе с другим содержимым. Сообщите администратору.",
);
export const UNKNOWN_CARD = error(404, 28_010, "No such gift card", "Такой подарочной карты нет. Проверьте номер.");
export const NEEDS_CODE = error(
  412,
  28_001,
  "The customer has to be confirmed by a code",
  "Нового покупателя нужно подтвердить кодом. Запросите код.",
);
export const RETURNED_MORE = error(
  412,
  28_004,
  "More is returned than was sold",
  "Возвращается больше, чем было продано в этом чеке. Проверьте количество.",
);
export const NO_WAY_TO_SEND = error(
  412,
  28_004,
  "No code can be sent",
  "Код отправить некуда: у покупателя нет подходящего телефона или почты, либо отправка кодов не настроена. Продайте без списания бонусов.",
);
export const NOT_DELIVERED = error(
  500,
  28_099,
  "The code could not be sent",
  "Код не удалось отправить. Повторите через минуту или продайте без списания бонусов.",
);
export const TOO_MANY_CODES = error(
  429,
  28_005,
  "Too many codes were sent",
  "Покупателю или с этой кассы отправлено слишком много кодов. Повторите через час или продайте без списания бонусов.",
);

/** The error when a code is requested too soon after the last code. */
export function tooSoon(waitSeconds: number): LoyaltyError {
  return error(
    429,
    28_005,
    "A code was sent a moment ago",
    `Код уже отправлен и ещё действует. Новый можно запросить через ${waitSeconds} с.`,
  );
}

/** The error for a missing or wrong field. `parameter`: the path of the field; empty when the whole body is wrong. */
export function fieldIsWrong(parameter: string): LoyaltyError {
  const title = parameter === "" ? "The body must be an object" : `Field ${parameter} is missing or wrong`;
  const message = "В запросе в бонусную программу не хватает данных или они неверны. Повторите; если не поможет, обратитесь в поддержку.";
  return error(412, 999, title, message, parameter);
}

function error(status: number, code: number, title: string, message: string, parameter?: string): LoyaltyError {
  return { status, code, title, message, ...present({ parameter }) };
}
