import { UOM } from "../types/directories/uom.ts";
import type { Furniture } from "./furniture.ts";

/** System units: codes and names of ОКЕИ. */
const UNITS = [
  ["796", "шт", "Штука"],
  ["166", "кг", "Килограмм"],
  ["163", "г", "Грамм"],
  ["168", "т", "Тонна"],
  ["112", "л", "Литр"],
  ["111", "мл", "Миллилитр"],
  ["006", "м", "Метр"],
  ["004", "см", "Сантиметр"],
  ["055", "м2", "Квадратный метр"],
  ["113", "м3", "Кубический метр"],
  ["778", "упак", "Упаковка"],
  ["715", "пар", "Пара"],
  ["839", "компл", "Комплект"],
  ["356", "ч", "Час"],
  ["876", "усл. ед", "Условная единица"],
] as const;

/** Department, owner and the shared flag are for units of one's own (13.7). */
const OWN_ONLY = new Set(["group", "owner", "shared"]);
const SYSTEM_UOM = { ...UOM, fields: UOM.fields.filter(({ name }) => !OWN_ONLY.has(name)) };

export function placeUnits(shop: Furniture): void {
  for (const [code, name, description] of UNITS) shop.place(SYSTEM_UOM, code, { code, name, description, system: true });
}
