import { MAX_BODY_WORDS } from "../../http/raw-body.ts";
import { present } from "../../kernel/present.ts";
import { withoutEnd } from "../../kernel/text-end.ts";
import type { Doubt } from "../../model/doubt.ts";
import type { Refusal, RefusalCode } from "../../model/refusal.ts";
import { doubtWords } from "./doubt-words.ts";
import { driveWords } from "./drive-words.ts";
import { fieldWords, mixedWords, unreadableWords } from "./field-words.ts";

/** An error of the contract, which the till shows (platform-contracts 4.7; numbers by interface 6, Error codes). */
export interface FiscalError {
  status: number;
  code: number;
  /** Short, in English, for the platform's staff. */
  title: string;
  /** In Russian, for the cashier: what happened and what to do. */
  message: string;
  parameter?: string;
}

interface Row {
  status: number;
  code: number;
  title: string;
  words(refusal: Refusal): string;
}

// The errors from here to `inDoubt` answer requests that did not become an operation, and operations that have neither facts nor a
// `Refusal`. `ROWS` has the errors of refusals.
export const NOT_CONNECTED = error(
  412,
  12017,
  "Access key is wrong or expired",
  "Решение для чеков не подключено к этому аккаунту или приостановлено. Попросите администратора открыть его в каталоге решений.",
);
export const NOT_PROVED = error(
  412,
  12017,
  "Access key is wrong or expired",
  "Подпись запроса не подходит к ключу этого аккаунта. Попросите администратора переустановить решение для чеков.",
);
export const KEY_UNUSABLE = error(
  412,
  12017,
  "Access key is wrong or expired",
  "Ключ, полученный при установке решения для чеков, не читается. Попросите администратора переустановить решение.",
);
export const BROKEN_BODY = error(
  400,
  50400,
  "Body is not valid JSON",
  "Документ пришёл повреждённым. Повторите операцию; если не поможет, обратитесь в поддержку.",
);
export const NO_SUCH_PATH = error(
  404,
  50404,
  "Operation is not supported",
  "Такая операция этим решением не поддерживается. Выполните её другим способом или обратитесь в поддержку.",
);
export const WRONG_METHOD = error(
  405,
  50405,
  "Method is not allowed",
  "Операция вызвана неверным способом. Обратитесь в поддержку решения для чеков.",
);
export const TOO_LARGE = error(
  413,
  50413,
  `Body is larger than ${MAX_BODY_WORDS}`,
  "Документ слишком большой. Разделите его на несколько чеков и повторите операцию.",
);
export const CROWDED = error(
  503,
  50030,
  "The server is busy",
  "Сервер чеков перегружен. Ничего не пробито. Повторите эту же операцию через минуту.",
);
export const WRONG_TYPE = error(
  415,
  50415,
  "Content-Type must be application/json, the encoding identity or gzip",
  "Документ пришёл в неизвестном виде. Обратитесь в поддержку решения для чеков.",
);
export const FAULT = error(
  500,
  50500,
  "Internal error",
  "Внутренняя ошибка сервера чеков. Повторите эту же операцию: второй раз пробита она не будет.",
);
export const DATABASE_AWAY = error(
  500,
  50500,
  "The database does not answer",
  "Сервер чеков не получил ответа от своей базы данных. Повторите эту же операцию через минуту: второй раз пробита она не будет. Если не поможет, позовите администратора.",
);
/** The words also fit when an earlier call registered the operation but could not write its result into the journal. */
export const NOTHING_WRITTEN = error(
  503,
  50030,
  "The server cannot store operations",
  "Сервер чеков не может записать операцию: на его диске нет места или запись запрещена. Сейчас на кассу ничего не отправлено. Позовите администратора, затем повторите эту же операцию: второй раз пробита она не будет.",
);
export const CONTENT_DIFFERS = error(
  409,
  50002,
  "The document has come with other content",
  "Документ с этим номером уже принят с другим составом. Проверьте, пробит ли чек, и для изменённой продажи создайте новый документ.",
);
export const RUNNING = error(
  409,
  50003,
  "The operation is still being processed",
  "Операция ещё выполняется. Подождите немного и повторите эту же операцию: второй раз пробита она не будет.",
);

/** The first sentences of the message come from interface 5, In doubt. */
export function inDoubt(doubt: Doubt): FiscalError {
  const reason = doubtWords(doubt);
  const why = reason === "" ? "" : ` Причина: ${sentence(reason)}`;
  return error(
    409,
    50004,
    "The outcome is unknown",
    `Неизвестно, пробит ли чек. Не пробивайте заново: повторите эту же операцию через минуту. Если ответ тот же, позовите администратора — он проверит по кассе, пробит ли чек.${why}`,
  );
}

/** The answer to a refusal: this call registered nothing. The operation may be registered already, as with `already-corrected`. */
export function errorOf(refusal: Refusal): FiscalError {
  const { status, code, title, words } = ROWS[refusal.code];
  const parameter = refusal.parameter === undefined ? {} : { parameter: refusal.parameter };
  return { ...error(status, code, title, words(refusal)), ...parameter };
}

export function bodyOf({ title, code, message, parameter }: FiscalError): object {
  return { errors: [{ error: title, code, error_message: message, ...present({ parameter }) }] };
}

const ROWS: Record<RefusalCode, Row> = {
  "field-invalid": row(412, 999, "Parameter is missing or wrong", fieldWords),
  "payments-differ": row(
    412,
    50001,
    "Payments do not match the positions",
    (refusal) =>
      `Сумма оплат${detail(refusal, "paid", " ")} не совпадает с суммой чека${detail(refusal, "due", " ")}${detail(refusal, "total", " ")}. Проверьте оплату и цены и повторите операцию.`,
  ),
  "payments-mixed": row(412, 50001, "Payments cannot be combined", mixedWords),
  "money-scale-differs": row(
    412,
    50001,
    "Amounts are in another unit than the server is set to",
    () =>
      "Суммы чека отличаются от суммы документа в 100 раз, поэтому чек не пробит. Не пробивайте его заново: обратитесь в поддержку решения для чеков, единицу сумм исправят в настройке сервера.",
  ),
  "vat-rate": row(
    412,
    51020,
    "VAT rate is not allowed",
    (refusal) => `Ставка НДС${detail(refusal, "rate", " ", "%")} недопустима. Исправьте ставку в карточке товара или в настройках кассы.`,
  ),
  "vat-seller": row(
    412,
    51020,
    "The seller pays no VAT",
    (refusal) =>
      `Ставка НДС${detail(refusal, "rate", " ", "%")} недопустима: система налогообложения кассы не предусматривает НДС${detail(refusal, "taxSystem", " (", ")")}. Уберите НДС из товара или исправьте настройки кассы.`,
  ),
  "mark-unreadable": row(412, 51030, "Marking code is not readable", unreadableWords),
  "mark-denied": row(
    412,
    51031,
    "Marking code is denied",
    (refusal) => `Продажа запрещена: ${refusal.details?.reason ?? reasonOf(refusal, "код маркировки не прошёл проверку")}. Отложите товар.`,
  ),
  "mark-repeated": row(
    412,
    51031,
    "Marking code occurs twice",
    () => "Продажа запрещена: один и тот же код маркировки указан дважды. Отсканируйте код каждой штуки отдельно.",
  ),
  "marks-exceed-quantity": row(
    412,
    50001,
    "More marking codes than pieces",
    (refusal) =>
      `Кодов маркировки${detail(refusal, "marks", " (", ")")} больше, чем штук товара${detail(refusal, "quantity", " (", ")")}. Проверьте количество и отсканируйте коды заново.`,
  ),
  "marks-need-pieces": row(
    412,
    50001,
    "Marked goods must be whole pieces",
    (refusal) =>
      `Маркированный товар продаётся целыми штуками, а количество${detail(refusal, "quantity", " (", ")")} дробное. Исправьте количество; если товар продаётся на вес или на розлив, укажите это в единице измерения его карточки.`,
  ),
  "marks-of-measure": row(
    412,
    50001,
    "Goods sold by measure have one marking code a position",
    (refusal) =>
      `Товар на вес или на розлив продаётся с одним кодом маркировки на строку чека${detail(refusal, "marks", ", а кодов ")}. Разделите товар на строки, в каждой оставьте один код.`,
  ),
  "already-corrected": row(
    412,
    50001,
    "The document was registered by a correction",
    (refusal) =>
      `Этот документ администратор уже провёл чеком коррекции${detail(refusal, "number", " ФД № ")}. Пробивать его не нужно; если есть вопросы, позовите администратора.`,
  ),
  "registered-in-other-drive": row(
    503,
    50030,
    "The document stands in another drive",
    (refusal) =>
      `Этот документ уже пробит${detail(refusal, "number", ": ФД № ")}${detail(refusal, "drive", ", накопитель ")}. Накопитель с тех пор заменён. Не пробивайте документ заново и позовите администратора.`,
  ),
  "not-correctable": row(
    412,
    50001,
    "The document to be corrected has changed",
    (refusal) => `Исправлять нечего${withReason(refusal)}. Ничего не пробито. Позовите администратора.`,
  ),
  "register-missing": row(
    412,
    50001,
    "The point of sale has no register",
    () => "К этой точке продаж не подключена касса. Попросите администратора выбрать кассу в настройках решения.",
  ),
  "shift-closed": row(412, 51001, "Shift is not open", () => "Смена не открыта. Откройте смену и повторите операцию."),
  "shift-expired": row(
    412,
    51002,
    "Shift is older than 24 hours",
    () => "Смена длится более 24 часов. Закройте смену и откройте новую, затем повторите операцию.",
  ),
  "shift-already-open": row(
    412,
    51003,
    "Shift is already open",
    () => "На кассе уже открыта смена. Если это ваша смена, продолжайте работу в ней; если другая, закройте её и откройте новую.",
  ),
  "shift-conflict": row(
    412,
    50010,
    "Another shift is open",
    () => "На кассе открыта другая смена. Закройте её на том рабочем месте, где открыли, или на самой кассе, и повторите операцию.",
  ),
  "shift-foreign": row(
    412,
    50010,
    "Another account's shift is open",
    () =>
      "На кассе открыта чужая смена: этой кассой пользуетесь не только вы. Ничего не пробито. Подождите, пока чужую смену закроют там, где открыли, затем откройте свою и повторите операцию; если ждать нельзя, позовите администратора.",
  ),
  "cash-short": row(412, 51011, "Not enough cash", ({ details }) =>
    details?.drawer === undefined
      ? "Недостаточно наличных в кассе. Внесите деньги в кассу и повторите операцию."
      : `Недостаточно наличных в кассе: в ней ${details.drawer}. Внесите деньги в кассу и повторите операцию.`,
  ),
  "device-refused": row(
    424,
    50020,
    "The register refused",
    (refusal) => `Касса отказала: ${reasonOf(refusal, "причина не названа")}. Ничего не пробито. Устраните причину и повторите операцию.`,
  ),
  "no-paper": row(
    424,
    50020,
    "The register has no paper",
    () => "В кассе нет бумаги или открыта крышка. Ничего не пробито. Вставьте ленту и повторите операцию.",
  ),
  "clock-wrong": row(
    424,
    50020,
    "The register's clock is wrong",
    () => "На кассе неверные дата и время. Ничего не пробито. Установите верное время на кассе и повторите операцию.",
  ),
  "operator-queue-blocked": row(
    424,
    51040,
    "Documents wait for the data operator too long",
    () => "Есть чеки, не переданные в ОФД более 30 дней. Проверьте интернет на кассе и дождитесь отправки чеков, затем повторите операцию.",
  ),
  "drive-exhausted": row(
    424,
    51041,
    "The fiscal drive is at its end",
    () => "Требуется замена фискального накопителя. Остановите продажи на этой кассе и обратитесь в сервисный центр.",
  ),
  "drive-not-ready": row(
    424,
    50020,
    "The fiscal drive is not ready",
    (refusal) =>
      `Фискальный накопитель не готов${refusal.device === undefined ? "" : ` (${wordsOfDevice(refusal)})`}. Ничего не пробито. Перезапустите кассу; если не поможет, обратитесь в сервисный центр.`,
  ),
  "drive-kind-mixed": row(
    424,
    50020,
    "Test and live drives must not be mixed",
    (refusal) =>
      `Накопитель${detail(refusal, "drive", " ")} не подходит: тестовая установка работает только с тестовой кассой, рабочая — только с настоящей. Попросите администратора выбрать другую кассу.`,
  ),
  "document-too-large": row(
    424,
    50020,
    "The document is too large for the register",
    () => "Чек слишком длинный для кассы. Ничего не пробито. Разделите покупку на несколько чеков или сократите названия товаров.",
  ),
  "register-went-back": row(
    503,
    50030,
    "The register has lost documents",
    (refusal) =>
      `Касса остановлена: её последний документ ФД № ${refusal.details?.found ?? "?"}, а пробит уже ФД № ${refusal.details?.known ?? "?"}. Ваш документ не пробит. Позовите администратора: память кассы потеряна или подменена.`,
  ),
  "register-unreachable": row(
    503,
    50030,
    "The register cannot be reached",
    (refusal) => `Нет связи с кассой${withReason(refusal)}. Ничего не пробито. Проверьте питание и подключение кассы и повторите операцию.`,
  ),
  "lane-stopped": row(
    503,
    50030,
    "The register waits for a person",
    (refusal) =>
      `Касса остановлена: неизвестно, пробит ли документ${detail(refusal, "document", " ")}${withReason(refusal)}. Ваш документ не пробит. Позовите администратора, затем повторите операцию.`,
  ),
  "lane-full": row(
    503,
    50030,
    "The register is busy",
    () => "Касса занята: слишком много документов ждут очереди. Ничего не пробито. Повторите операцию через минуту.",
  ),
  "refused-too-often": row(
    503,
    50030,
    "Operations of this kind are refused again and again",
    () =>
      "Касса много раз подряд отказала в таких операциях, поэтому эта ей не отправлена. Ничего не пробито. Устраните причину отказов и повторите эту же операцию через минуту.",
  ),
  "other-id-type": row(
    409,
    50002,
    "The document has come under another id",
    () =>
      "Этот документ уже принят под другим идентификатором. Не пробивайте его заново: проверьте, пробит ли чек, и позовите администратора.",
  ),
  "not-registered": row(
    424,
    50020,
    "The register made no document",
    () => "Касса не пробила документ: связь прервалась раньше. Повторите операцию.",
  ),
};

function row(status: number, code: number, title: string, words: (refusal: Refusal) => string): Row {
  return { status, code, title, words };
}

function error(status: number, code: number, title: string, message: string): FiscalError {
  return { status, code, title, message };
}

function detail({ details }: Refusal, name: string, before: string, after = ""): string {
  const value = details?.[name];
  return value === undefined || value === "" ? "" : before + value + after;
}

/**
 * Returns the reason of a refusal, without full stops at its end: the words of `device`; without `device`, the words of `doubt`; without
 * both, the words of `details`. If there are no such words, returns `otherwise`.
 */
function reasonOf(refusal: Refusal, otherwise: string): string {
  const { device, doubt } = refusal;
  const words = device !== undefined ? wordsOfDevice(refusal) : doubt !== undefined ? doubtWords(doubt) : driveWords(refusal);
  return words === undefined || words === "" ? otherwise : withoutStop(words);
}

function wordsOfDevice({ device }: Refusal): string {
  return device === undefined ? "" : `${withoutStop(device.words)}, код ${device.code}`;
}

function withReason(refusal: Refusal): string {
  const reason = reasonOf(refusal, "");
  return reason === "" ? "" : ` (${reason})`;
}

function sentence(text: string): string {
  return `${withoutStop(text)}.`;
}

function withoutStop(text: string): string {
  return withoutEnd(text, (character) => character === "." || character.trim() === "");
}
