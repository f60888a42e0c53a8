import type { Contradiction } from "../../../loyalty/programme/read-programme.ts";
import { type Content, html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";
import { pageLink } from "../../layout.ts";
import { PROGRAMME_BASE, valueHint } from "./programme-controls.ts";
import { PROGRAMME_LISTS, type ProgrammeField, type Words } from "./programme-fields.ts";
import { allFields, type Typed } from "./programme-form.ts";

const CONTRADICTIONS: Readonly<Record<Contradiction, Words>> = {
  "no-channel": [
    "Коды отправлять нечем: у сервера не настроен канал сообщений. Настроить его может тот, кто ведёт сервер.",
    "The server has no channel for codes. Whoever runs it can set one up.",
  ],
  "tier-name-taken": ["Уровень с таким названием уже есть.", "Another tier has this name."],
  "tier-start-taken": ["С этой суммы уже начинается другой уровень.", "Another tier begins at this sum."],
  "rule-id-taken": ["Правило с таким названием уже есть.", "Another rule has this name."],
  "ends-before-it-begins": ["Последний день раньше первого.", "The last day is before the first."],
  "tier-unknown": ["Такого уровня в программе нет.", "The programme has no such tier."],
  "set-unnamed": ["Назовите товары набора или количество.", "Name the goods of the set, or the quantity."],
  "set-of-parts": ["Для набора нужно целое количество.", "A set is made of whole pieces."],
  "ends-before-active": ["Баллы сгорят раньше, чем их можно будет потратить.", "Points would end before they can be spent."],
};

/** Returns the words beside a control whose value contradicts another value. */
export function contradictionWords(say: Say, contradiction: Contradiction): string {
  return say(...CONTRADICTIONS[contradiction]);
}

/** Returns the words beside each refused control, by the control's name. They say what is accepted, if the control has a hint. */
export function notTaken(say: Say, typed: Typed, names: readonly string[]): Map<string, string> {
  const fields = new Map(allFields(typed).map((field) => [field.name, field]));
  const words = (name: string) => {
    const field = fields.get(name);
    const hint = field?.kind.type === "rule-value" ? valueHint(name, typed) : field?.hint;
    const [ru, en] = hint ?? ["", ""];
    return say(`Не подходит. ${ru}`.trim(), `Not accepted. ${en}`.trim());
  };
  return new Map(names.map((name) => [name, words(name)]));
}

/** Returns words above a form, for a fault without a control. `reason`: the English words of the command line. */
export function fileTrouble(say: Say, place: string, reason: string): Markup {
  return html`<p class="panel red" data-error role="alert">${say("Программу нельзя сохранить", "The programme cannot be saved")}: <code>${place}</code>${say(". Проверьте это место в файле программы.", ` ${reason}`)}</p>`;
}

/** The maximum number of shown differences. A longer list would not help a person. */
const SHOWN_DIFFERENCES = 25;

/** Draws the differences between another person's stored programme and the typed programme, at most `SHOWN_DIFFERENCES`. */
export function overtakenPanel(say: Say, version: number, { now, typed }: { now: Typed; typed: Typed }): Markup {
  const known = new Map([...allFields(now), ...allFields(typed)].map((one) => [one.name, one]));
  const differences = [...known.values()].filter(({ name, kind }) => plain(kind, now.get(name)) !== plain(kind, typed.get(name)));
  const rows = differences
    .slice(0, SHOWN_DIFFERENCES)
    .map(
      (one) =>
        html`<li>${placeWords(say, one)}: ${say("стало", "now")} «${valueWords(say, one, now)}», ${say("у вас", "yours")} «${valueWords(say, one, typed)}»</li>`,
    );
  const more = differences.length - rows.length;
  return html`<div class="panel amber" data-error data-overtaken role="alert"><strong>${say(
    `Пока вы меняли, программу сохранил кто-то другой (версия ${version}).`,
    `Meanwhile somebody else has saved the programme (version ${version}).`,
  )}</strong>
<div class="ink">${rows.length === 0 ? say("Отличий от вашей нет.", "It does not differ from yours.") : html`<ul>${rows}</ul>`}${
    more > 0 ? html`<p>${say(`И ещё отличий: ${more}.`, `And ${more} more.`)}</p>` : undefined
  }</div>
<p class="ink">${say("Ничего не перезаписано. Сохраните ещё раз, чтобы поставить ваше, или", "Nothing was overwritten. Save again to set yours, or")} ${pageLink(
    PROGRAMME_BASE,
    say("откройте сохранённое", "open what is stored"),
  )}.</p></div>`;
}

/** A form does not send an unchecked box, so an absent flag equals `no`. */
function plain({ type }: ProgrammeField["kind"], value: string | undefined): string {
  return type === "flag" ? (value === "yes" ? "yes" : "no") : (value?.trim() ?? "");
}

function placeWords(say: Say, { name, label }: ProgrammeField): string {
  const [list = "", index] = name.split(".");
  const owner = PROGRAMME_LISTS.find((one) => one.name === list);
  if (owner === undefined) return say(...label);
  const item = owner.name === "tiers" ? say("Уровень", "Tier") : say("Правило", "Rule");
  return `${item} ${Number(index) + 1}, ${say(...label)}`;
}

function valueWords(say: Say, { name, kind }: ProgrammeField, typed: Typed): Content {
  const value = plain(kind, typed.get(name));
  if (kind.type === "flag") return value === "yes" ? say("да", "yes") : say("нет", "no");
  const words = kind.type === "choice" ? kind.values.find(([one]) => one === value)?.[1] : undefined;
  if (words !== undefined) return say(...words);
  return value === "" ? say("пусто", "empty") : value;
}
