import type { KnownPoint } from "../../../accounts/shop/points-of-sale.ts";
import type { previewProgramme } from "../../../operator/loyalty/preview-programme.ts";
import { type Field, field } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";
import { type ProgrammeField, type ProgrammeList, RULES, TIERS, type Words } from "./programme-fields.ts";
import { counts, itemsIn, type Typed } from "./programme-form.ts";

export const PROGRAMME_BASE = "/settings/loyalty";

type Quoted = Extract<Awaited<ReturnType<typeof previewProgramme>>, { kind: "quoted" }>["quote"];

export interface SampleResult {
  quote: Quoted;
  totalKopecks: number;
}

/** A programme form as shown: the programme in force, or the typed programme. */
export interface ProgrammeView {
  /** The version that the person saw last. 0: never set. */
  version: number;
  typed: Typed;
  /** Words beside a control, by its name. */
  problems: ReadonlyMap<string, Content>;
  /** A problem of the whole programme, or another person's change. */
  trouble?: Markup;
  /** The item that was just added to a list. It is shown open. */
  added?: { list: ProgrammeList["name"]; index: number };
  points: readonly KnownPoint[];
  result?: SampleResult;
}

/** Attributes of a control that redraws the form with the typed values. Stores nothing. */
export function exchange(query = ""): Markup {
  return html` hx-post="${PROGRAMME_BASE}/form${query === "" ? "" : `?${query}`}" hx-include="closest form" hx-target="#programme" hx-swap="outerHTML"`;
}

export function control(say: Say, one: ProgrammeField, view: ProgrammeView): Markup {
  const { typed, problems } = view;
  const { name } = one;
  const value = typed.get(name) ?? "";
  // A control without effect is hidden. It keeps its value, because a later choice may give it effect again.
  if (!counts(typed, name)) return html`<input type="hidden" name="${name}" value="${value}">`;
  const problem = problems.get(name);
  const hint = hintOf(one, view);
  return field(say, {
    name,
    label: say(...one.label),
    value,
    ...(hint === undefined ? {} : { hint: say(...hint) }),
    ...(problem === undefined ? {} : { problem }),
    kind: kindOf(say, one, value, view),
  });
}

function hintOf({ name, kind, hint }: ProgrammeField, view: ProgrammeView): Words | undefined {
  if (kind.type === "rule-value") return valueHint(name, view.typed);
  if (kind.type === "store" && !hasPointChoice(view)) return POINTS_BY_ID;
  return hint;
}

/** The maximum number of points of sale in all choices of the form together. More would make a page of many megabytes. */
const MAX_POINT_OPTIONS = 40_000;
const POINTS_BY_ID: Words = [
  "Точек продаж и правил слишком много для списка: введите id точек через запятую. Пусто: все.",
  "There are too many points of sale and rules for a list: type the ids of the points, with commas. Empty: all.",
];

/** Whether each rule has a choice of points of sale by name. Otherwise people type ids. */
function hasPointChoice({ points, typed }: ProgrammeView): boolean {
  return points.length * itemsIn(typed, RULES) <= MAX_POINT_OPTIONS;
}

/** Controls whose values decide whether another control has an effect, or what it accepts. */
const CHOOSING = /(?:^activation\.kind|^expiry\.kind|^verification\.spending|\.effect)$/;

function kindOf(say: Say, { name, kind }: ProgrammeField, value: string, view: ProgrammeView): Field["kind"] {
  switch (kind.type) {
    case "choice": {
      const options = kind.values.map(([one, words]) => ({ value: one, label: say(...words) }));
      return { type: "choice", options, ...(CHOOSING.test(name) ? { attributes: html`${exchange()} hx-trigger="change"` } : {}) };
    }
    case "flag":
      return { type: "check" };
    case "date":
      return { type: "date" };
    case "tier":
      return choice(say("Любой", "Any"), value, tierNames(view.typed));
    case "store":
      if (!hasPointChoice(view)) return { type: "text", maxLength: MAX_LIST_LENGTH };
      return choice(
        say("Все", "All"),
        value,
        view.points.map((point) => [point.id, point.name ?? point.id] as const),
      );
    case "truth":
      return choice(say("Любая", "Any"), value, [
        ["yes", say("Только первая", "The first one only")],
        ["no", say("Только не первая", "Any but the first")],
      ]);
    case "whole":
      return { type: "text", maxLength: 13, inputMode: "numeric" };
    case "ids":
    case "hours":
      return { type: "text", maxLength: MAX_LIST_LENGTH };
    default:
      return { type: "text", maxLength: MAX_TEXT_LENGTH };
  }
}

/** Enough for the longest text, a message. */
const MAX_TEXT_LENGTH = 300;
/** Room for a thousand ids of the platform. */
const MAX_LIST_LENGTH = 40_000;

/** A value without an option of its own, such as several points of sale from a file, is added as an option. */
function choice(all: string, value: string, known: readonly (readonly [value: string, label: string])[]): Field["kind"] {
  const others = value === "" || known.some(([one]) => one === value) ? [] : [[value, value] as const];
  return { type: "choice", options: [["", all] as const, ...known, ...others].map(([one, label]) => ({ value: one, label })) };
}

/** Returns the tier names of the form as options of a choice. */
export function tierNames(typed: Typed): (readonly [string, string])[] {
  const names = Array.from({ length: itemsIn(typed, TIERS) }, (_, index) => typed.get(`tiers.${index}.name`)?.trim() ?? "");
  return [...new Set(names)].filter((name) => name !== "").map((name) => [name, name] as const);
}

const VALUE_HINTS: Readonly<Record<string, Words>> = {
  percent: ["Процент от 0 до 100.", "A percent from 0 to 100."],
  "fixed-price": ["Рубли за штуку, килограмм, литр.", "Roubles for a piece, a kilogram, a litre."],
  bundle: [
    "Рубли за весь набор. Назовите товары набора или их количество.",
    "Roubles for the whole set. Name its goods or their quantity.",
  ],
  multiplier: ["Множитель от 0 до 100, например 2.", "A factor from 0 to 100, such as 2."],
  points: ["Целое число баллов от 1.", "A whole number of points from 1."],
  message: ["Текст от 1 до 300 знаков.", "Words of 1 to 300 signs."],
};

/** Returns the hint for a rule's value, which depends on the rule's effect. */
export function valueHint(name: string, typed: Typed): Words | undefined {
  const effect = typed.get(name.replace(/value$/, "effect")) ?? "";
  return VALUE_HINTS[effect] ?? RULES.fields.find((one) => one.name === "value")?.hint;
}
