import { MAX_KOPECKS } from "../../../kernel/money.ts";
import {
  MAX_DAYS,
  MAX_FACTOR_HUNDREDTHS,
  MAX_MESSAGE_LENGTH,
  MAX_MONTHS,
  MAX_NAME_LENGTH,
  MAX_POINT_VALUE_KOPECKS,
  MAX_POINTS,
} from "../../../loyalty/programme/bounds.ts";

export type Words = readonly [ru: string, en: string];

/** The text that a control accepts. `optional`: an empty control leaves the value out of the programme's file. */
export type FieldKind =
  | { type: "text"; least: 0 | 1; most: number; optional?: true }
  | { type: "whole"; least: number; most: number; optional?: true }
  | { type: "decimal"; most: number; decimals: number; optional?: true }
  /** Typed in roubles; the file has kopecks. */
  | { type: "roubles"; optional?: true }
  | { type: "flag" }
  | { type: "choice"; values: readonly (readonly [value: string, words: Words])[] }
  | { type: "ids"; optional?: true }
  | { type: "days" | "hours" | "date" | "truth" | "tier" | "store" | "rule-value" };

/** A control. `name`: the path in the programme's file. For a sum typed in roubles, `Roubles` replaces `Kopecks` in the path. */
export interface ProgrammeField {
  name: string;
  label: Words;
  hint?: Words;
  kind: FieldKind;
  /** Few people need this control, so the page folds it away. */
  rare?: true;
}

interface FieldGroup {
  legend: Words;
  fields: readonly ProgrammeField[];
}

const flag = (name: string, label: Words, hint?: Words): ProgrammeField => ({
  name,
  label,
  kind: { type: "flag" },
  ...(hint === undefined ? {} : { hint }),
});
const days: FieldKind = { type: "whole", least: 1, most: MAX_DAYS };
const PERCENT: FieldKind = { type: "decimal", most: 100, decimals: 2 };
const PERCENT_HINT: Words = ["От 0 до 100, до двух знаков после запятой.", "0 to 100, at most two decimals."];
const DAYS_HINT: Words = [`Целое число от 1 до ${MAX_DAYS}.`, `A whole number from 1 to ${MAX_DAYS}.`];
const ROUBLES_HINT: Words = ["Сумма в рублях, например 500 или 499,90.", "Roubles, such as 500 or 499.90."];
const IDS_HINT: Words = [
  "Идентификаторы товаров или их групп через запятую: они стоят в адресе карточки на платформе.",
  "Ids of products or folders, with commas: they stand in the address of the platform's card.",
];

export const PROGRAMME_GROUPS: readonly FieldGroup[] = [
  {
    legend: ["Начисление", "Earning"],
    fields: [
      {
        name: "name",
        label: ["Название программы", "Name of the programme"],
        hint: [`До ${MAX_NAME_LENGTH} знаков.`, `Up to ${MAX_NAME_LENGTH} signs.`],
        kind: { type: "text", least: 0, most: MAX_NAME_LENGTH },
      },
      {
        name: "pointValueKopecks",
        label: ["Цена балла, копеек", "Worth of a point, kopecks"],
        hint: [
          `Целое число от 1 до ${MAX_POINT_VALUE_KOPECKS}. 100 — один балл равен рублю.`,
          `1 to ${MAX_POINT_VALUE_KOPECKS}. 100: a point is a rouble.`,
        ],
        kind: { type: "whole", least: 1, most: MAX_POINT_VALUE_KOPECKS },
      },
      { name: "earnPercent", label: ["Начислять, % от покупки", "Earned, % of the sale"], hint: PERCENT_HINT, kind: PERCENT },
      {
        name: "rounding",
        label: ["Округлять баллы", "Points are rounded"],
        kind: {
          type: "choice",
          values: [
            ["down", ["вниз", "down"]],
            ["half-up", ["до ближайшего", "to the nearest"]],
            ["up", ["вверх", "up"]],
          ],
        },
      },
      flag("earnOnPoints", ["Начислять и на то, что оплачено баллами", "The part that points pay earns too"]),
      flag("earnWhileSpending", ["Начислять в чеке, где баллы списывают", "A sale that spends points earns"]),
    ],
  },
  {
    legend: ["Списание", "Spending"],
    fields: [
      {
        name: "spend.sharePercent",
        label: ["Баллами не больше, % чека", "Points pay at most, % of the sale"],
        hint: PERCENT_HINT,
        kind: PERCENT,
      },
      {
        name: "spend.leastMoneyRoubles",
        label: ["Деньгами не меньше, ₽", "Money at least, ₽"],
        hint: ROUBLES_HINT,
        kind: { type: "roubles" },
      },
      {
        name: "spend.step",
        label: ["Списывать по столько баллов", "Points are spent in steps of"],
        hint: ["Целое число от 1. При 10 спишут 10, 20, 30…", "A whole number from 1. With 10: 10, 20, 30…"],
        kind: { type: "whole", least: 1, most: MAX_POINTS },
      },
      {
        name: "spend.excluded",
        label: ["Нельзя оплачивать баллами", "Never paid with points"],
        hint: IDS_HINT,
        kind: { type: "ids" },
      },
    ],
  },
  {
    legend: ["Срок баллов", "Life of points"],
    fields: [
      {
        name: "activation.kind",
        label: ["Баллы можно тратить", "Points can be spent"],
        kind: {
          type: "choice",
          values: [
            ["at-once", ["сразу", "at once"]],
            ["days", ["через несколько дней", "after some days"]],
          ],
        },
      },
      { name: "activation.days", label: ["Через сколько дней", "After days"], hint: DAYS_HINT, kind: days },
      {
        name: "expiry.kind",
        label: ["Баллы сгорают", "Points expire"],
        kind: {
          type: "choice",
          values: [
            ["never", ["никогда", "never"]],
            ["days", ["через … дней от начисления", "… days after they were earned"]],
            ["rolling", ["через … дней от покупки", "… days after the last sale"]],
            ["end-of-month", ["в конце месяца", "at the end of a month"]],
            ["end-of-quarter", ["в конце квартала", "at the end of a quarter"]],
            ["end-of-year", ["в конце года", "at the end of a year"]],
          ],
        },
      },
      { name: "expiry.days", label: ["Дней до сгорания", "Days until then"], hint: DAYS_HINT, kind: days },
      {
        name: "expiry.months",
        label: ["И ещё месяцев после конца", "And months after that end"],
        hint: [`Целое число от 0 до ${MAX_MONTHS}.`, `A whole number from 0 to ${MAX_MONTHS}.`],
        kind: { type: "whole", least: 0, most: MAX_MONTHS },
      },
    ],
  },
  {
    legend: ["Возврат товара", "Returns"],
    fields: [
      flag("returns.giveBack", ["Возвращать потраченные баллы", "Spent points come back"]),
      flag("returns.clawBack", ["Снимать начисленные баллы", "Earned points are taken back"]),
      {
        name: "returns.expired",
        label: ["Если потраченные баллы уже сгорели бы", "Points that would have expired meanwhile"],
        kind: {
          type: "choice",
          values: [
            ["grace", ["вернуть на короткий срок", "come back for a short time"]],
            ["full", ["вернуть на полный срок", "come back for the full time"]],
            ["forfeit", ["не возвращать", "do not come back"]],
          ],
        },
      },
      {
        name: "returns.graceDays",
        label: ["Короткий срок, дней", "Short time, days"],
        hint: [`Целое число от 0 до ${MAX_DAYS}.`, `A whole number from 0 to ${MAX_DAYS}.`],
        kind: { type: "whole", least: 0, most: MAX_DAYS },
      },
      {
        name: "returns.debt",
        label: ["Если снимать уже нечего", "When nothing is left to take back"],
        kind: {
          type: "choice",
          values: [
            ["remember", ["записать в долг", "remember it as debt"]],
            ["forget", ["простить", "forget it"]],
          ],
        },
      },
    ],
  },
  {
    legend: ["Проверка кодом", "Codes"],
    fields: [
      flag(
        "verification.newCustomer",
        ["Код при вступлении", "A code on joining"],
        ["Код приходит покупателю сообщением.", "The code comes as a message to the buyer."],
      ),
      {
        name: "verification.spending",
        label: ["Код при списании", "A code on spending"],
        kind: {
          type: "choice",
          values: [
            ["never", ["никогда", "never"]],
            ["always", ["всегда", "always"]],
            ["above", ["если баллов больше, чем", "for more points than"]],
          ],
        },
      },
      {
        name: "verification.points",
        label: ["Без кода до, баллов", "No code up to, points"],
        hint: ["Целое число от 0.", "A whole number from 0."],
        kind: { type: "whole", least: 0, most: MAX_POINTS },
      },
    ],
  },
  {
    legend: ["Работа касс", "At the tills"],
    fields: [
      flag("externalSearch", ["Искать участников и здесь", "Tills search members here too"]),
      flag("enrolOnSight", ["Принимать незнакомых покупателей сразу", "Unknown buyers join at once"]),
      flag("neverBlockSales", ["Не мешать продажам, если программа недоступна", "Sales go on while the programme is away"]),
    ],
  },
];

export interface ProgrammeList {
  name: "tiers" | "rules";
  legend: Words;
  empty: Words;
  add: Words;
  /** In a form the list's name and an index precede a field's name: `tiers.0.name`. */
  fields: readonly ProgrammeField[];
}

const FACTOR: FieldKind = { type: "decimal", most: MAX_FACTOR_HUNDREDTHS / 100, decimals: 2 };

export const TIERS: ProgrammeList = {
  name: "tiers",
  legend: ["Уровни участников", "Tiers"],
  empty: ["Уровней нет: все участники получают одинаково.", "There are no tiers: all members earn alike."],
  add: ["Добавить уровень", "Add a tier"],
  fields: [
    {
      name: "name",
      label: ["Название уровня", "Name of the tier"],
      hint: [`От 1 до ${MAX_NAME_LENGTH} знаков.`, `1 to ${MAX_NAME_LENGTH} signs.`],
      kind: { type: "text", least: 1, most: MAX_NAME_LENGTH },
    },
    { name: "fromRoubles", label: ["При покупках от, ₽", "Bought for, ₽"], hint: ROUBLES_HINT, kind: { type: "roubles" } },
    {
      name: "window",
      label: ["Считать покупки", "Sales count"],
      kind: {
        type: "choice",
        values: [
          ["year", ["за календарный год", "of the calendar year"]],
          ["rolling", ["за последние 12 месяцев", "of the last 12 months"]],
          ["lifetime", ["за всё время", "of all times"]],
        ],
      },
    },
    {
      name: "percent",
      label: ["Начислять, %", "Earned, %"],
      hint: ["Пусто: как у всех. От 0 до 100.", "Empty: as everybody. 0 to 100."],
      kind: { ...PERCENT, optional: true },
    },
    {
      name: "multiplier",
      label: ["Умножать баллы на", "Points times"],
      hint: [`От 0 до ${MAX_FACTOR_HUNDREDTHS / 100}; 1 — не умножать.`, `0 to ${MAX_FACTOR_HUNDREDTHS / 100}; 1 changes nothing.`],
      kind: FACTOR,
    },
  ],
};

export const EFFECTS: readonly (readonly [value: string, words: Words])[] = [
  ["percent", ["скидка, %", "discount, %"]],
  ["fixed-price", ["цена за единицу, ₽", "price of one, ₽"]],
  ["bundle", ["цена за набор, ₽", "price of a set, ₽"]],
  ["multiplier", ["умножить баллы на", "points times"]],
  ["points", ["добавить баллы", "points added"]],
  ["message", ["сообщение на чеке", "words on the receipt"]],
];

/** The accepted `value` of each effect, as a person types it. The bounds equal the bounds in the file. */
export const EFFECT_VALUES: Readonly<Record<string, FieldKind>> = {
  percent: PERCENT,
  "fixed-price": { type: "roubles" },
  bundle: { type: "roubles" },
  multiplier: FACTOR,
  points: { type: "whole", least: 1, most: MAX_POINTS },
  message: { type: "text", least: 1, most: MAX_MESSAGE_LENGTH },
};

export const RULES: ProgrammeList = {
  name: "rules",
  legend: ["Акции и правила", "Rules"],
  empty: ["Акций нет: работает только общее начисление.", "There are no rules: only the general percent counts."],
  add: ["Добавить правило", "Add a rule"],
  fields: [
    {
      name: "id",
      label: ["Название правила", "Name of the rule"],
      hint: [`От 1 до ${MAX_NAME_LENGTH} знаков, своё у каждого.`, `1 to ${MAX_NAME_LENGTH} signs, each its own.`],
      kind: { type: "text", least: 1, most: MAX_NAME_LENGTH },
    },
    { name: "effect", label: ["Что даёт", "What it gives"], kind: { type: "choice", values: EFFECTS } },
    {
      name: "value",
      label: ["Сколько", "How much"],
      hint: [
        "Процент, рубли, множитель, баллы или текст — смотря что даёт.",
        "A percent, roubles, a factor, points or words, by what it gives.",
      ],
      kind: { type: "rule-value" },
    },
    { name: "from", label: ["Первый день", "First day"], hint: ["Пусто: уже идёт.", "Empty: it has begun."], kind: { type: "date" } },
    { name: "to", label: ["Последний день", "Last day"], hint: ["Пусто: без конца.", "Empty: no end."], kind: { type: "date" } },
    {
      name: "when.days",
      label: ["Дни недели", "Days of the week"],
      hint: ["Через запятую: пн, вт, ср, чт, пт, сб, вс. Пусто: все.", "mon, tue, wed, thu, fri, sat, sun, with commas. Empty: all."],
      kind: { type: "days" },
    },
    {
      name: "when.hours",
      rare: true,
      label: ["Часы", "Hours"],
      hint: ["Например 10:00-12:30, 18. Пусто: весь день.", "Such as 10:00-12:30, 18. Empty: the whole day."],
      kind: { type: "hours" },
    },
    { name: "when.stores", rare: true, label: ["Точка продаж", "Point of sale"], kind: { type: "store" } },
    { name: "when.tier", label: ["Уровень участника", "Tier of the member"], kind: { type: "tier" } },
    {
      name: "when.leastTotalRoubles",
      label: ["Чек не меньше, ₽", "Sale of at least, ₽"],
      hint: ROUBLES_HINT,
      kind: { type: "roubles", optional: true },
    },
    {
      name: "when.leastQuantity",
      rare: true,
      label: ["Количество не меньше", "Quantity at least"],
      hint: ["Больше нуля, до шести знаков после запятой.", "Above zero, at most six decimals."],
      kind: { type: "decimal", most: MAX_KOPECKS, decimals: 6, optional: true },
    },
    { name: "when.products", label: ["Товары", "Products"], hint: IDS_HINT, kind: { type: "ids", optional: true } },
    { name: "when.groups", rare: true, label: ["Группы товаров", "Folders"], hint: IDS_HINT, kind: { type: "ids", optional: true } },
    { name: "when.firstPurchase", rare: true, label: ["Какая покупка", "Which sale"], kind: { type: "truth" } },
    {
      name: "when.birthdayWithinDays",
      rare: true,
      label: ["День рождения: за и после, дней", "Birthday: days before and after"],
      hint: ["Целое число от 0 до 183.", "A whole number from 0 to 183."],
      kind: { type: "whole", least: 0, most: 183, optional: true },
    },
    {
      name: "group",
      rare: true,
      label: ["Не складывать с правилами группы", "Does not add up within the group"],
      hint: ["Из правил одной группы действует самое выгодное. Имя группы любое.", "Of one group the best counts. Any name."],
      kind: { type: "text", least: 0, most: MAX_NAME_LENGTH },
    },
    {
      name: "priority",
      rare: true,
      label: ["Порядок", "Order"],
      hint: ["Целое число, меньшее — раньше.", "A whole number; lower ones come first."],
      kind: { type: "whole", least: -1_000_000, most: 1_000_000 },
    },
  ],
};

export const PROGRAMME_LISTS = [TIERS, RULES] as const;
