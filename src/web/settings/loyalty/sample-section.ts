import { traceWords } from "../../../loyalty/quote/trace-words.ts";
import { roubles } from "../../amounts.ts";
import { facts, field } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import type { Language, Say } from "../../language.ts";
import type { PageContext } from "../context.ts";
import { PROGRAMME_BASE, type ProgrammeView, type SampleResult, tierNames } from "./programme-controls.ts";

/** The number of lines of the sample: enough for a set and one more product. */
export const SAMPLE_LINES = 3;

export const SAMPLE_DEFAULTS: readonly (readonly [name: string, value: string])[] = [
  ["sample.points", "500"],
  ["sample.spend", "EARNING"],
  ["sample.hasBought", "yes"],
  ["sample.lines.0.quantity", "1"],
  ["sample.lines.0.price", "1000"],
];

/** Draws the form for an invented receipt of an invented member and, once it was counted, its quote by the typed programme. */
export function sampleSection({ say, language }: Pick<PageContext, "say" | "language">, view: ProgrammeView): Markup {
  const { typed, problems, result, points } = view;
  const text = (name: string, label: string, maxLength: number, more: { inputMode?: "numeric"; hint?: string } = {}) => {
    const problem = problems.get(name);
    const { hint, ...kind } = more;
    return field(say, {
      name,
      label,
      value: typed.get(name) ?? "",
      ...(hint === undefined ? {} : { hint }),
      ...(problem === undefined ? {} : { problem }),
      kind: { type: "text", maxLength, ...kind },
    });
  };
  const choice = (name: string, label: string, options: readonly (readonly [string, string])[]) =>
    field(say, {
      name,
      label,
      value: typed.get(name) ?? "",
      kind: { type: "choice", options: options.map(([value, words]) => ({ value, label: words })) },
    });
  return html`<fieldset class="card" id="sample"><legend class="title">${say("Проверка на примере", "Try it on a sample")}</legend>
<p class="hint">${say("Считает программу, как она введена выше. Ничего не сохраняется.", "Counts by the programme as typed above. Nothing is stored.")}</p>
<div class="fields">${text("sample.points", say("Баллов у участника", "Points of the member"), 10, { inputMode: "numeric" })}
${choice("sample.spend", say("Что делает покупатель", "What the buyer does"), [
  ["EARNING", say("только копит", "earns only")],
  ["SPENDING", say("списывает, сколько можно", "spends as much as possible")],
])}
${choice("sample.tier", say("Уровень", "Tier"), [["", say("нет", "none")], ...tierNames(typed)])}
${choice("sample.hasBought", say("Покупка", "Sale"), [
  ["no", say("первая", "the first")],
  ["yes", say("не первая", "not the first")],
])}
${choice("sample.hasBirthday", say("День рождения", "Birthday"), [
  ["no", say("не сегодня", "not today")],
  ["yes", say("сегодня", "today")],
])}
${choice("sample.store", say("Точка продаж", "Point of sale"), [["", say("любая", "any")], ...points.map((one) => [one.id, one.name ?? one.id] as const)])}</div>
${Array.from({ length: SAMPLE_LINES }, (_, index) => sampleLine(say, index, text))}
<div class="actions"><button type="button" data-action="preview" id="preview-programme" hx-post="${PROGRAMME_BASE}/preview" hx-include="closest form" hx-target="#programme" hx-swap="outerHTML">${say("Посчитать", "Count it")}</button></div>
${result === undefined ? undefined : resultMarkup(say, result, language)}
</fieldset>`;
}

function sampleLine(
  say: Say,
  index: number,
  text: (name: string, label: string, maxLength: number, more?: { hint?: string }) => Markup,
): Markup {
  const name = (part: string) => `sample.lines.${index}.${part}`;
  return html`<fieldset class="line"><legend class="soft">${say(`Строка ${index + 1}`, `Line ${index + 1}`)}</legend><div class="fields">${text(
    name("price"),
    say("Цена, ₽", "Price, ₽"),
    16,
    index === 0 ? {} : { hint: say("Пусто: строки нет.", "Empty: no such line.") },
  )}${text(name("quantity"), say("Количество", "Quantity"), 12)}${text(name("goods"), say("Товар или группа, если важно", "Product or folder, if it matters"), 100)}</div></fieldset>`;
}

function resultMarkup(say: Say, { quote, totalKopecks }: SampleResult, language: Language): Markup {
  const { discountKopecks, paidByPointsKopecks, spendPoints, earnPoints, balancePoints, balanceAfterPoints, needVerification } = quote;
  const payKopecks = totalKopecks - discountKopecks - paidByPointsKopecks;
  return html`<div class="panel green" data-preview id="preview"><strong>${say("Получается", "It comes to")}</strong><div class="ink">${facts(
    [
      [say("Сумма чека", "Sum"), html`<span class="number">${roubles(totalKopecks)}</span>`],
      [say("Скидка", "Discount"), html`<span class="number">${roubles(discountKopecks)}</span>`],
      [say("Оплачено баллами", "Paid with points"), html`<span class="number">${roubles(paidByPointsKopecks)} (${spendPoints})</span>`],
      [say("К оплате", "To pay"), html`<strong class="number">${roubles(payKopecks)}</strong>`],
      [say("Начислено баллов", "Points earned"), html`<strong class="number">${earnPoints}</strong>`],
      [say("Баллы", "Points"), html`<span class="number">${balancePoints} → ${balanceAfterPoints}</span>`],
      [say("Код", "Code"), needVerification ? say("касса спросит код", "the till asks for a code") : undefined],
      [say("На чеке", "On the receipt"), quote.messages.length === 0 ? undefined : quote.messages.join("; ")],
    ],
  )}${linesMarkup(say, quote)}${traceMarkup(say, quote, language)}</div></div>`;
}

/** Draws the lines with a changed price. One line may have become two. */
function linesMarkup(say: Say, { positions }: SampleResult["quote"]): Content {
  const changed = positions.filter(({ priceKopecks, discountedPriceKopecks }) => discountedPriceKopecks !== priceKopecks);
  if (changed.length === 0) return undefined;
  return html`<ul class="plain-list">${changed.map(
    ({ source, priceKopecks, discountedPriceKopecks }) =>
      html`<li>${say(`Строка ${source + 1}`, `Line ${source + 1}`)}: <span class="number">${roubles(priceKopecks)} → ${roubles(discountedPriceKopecks)}</span></li>`,
  )}</ul>`;
}

function traceMarkup(say: Say, { trace }: SampleResult["quote"], language: Language): Markup {
  if (trace.length === 0)
    return html`<p class="hint">${say("Правил нет: посчитано общее начисление.", "There are no rules: the general percent counts.")}</p>`;
  return html`<ol class="operations" data-trace>${trace.map(
    ({ rule, matched, why }) =>
      html`<li><div>${rule}</div><div><span class="tag ${matched ? "green" : ""}">${matched ? say("сработало", "counts") : say("нет", "does not")}</span></div><p class="wide hint">${traceWords(why, language)}</p></li>`,
  )}</ol>`;
}
