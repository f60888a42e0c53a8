import type { MixRule } from "../../model/draft/payments.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { FieldProblem } from "./fields.ts";

/** Words for a missing or wrong field. They name the field, if known, because the support that the cashier calls needs its name. */
export function fieldWords({ parameter, details }: Refusal): string {
  const what = FIELD_WORDS[(details?.problem ?? "type") as FieldProblem] ?? FIELD_WORDS.type;
  const limit = details?.limit === undefined ? "" : ` Не больше: ${details.limit}.`;
  // `parameter` may name an environment variable, which means nothing to a cashier. Then `details.field` names the field.
  return `Поле «${details?.field ?? parameter ?? "документ"}» ${what}.${limit} Исправьте документ и повторите операцию; если исправить его нельзя, обратитесь в поддержку.`;
}

const FIELD_WORDS: Record<FieldProblem, string> = {
  missing: "не заполнено",
  type: "заполнено неверно",
  id: "заполнено неверно: это не идентификатор",
  number: "заполнено неверно: это не число",
  range: "заполнено неверно: такое значение недопустимо",
  decimals: "заполнено неверно: слишком много знаков после запятой",
  "kopeck-fraction": "заполнено неверно: в нём доли копейки",
  moment: "заполнено неверно: это не дата и время",
  "too-long": "заполнено неверно: текст слишком длинный",
  "too-many": "заполнено неверно: в нём слишком много строк",
  "too-deep": "заполнено неверно: в нём слишком много вложенных полей",
  "too-large": "заполнено неверно: в нём слишком много данных",
  none: "не заполнено: в документе нет ни одной строки",
};

/** Words for payments that may not be combined in one receipt, or not be made in a return (`MixRule`). */
export function mixedWords({ details }: Refusal): string {
  const rule = MIX_WORDS[(details?.rule ?? "") as MixRule] ?? "такие виды оплаты нельзя сочетать в одном чеке";
  return `Оплата не принята: ${rule}. Измените оплату и повторите операцию.`;
}

const MIX_WORDS: Record<MixRule, string> = {
  "qr-with-cash-or-card": "оплату по QR-коду нельзя сочетать с наличными или картой",
  "qr-prepayment-with-others": "предоплату по QR-коду нельзя сочетать с другими видами оплаты",
  "prepayment-with-advance": "предоплату и аванс нельзя зачесть в одном чеке",
  "prepayment-in-return": "в возврате нельзя зачесть предоплату или аванс",
};

const UNREADABLE: Readonly<Record<string, string>> = {
  "keyboard-layout": "в нём русские буквы. Переключите клавиатуру на английскую раскладку и отсканируйте код ещё раз.",
  aggregate: "это код упаковки. Отсканируйте код на самом товаре.",
  "weight-label": "это этикетка весов. Отсканируйте квадратный код на упаковке товара.",
  "check-digit": "в номере товара ошибка. Отсканируйте код ещё раз, не вводите его вручную; если не поможет, отложите товар.",
};

/**
 * Words for a scanned code that cannot be used as a marking code: for which goods and what was scanned, if known, and what the cashier can
 * do.
 */
export function unreadableWords({ details }: Refusal): string {
  const words = UNREADABLE[details?.problem ?? ""];
  const goods = details?.name === undefined || details.name === "" ? "" : ` товара «${details.name}»`;
  if (words !== undefined) return `Код маркировки${goods} не распознан: ${words}`;
  if (details === undefined) return "Код маркировки не распознан. Отсканируйте код ещё раз.";
  return `Код маркировки${goods} не распознан. Отсканируйте код ещё раз; если не поможет, отложите товар и позовите администратора.`;
}
