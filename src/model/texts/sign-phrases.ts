import { decomposed } from "../../kernel/normal-form.ts";

/*
 * Signs whose meaning depends on their neighbours. The patterns apply in this order, before single signs are replaced. The group `sign` of
 * a pattern is the part to replace. This part stays unchanged if the register or font has it.
 */

type Groups = Record<string, string | undefined>;

interface SignPhrase {
  pattern: RegExp;
  plain(groups: Groups): string;
}

/** SI units after the micro sign, in Russian spelling. */
const UNITS: Record<string, string> = {
  m: "м",
  g: "г",
  l: "л",
  L: "л",
  s: "с",
  A: "А",
  V: "В",
  W: "Вт",
  F: "Ф",
  H: "Гн",
  Hz: "Гц",
  Pa: "Па",
  Ω: "Ом",
};

/** Kilo, mega, giga and milli before ohm, in Latin letters and in Russian letters of the same look. */
const PREFIXES: Record<string, string> = { k: "к", K: "к", к: "к", К: "к", M: "М", М: "М", G: "Г", Г: "Г", m: "м", м: "м" };

/** Greek letters with a Russian name when they stand alone, as in β-каротин. Capitals that look Latin are left out. */
const GREEK: Record<string, string> = {
  α: "альфа",
  β: "бета",
  γ: "гамма",
  δ: "дельта",
  ε: "эпсилон",
  ζ: "дзета",
  η: "эта",
  θ: "тета",
  λ: "лямбда",
  π: "пи",
  ρ: "ро",
  σ: "сигма",
  φ: "фи",
  χ: "хи",
  ψ: "пси",
  ω: "омега",
  Γ: "Гамма",
  Δ: "Дельта",
  "∆": "Дельта",
  Θ: "Тета",
  Λ: "Лямбда",
  Π: "Пи",
  Σ: "Сигма",
  // Before a number this letter means a diameter, like the Russian letter Ф.
  Φ: "Ф",
  Ψ: "Пси",
  Ω: "Омега",
};

const RAISED = "⁰¹²³⁴-⁹";

/** Comparisons that a stroke turns into their opposite. Other struck signs get the word "не". */
const STRUCK: Record<string, string> = { ">": "<=", "<": ">=", "≥": "<", "≤": ">", "=": "!=", "≡": "!=" };

/** A stroke through a sign means "not". As a separate mark it would disappear, which would say the opposite. */
const STROKE = "\u0338";

const DASHES = "[\\p{Pd}−]";

export const SIGN_PHRASES: readonly SignPhrase[] = [
  // Units in one character, such as ㎕ and ㏀: µ and Ω in them are spelled as below.
  { pattern: /(?<sign>[㍱-㏟])/gu, plain: ({ sign = "" }) => decomposed(sign) },
  { pattern: new RegExp(`(?<sign>[\\p{Sm}\\p{So}]${STROKE}?)`, "gu"), plain: ({ sign = "" }) => unstruck(sign) },
  // After a number, a raised zero or o that is no part of a power is a degree, as in 60⁰C.
  { pattern: new RegExp(`(?<=\\d\\s?)(?<sign>[⁰ᵒ])(?![${RAISED}⁺⁻])`, "gu"), plain: () => "°" },
  // Before an inch sign a raised number over a plain number is a fraction, as in 1¹/2".
  {
    pattern: new RegExp(`(?<before>\\d)?(?<![${RAISED}])(?<sign>[${RAISED}]+[⁄∕/])(?<below>\\d+)(?=\\s?(?:["″”]|''|дюйм))`, "gu"),
    plain: ({ before, sign = "", below = "" }) => apart(before, `${decomposed(sign).replace(/[⁄∕]/u, "/")}${below}`, undefined),
  },
  // Beside a whole number a fraction gets a space, as in 1½ and 2¹⁄₂. Without the space both numbers would read as one.
  {
    pattern: new RegExp(`(?<before>\\d)?(?<![${RAISED}])(?<sign>[${RAISED}]+[⁄∕/][₀-₉]+)(?=(?<after>\\d)?)`, "gu"),
    plain: ({ before, sign = "", after }) => apart(before, decomposed(sign).replace(/[⁄∕]/u, "/"), after),
  },
  {
    pattern: /(?<before>\d)?(?<sign>[¼-¾⅐-⅞↉])(?=(?<after>\d)?)/gu,
    plain: ({ before, sign = "", after }) => apart(before, decomposed(sign).replace("⁄", "/"), after),
  },
  { pattern: /(?<=\d)(?<sign>⅟)/gu, plain: () => " 1/" },
  // 10² is a power, but м² is a unit. In 10₂ the small digit is the base, but in H₂O it counts atoms.
  {
    pattern: new RegExp(`(?<=[\\d)\\]])(?<sign>[${RAISED}ⁿⁱˣʸ]|[⁺⁻](?=[${RAISED}]))`, "gu"),
    plain: ({ sign = "" }) => `^${sign}`,
  },
  { pattern: new RegExp(`(?<=\\p{L})(?<sign>[⁺⁻])(?=[${RAISED}])`, "gu"), plain: ({ sign = "" }) => `^${sign}` },
  { pattern: /(?<=\d)(?<sign>[₀-₉])/gu, plain: ({ sign = "" }) => `_${sign}` },
  // The micro sign, before a unit in either alphabet or without a unit. In a brand name it becomes `u`, the usual typed form.
  {
    pattern: new RegExp(`(?<!\\p{L})(?<sign>[µμ])(?<unit>${Object.keys(UNITS).sort().reverse().join("|")})(?!\\p{L})`, "gu"),
    plain: ({ unit = "" }) => `мк${UNITS[unit] ?? unit}`,
  },
  { pattern: /(?<!\p{L})(?<sign>[µμ])(?=\p{Script=Cyrillic}|\P{L}|$)/gu, plain: () => "мк" },
  { pattern: /(?<sign>[µμ])(?=\p{Script=Latin})/gu, plain: () => "u" },
  // The ohm sign. If a number follows and none comes before, as in Ω-3 and Ω3, it is the Greek letter.
  {
    pattern: new RegExp(
      `(?<!\\p{L})(?<sign>(?<prefix>мк|[${Object.keys(PREFIXES).join("")}])Ω|(?<=\\d\\s?)Ω|Ω(?!${DASHES}?\\d| [369](?!\\d)))(?!\\p{L})`,
      "gu",
    ),
    plain: ({ prefix = "" }) => `${PREFIXES[prefix] ?? prefix}Ом`,
  },
  {
    pattern: new RegExp(`(?<!\\p{L})(?<sign>[${Object.keys(GREEK).join("")}])(?!\\p{L})`, "gu"),
    plain: ({ sign = "" }) => GREEK[sign] ?? sign,
  },
  // Alone or before a number the Danish letter Ø means a diameter.
  { pattern: /(?<!\p{L})(?<sign>[Øø])(?=\s?\d|\P{L}|$)/gu, plain: () => "диам." },
  // Between numbers, this sign is no division in Russian. It means "from … to".
  { pattern: /(?<=\d\s?)(?<sign>÷)(?=\s?[+\-−]\d)/gu, plain: () => "..." },
  { pattern: /(?<=\d\s?)(?<sign>÷)(?=\s?\d)/gu, plain: () => "-" },
  { pattern: /(?<=\d\s?)(?<sign>º)/gu, plain: () => "°" },
  { pattern: /(?<=\d\s?)(?<sign>(?<milli>m|м)?ℓ)(?!\p{L})/gu, plain: ({ milli }) => (milli === undefined ? "л" : "мл") },
  { pattern: /(?<=\d)(?<sign>‰)/gu, plain: () => " промилле" },
];

function apart(before: string | undefined, text: string, after: string | undefined): string {
  return `${before === undefined ? "" : `${before} `}${text}${after === undefined ? "" : " "}`;
}

function unstruck(sign: string): string {
  const parts = decomposed(sign);
  if (!parts.includes(STROKE)) return sign;
  const whole = parts.replaceAll(STROKE, "");
  return STRUCK[whole] ?? `не ${whole}`;
}
