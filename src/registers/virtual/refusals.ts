/** Return codes of a fiscal drive and their words on a register (fiscal-receipts 6.4). */
const DRIVE_CODES = {
  1: "Неизвестная команда или неверный формат",
  2: "Неверное состояние ФН",
  3: "Отказ ФН",
  4: "Отказ криптографического сопроцессора",
  5: "Срок эксплуатации ФН истёк",
  6: "Архив ФН переполнен",
  7: "Неверные дата или время",
  8: "Запрошенные данные отсутствуют",
  9: "Некорректное значение параметра команды",
  16: "Превышены размеры TLV данных",
  17: "Нет транспортного соединения",
  18: "Исчерпан ресурс криптографического сопроцессора",
  20: "Исчерпан ресурс хранения документов для ОФД",
  21: "Исчерпан ресурс ожидания передачи сообщения",
  22: "Продолжительность смены более 24 часов",
  23: "Неверная разница во времени между операциями",
  32: "Сообщение ОФД не может быть принято",
  35: "Обновление ключей проверки КМ отклонено",
  36: "Неизвестный ответ сервера ключей",
  48: "Требуется повтор обновления ключей",
  160: "Работа с маркированными товарами запрещена",
  161: "Нарушена последовательность команд маркировки",
  162: "Работа с маркированными товарами временно заблокирована",
  163: "Переполнена таблица проверки КМ",
  170: "Отсутствует обязательный реквизит",
  172: "Код маркировки не был проверен",
} as const satisfies Record<number, string>;

export type DriveCode = keyof typeof DRIVE_CODES;

/** Refusals by the register itself, not by its drive. Each protocol has its own codes for them. */
const REGISTER_CAUSES = {
  "shift-closed": "Смена закрыта",
  "shift-open": "Смена уже открыта",
  "shift-too-long": "Смена длится более 24 часов",
  "cash-short": "Недостаточно наличных в денежном ящике",
  "payments-below-total": "Сумма оплат меньше итога чека",
  "cashless-above-total": "Сумма безналичных оплат больше итога чека",
  "wrong-rounding": "Неверное округление итога",
  "line-sum": "Сумма позиции не равна произведению цены и количества",
  "bad-value": "Недопустимое значение в документе",
  "counters-full": "Счётчики переполнены",
  "mark-repeated": "Код маркировки указан дважды",
  "mark-sold": "Код маркировки уже продан",
  "mark-wrong": "Код маркировки не прошёл проверку",
  "mark-unreadable": "Код маркировки не читается",
  "mark-measure": "Количество или мера не подходят к коду маркировки",
  "marks-in-purchase": "В расходе коды маркировки не указываются",
  "correction-of-return": "ФФД 1.05 не знает коррекции возвратов: оформите обычный чек возврата",
  "no-paper": "Нет бумаги",
} as const satisfies Record<string, string>;

export type RegisterCause = keyof typeof REGISTER_CAUSES;

/** Nothing was registered. The reason is a code of the drive, or a cause of the register. */
export type DeviceRefusal =
  | { by: "drive"; code: DriveCode; details?: Record<string, string> }
  | { by: "register"; code: RegisterCause; details?: Record<string, string> };

export function wordsOf(refusal: DeviceRefusal): string {
  return refusal.by === "drive" ? DRIVE_CODES[refusal.code] : REGISTER_CAUSES[refusal.code];
}

export function byDrive(code: DriveCode): DeviceRefusal {
  return { by: "drive", code };
}

export function byRegister(code: RegisterCause, details?: Record<string, string>): DeviceRefusal {
  return details === undefined ? { by: "register", code } : { by: "register", code, details };
}
