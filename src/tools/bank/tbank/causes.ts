/** The refusals of this bank. Codes with the comment `4.8` are from qr-acquirers 4.8. All other codes are invented. */
const CAUSES = {
  /** 4.8 */
  wrongStatus: ["4", "Запрашиваемое состояние транзакции является неверным."],
  /** 4.8 */
  wrongTransactionStatus: ["8", "Неверный статус транзакции."],
  /** 4.8 */
  wrongToken: ["204", "Неверный токен. Проверьте пару TerminalKey/SecretKey."],
  /** 4.8 */
  noTerminal: ["205", "Указанный терминал не найден."],
  unknownPayment: ["255", "Платёж не найден."],
  wrongForm: ["309", "Неверные параметры."],
  tooMany: ["429", "Слишком много запросов. Повторите попытку позже."],
  /** 4.8 */
  unknownTerminal: ["501", "Терминал не найден."],
  /** 4.8 */
  alreadyPaid: ["623", "Заказ уже оплачен."],
  /** 4.8 */
  amountOutOfRange: ["3016", "Сумма вне пределов, допустимых для СБП."],
  /** 4.8 */
  expiryOutOfRange: ["3017", "Срок жизни кода вне допустимых пределов."],
  /** 4.8 */
  oncePerHour: ["3029", "Попытка возврата по операции возможна раз в час."],
  /** 4.8 */
  fivePerDay: ["3030", "По операции возможны пять попыток возврата в сутки."],
  /** 4.8 */
  internal: ["9999", "Внутренняя ошибка системы."],
} as const satisfies Record<string, readonly [string, string]>;

export type Cause = keyof typeof CAUSES;

export function refusalJson(cause: Cause, details: string, terminalKey: string): Record<string, unknown> {
  const [code, message] = CAUSES[cause];
  return { Success: false, ErrorCode: code, Message: message, Details: details, TerminalKey: terminalKey };
}
