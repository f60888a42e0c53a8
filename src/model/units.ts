import { isWhole } from "../kernel/quantity.ts";
import { printable } from "./texts/printable.ts";

/** Tag 2108 and the printed short name (fiscal-receipts 4.6). */
interface Unit {
  code: number;
  label: string;
}

/** The unit of countable goods. Its code is 0, not 796 (fiscal-receipts 0.1, fact 6). */
export const PIECES: Unit = { code: 0, label: "шт." };

/** For units without a code. Their name is printed. */
const OWN_NAME_CODE = 255;
/** Tag 1197. */
const MAX_LABEL_LENGTH = 16;

interface UnitRow extends Unit {
  /** ОКЕИ codes, with leading zeros. */
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
  { code: 10, label: "г", okei: ["163"], names: ["г", "гр", "грамм", "грамма", "граммов", "g", "gr", "gram"] },
  { code: 11, label: "кг", okei: ["166"], names: ["кг", "килограмм", "kg", "килограмма", "килограммов", "кило", "kilogram"] },
  { code: 12, label: "т", okei: ["168"], names: ["т", "тонна", "тонны", "тонн", "t"] },
  { code: 20, label: "см", okei: ["004"], names: ["см", "сантиметр", "сантиметра", "сантиметров", "cm"] },
  { code: 21, label: "дм", okei: ["005"], names: ["дм", "дециметр", "дециметра", "дециметров", "dm"] },
  { code: 22, label: "м", okei: ["006", "018"], names: ["м", "метр", "пог. м", "пог.м", "п. м", "п.м", "метра", "метров", "m"] },
  { code: 30, label: "кв. см", okei: ["051"], names: ["см2", "см²", "кв. см", "кв.см", "cm2", "cm²"] },
  { code: 31, label: "кв. дм", okei: ["053"], names: ["дм2", "дм²", "кв. дм", "кв.дм", "dm2", "dm²"] },
  { code: 32, label: "кв. м", okei: ["055"], names: ["м2", "м²", "кв. м", "кв.м", "кв м", "m2", "m²"] },
  { code: 40, label: "мл", okei: ["111"], names: ["мл", "миллилитр", "миллилитра", "миллилитров", "ml"] },
  { code: 41, label: "л", okei: ["112"], names: ["л", "литр", "литра", "литров", "l", "ltr", "litre", "liter"] },
  { code: 42, label: "куб. м", okei: ["113"], names: ["м3", "м³", "куб. м", "куб.м", "куб м", "m3", "m³"] },
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

interface GivenUnit {
  name: string;
  code?: string;
}

/**
 * Finds the unit of a position by its ОКЕИ code, then by its name. A unit outside the table keeps its name. A position without a unit or
 * without a printable unit name is counted in pieces. ОКЕИ digits are never printed.
 */
export function unitOf(given: GivenUnit | undefined): Unit {
  if (given === undefined) return PIECES;
  const row = rowOf(given);
  if (row !== undefined) return { code: row.code, label: row.label };
  const label = printable(given.name.trim(), MAX_LABEL_LENGTH);
  return label === "" ? PIECES : { code: OWN_NAME_CODE, label };
}

/** Whether marked goods are sold in pieces, each with its own mark, or by measure with one mark for all (fiscal-receipts 4.7). */
export type Counting = "pieces" | "measure";

/**
 * Returns how goods of a unit are sold. The table's units are measures, except pieces. For other units the group of the ОКЕИ code
 * decides. Without a code, a measure's name or a fractional quantity means a sale by measure.
 */
export function countingOf(given: GivenUnit | undefined, quantityMillionths: number): Counting {
  const unit = unitOf(given);
  if (given === undefined || unit.code === PIECES.code) return "pieces";
  if (unit.code !== OWN_NAME_CODE) return "measure";
  const code = codeOf(given);
  if (code !== undefined && OKEI_CODE.test(code)) return Number(code) < FIRST_COUNTED_CODE ? "measure" : "pieces";
  return isMeasureByName(keyOf(given)) || !isWhole(quantityMillionths) ? "measure" : "pieces";
}

/** Whether the name is a measure, a serving of measured goods, or a number with a measure such as `0,5 л`. */
function isMeasureByName(name: string): boolean {
  if (FURTHER_MEASURES.includes(name) || SERVINGS.includes(name)) return true;
  const measure = /^\d{1,6}(?:[.,]\d{1,6})? ?(\D.*)$/.exec(name)?.[1];
  return measure !== undefined && (FURTHER_MEASURES.includes(measure) || measuredNames().includes(measure));
}

function measuredNames(): string[] {
  return UNITS.flatMap(({ code, names }) => (code === PIECES.code ? [] : names));
}

/** Whether a marked line is sold by measure. A marked line that is sold in pieces always has the unit `PIECES`, also in stored documents. */
export function isMeasured({ mark, unit }: { mark?: string; unit: Pick<Unit, "code"> }): boolean {
  return mark !== undefined && unit.code !== PIECES.code;
}

/** Servings from a marked keg, cheese or bar. The mark belongs to the whole, not to the serving. */
const SERVINGS: readonly string[] = ["стакан", "стак", "бокал", "бок", "кружка", "рюмка", "порция", "порц", "кусок", "налив", "розлив"];
const OKEI_CODE = /^\d{3}$/;
/**
 * Units with this ОКЕИ code or a higher one are counted in pieces. The groups with lower codes are length, area, volume, mass, technical
 * units, time and money.
 */
const FIRST_COUNTED_CODE = 400;
/** Lower case, without the final dot. */
const FURTHER_MEASURES: readonly string[] = [
  ...["мм", "миллиметр", "км", "километр", "дюйм", "фут", "ярд"],
  ...["мм2", "мм²", "га", "гектар", "сот", "сотка"],
  ...[
    "мм3",
    "мм³",
    "см3",
    "см³",
    "дм3",
    "дм³",
    "сл",
    "сантилитр",
    "дл",
    "децилитр",
    "дал",
    "декалитр",
    "гл",
    "гектолитр",
    "галлон",
    "пинта",
  ],
  ...["куб. см", "куб.см", "mm", "km", "cm3", "cm³", "cl", "dl", "hl", "mg", "oz", "lb", "pint", "gal"],
  ...["мг", "миллиграмм", "кар", "карат", "унция", "фунт", "ц", "центнер"],
  ...["неделя", "нед", "мес", "месяц", "кварт", "квартал", "год"],
];

function rowOf(given: GivenUnit): UnitRow | undefined {
  const code = codeOf(given);
  const key = keyOf(given);
  return UNITS.find(({ okei }) => code !== undefined && okei.includes(code)) ?? UNITS.find(({ names }) => names.includes(key));
}

function codeOf({ code }: GivenUnit): string | undefined {
  return code?.trim();
}

function keyOf({ name }: GivenUnit): string {
  return name.trim().toLowerCase().replace(/\.$/, "");
}
