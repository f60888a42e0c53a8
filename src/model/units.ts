import { printable } from "./printable.ts";

/** Tag 2108 and the short name that is printed (fiscal-receipts 4.6). */
export interface Unit {
  code: number;
  label: string;
}

/** Countable goods. Code 0, not 796 (fiscal-receipts 0.1, fact 6). */
export const PIECES: Unit = { code: 0, label: "шт." };

/** Code of everything that has no code of its own: the unit's name is printed. */
const OWN_NAME_CODE = 255;
/** Tag 1197. */
const MAX_LABEL_LENGTH = 16;

interface UnitRow extends Unit {
  /** ОКЕИ codes, leading zeros kept. */
  okei: readonly string[];
  /** Lower case, without the final dot. */
  names: readonly string[];
}

const UNITS: readonly UnitRow[] = [
  {
    ...PIECES,
    okei: ["796", "642", "778", "715", "839", "704", "868", "812", "736", "625", "616", "879"],
    names: [
      "шт",
      "штука",
      "штук",
      "штуки",
      "ед",
      "единица",
      "пара",
      "пар",
      "упак",
      "уп",
      "упаковка",
      "компл",
      "комплект",
      "набор",
      "ящик",
      "рулон",
      "pc",
      "pcs",
    ],
  },
  { code: 10, label: "г", okei: ["163"], names: ["г", "гр", "грамм"] },
  { code: 11, label: "кг", okei: ["166"], names: ["кг", "килограмм", "kg"] },
  { code: 12, label: "т", okei: ["168"], names: ["т", "тонна"] },
  { code: 20, label: "см", okei: ["004"], names: ["см", "сантиметр"] },
  { code: 21, label: "дм", okei: ["005"], names: ["дм", "дециметр"] },
  { code: 22, label: "м", okei: ["006", "018"], names: ["м", "метр", "пог. м", "пог.м", "п. м", "п.м"] },
  { code: 30, label: "кв. см", okei: ["051"], names: ["см2", "см²", "кв. см", "кв.см"] },
  { code: 31, label: "кв. дм", okei: ["053"], names: ["дм2", "дм²", "кв. дм", "кв.дм"] },
  { code: 32, label: "кв. м", okei: ["055"], names: ["м2", "м²", "кв. м", "кв.м", "кв м"] },
  { code: 40, label: "мл", okei: ["111"], names: ["мл", "миллилитр"] },
  { code: 41, label: "л", okei: ["112"], names: ["л", "литр"] },
  { code: 42, label: "куб. м", okei: ["113"], names: ["м3", "м³", "куб. м", "куб.м", "куб м"] },
  { code: 50, label: "кВт∙ч", okei: ["245"], names: ["квт∙ч", "квт·ч", "квт*ч", "квтч"] },
  { code: 51, label: "Гкал", okei: ["233"], names: ["гкал", "гигакалория"] },
  { code: 70, label: "сутки", okei: ["359"], names: ["сут", "сутки", "день"] },
  { code: 71, label: "час", okei: ["356"], names: ["ч", "час"] },
  { code: 72, label: "мин", okei: ["355"], names: ["мин", "минута"] },
  { code: 73, label: "с", okei: ["354"], names: ["с", "сек", "секунда"] },
  { code: 80, label: "Кбайт", okei: ["256"], names: ["кбайт", "кб"] },
  { code: 81, label: "Мбайт", okei: ["257"], names: ["мбайт", "мб"] },
  { code: 82, label: "Гбайт", okei: ["2553"], names: ["гбайт", "гб"] },
  { code: 83, label: "Тбайт", okei: ["2554"], names: ["тбайт", "тб"] },
];

/**
 * The unit of a position: by its ОКЕИ code, else by its name, else under its own name. A position
 * without a unit is counted in pieces. The digits of ОКЕИ are never printed.
 */
export function unitOf(given: { name: string; code?: string } | undefined): Unit {
  if (given === undefined) return PIECES;
  const code = given.code?.trim();
  const name = given.name.trim();
  const key = name.toLowerCase().replace(/\.$/, "");
  const row = UNITS.find(({ okei }) => code !== undefined && okei.includes(code)) ?? UNITS.find(({ names }) => names.includes(key));
  if (row !== undefined) return { code: row.code, label: row.label };
  const label = printable(name, MAX_LABEL_LENGTH);
  return label === "" ? PIECES : { code: OWN_NAME_CODE, label };
}
