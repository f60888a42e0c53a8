import { parseDecimal, scaleTo } from "../../../kernel/decimal.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import { MAX_IDS, MAX_RULES, MAX_TIERS } from "../../../loyalty/programme/bounds.ts";
import { wholeKopecks } from "../../amounts.ts";
import {
  EFFECT_VALUES,
  type FieldKind,
  PROGRAMME_GROUPS,
  PROGRAMME_LISTS,
  type ProgrammeField,
  type ProgrammeList,
} from "./programme-fields.ts";

/** The typed texts by the names of their controls. */
export type Typed = ReadonlyMap<string, string>;

type Json = Record<string, unknown>;

type FormReading = { kind: "file"; text: string } | { kind: "wrong"; names: readonly string[] };

const WRONG = Symbol("a text that the control does not take");

/** Returns the controls of one list item, with their names in a form. */
export function itemFields({ name, fields }: ProgrammeList, index: number): ProgrammeField[] {
  return fields.map((field) => ({ ...field, name: `${name}.${index}.${field.name}` }));
}

/**
 * Returns the number of a list's items in a form, at most one more than a programme may have. A programme with too many items is refused. A
 * request could name a hundred thousand items, and their page would use all memory.
 */
export function itemsIn(typed: Typed, { name, fields }: ProgrammeList): number {
  const first = fields[0]?.name ?? "";
  let count = 0;
  while (count <= MOST_ITEMS[name] && typed.has(`${name}.${count}.${first}`)) count += 1;
  return count;
}

const MOST_ITEMS: Readonly<Record<ProgrammeList["name"], number>> = { tiers: MAX_TIERS, rules: MAX_RULES };

/** Returns the controls of a form, including the lists' controls. */
export function allFields(typed: Typed): ProgrammeField[] {
  const listed = PROGRAMME_LISTS.flatMap((list) =>
    Array.from({ length: itemsIn(typed, list) }, (_, index) => itemFields(list, index)).flat(),
  );
  return [...PROGRAMME_GROUPS.flatMap(({ fields }) => fields), ...listed];
}

/** Returns the text of each control for a programme's file. */
export function typedOf(file: Json): Map<string, string> {
  const typed = new Map<string, string>();
  const show = (fields: readonly ProgrammeField[], within: Json, prefix: string) => {
    for (const { name, kind } of fields) {
      const value = valueAt(within, pathOf(name));
      typed.set(`${prefix}${name}`, shown(name === "value" ? valueKind(within.effect) : kind, value));
    }
  };
  for (const { fields } of PROGRAMME_GROUPS) show(fields, file, "");
  for (const list of PROGRAMME_LISTS) {
    const items = file[list.name];
    if (!Array.isArray(items)) continue;
    for (const [index, item] of items.entries()) show(list.fields, { ...ITEM_DEFAULTS[list.name], ...item }, `${list.name}.${index}.`);
  }
  const spending = valueAt(file, "verification.spending");
  if (typeof spending === "number") {
    typed.set("verification.spending", "above");
    typed.set("verification.points", String(spending));
  }
  return typed;
}

/** The values of an item that the file may omit, with the meaning of an omitted value. */
const ITEM_DEFAULTS: Readonly<Record<ProgrammeList["name"], Json>> = {
  tiers: { window: "year", multiplier: 1 },
  rules: { group: "", priority: 0 },
};

/** Returns the text of the file for a form's values, or the names of the controls with a wrong value. */
export function fileIn(typed: Typed): FormReading {
  const wrong: string[] = [];
  const room: Room = { parts: MAX_PARTS };
  const read = (fields: readonly ProgrammeField[], prefix: string): Json => {
    const made: Json = {};
    for (const { name, kind } of fields) {
      const whole = `${prefix}${name}`;
      if (!counts(typed, whole)) continue;
      const value = typedValue(name === "value" ? valueKind(typed.get(`${prefix}effect`)) : kind, typed.get(whole)?.trim() ?? "", room);
      if (value === WRONG) wrong.push(whole);
      else if (value !== undefined) put(made, pathOf(name), value);
    }
    return made;
  };
  const file = read(
    PROGRAMME_GROUPS.flatMap(({ fields }) => fields),
    "",
  );
  if (typed.get("verification.spending") === "above") {
    const points = valueAt(file, "verification.points");
    put(file, "verification.spending", points);
  }
  if (typeof file.verification === "object" && file.verification !== null) delete (file.verification as Json).points;
  for (const list of PROGRAMME_LISTS) {
    file[list.name] = Array.from({ length: itemsIn(typed, list) }, (_, index) => read(list.fields, `${list.name}.${index}.`));
  }
  return wrong.length === 0 ? { kind: "file", text: JSON.stringify(file) } : { kind: "wrong", names: wrong };
}

/** Whether a control has an effect, given the values of other controls. */
export function counts(typed: Typed, name: string): boolean {
  switch (name) {
    case "activation.days":
      return typed.get("activation.kind") === "days";
    case "expiry.days":
      return ["days", "rolling"].includes(typed.get("expiry.kind") ?? "");
    case "expiry.months":
      return typed.get("expiry.kind")?.startsWith("end-of-") ?? false;
    case "verification.points":
      return typed.get("verification.spending") === "above";
    default:
      return true;
  }
}

/** Returns the form with one more item in a list. */
export function withItem(typed: Typed, list: ProgrammeList, names: { tier: string; rule: string }): Map<string, string> {
  const count = itemsIn(typed, list);
  const made = new Map(typed);
  const item =
    list.name === "tiers"
      ? { name: `${names.tier} ${count + 1}`, fromKopecks: 0 }
      : { id: `${names.rule} ${count + 1}`, effect: "percent" };
  const shownItem = typedOf({ [list.name]: [item] });
  for (const { name } of list.fields) made.set(`${list.name}.${count}.${name}`, shownItem.get(`${list.name}.0.${name}`) ?? "");
  return made;
}

/** Returns the form without an item. The later items move up by one. */
export function withoutItem(typed: Typed, list: ProgrammeList, index: number): Map<string, string> {
  const count = itemsIn(typed, list);
  const made = new Map([...typed].filter(([name]) => !name.startsWith(`${list.name}.`)));
  let next = 0;
  for (let item = 0; item < count; item++) {
    if (item === index) continue;
    for (const { name } of list.fields) made.set(`${list.name}.${next}.${name}`, typed.get(`${list.name}.${item}.${name}`) ?? "");
    next += 1;
  }
  return made;
}

/**
 * Returns the name of the control for a place in the file, such as `rules[3].when.days[1]`. For a place inside the value of a control, the
 * name of this control. Undefined: no such control.
 */
export function controlAt(typed: Typed, place: string): string | undefined {
  const names = new Set(allFields(typed).map(({ name }) => name));
  let path = place.replaceAll(/\[(\d+)\]/g, ".$1");
  if (/^rules\.\d+\.when$/.test(path)) return `${path}.products`;
  while (path !== "") {
    for (const name of [path, path.replace(/Kopecks$/, "Roubles"), `${path}.kind`]) if (names.has(name)) return name;
    path = path.slice(0, Math.max(0, path.lastIndexOf(".")));
  }
  return undefined;
}

function valueKind(effect: unknown): FieldKind {
  return EFFECT_VALUES[String(effect)] ?? { type: "text", least: 1, most: 0 };
}

function pathOf(name: string): string {
  return name.replace(/Roubles$/, "Kopecks");
}

function valueAt(within: Json, path: string): unknown {
  let value: unknown = within;
  for (const part of path.split(".")) value = typeof value === "object" && value !== null ? (value as Json)[part] : undefined;
  return value;
}

function put(within: Json, path: string, value: unknown): void {
  const parts = path.split(".");
  const last = parts.pop() ?? "";
  let at = within;
  for (const part of parts) {
    at[part] ??= {};
    at = at[part] as Json;
  }
  at[last] = value;
}

const RUSSIAN_DAYS = ["пн", "вт", "ср", "чт", "пт", "сб", "вс"];
const ENGLISH_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** Returns the text of a control. Days appear with their Russian names; a form also accepts their English names. */
function shown(kind: FieldKind, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map((one) => (kind.type === "days" ? dayName(one) : String(one))).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (kind.type === "roubles" && typeof value === "number") return formatKopecks(value).replace(/\.00$/, "").replace(".", ",");
  return kind.type === "decimal" ? String(value).replace(".", ",") : String(value);
}

function dayName(day: unknown): string {
  const index = typeof day === "number" ? day - 1 : ENGLISH_DAYS.indexOf(String(day));
  return RUSSIAN_DAYS[index] ?? String(day);
}

/** The number of parts that the lists of a form may still use. */
interface Room {
  parts: number;
}

/** The maximum number of parts of all lists together. The longest possible programme has 27,000 ids of the platform. */
const MAX_PARTS = 50_000;

function typedValue(kind: FieldKind, text: string, room: Room): unknown {
  if (text === "" && "optional" in kind && kind.optional) return undefined;
  switch (kind.type) {
    case "text":
      return text.length >= kind.least && text.length <= kind.most ? text : WRONG;
    case "whole": {
      const value = /^-?\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
      return value >= kind.least && value <= kind.most ? value : WRONG;
    }
    case "decimal":
      return decimalIn(text.replace(",", "."), kind);
    case "roubles":
      return wholeKopecks(text) ?? WRONG;
    case "flag":
      return text === "yes";
    case "choice":
      return kind.values.some(([value]) => value === text) ? text : WRONG;
    case "ids":
      return listIn(text, room, (parts) => parts);
    case "hours":
      return text === "" ? undefined : listIn(text, room, hoursIn);
    case "days":
      return text === "" ? undefined : listIn(text.toLowerCase(), room, daysIn);
    case "store":
      return text === "" ? undefined : listIn(text, room, (parts) => parts);
    case "truth":
      return text === "" ? undefined : text === "yes";
    case "date":
    case "tier":
      return text === "" ? undefined : text;
    case "rule-value":
      return WRONG;
  }
}

/** Reads a number for the file. The JSON number has exactly the typed value up to 15 digits. The file's own bounds allow fewer digits. */
function decimalIn(text: string, { most, decimals }: { most: number; decimals: number }): number | typeof WRONG {
  const decimal = /^\d{1,12}(\.\d{1,6})?$/.test(text) ? parseDecimal(text) : undefined;
  if (decimal === undefined || scaleTo(decimal, decimals) === undefined) return WRONG;
  return Number(text) <= most ? Number(text) : WRONG;
}

/**
 * Reads the parts of a text, at most one more than a list may have. A text of a megabyte may have half a million parts. `WRONG`: all lists
 * of the form together have too many parts.
 */
function listIn<T>(text: string, room: Room, made: (parts: string[]) => T): T | typeof WRONG {
  if (room.parts < 0) return WRONG;
  const parts: string[] = [];
  for (const [part] of text.matchAll(/[^\s,;]+/g)) {
    parts.push(part);
    if (parts.length > MAX_IDS) break;
  }
  room.parts -= parts.length;
  return room.parts < 0 ? WRONG : made(parts);
}

function hoursIn(parts: readonly string[]): (number | string)[] {
  return parts.map((part) => (/^\d{1,2}$/.test(part) ? Number(part) : part));
}

function daysIn(parts: readonly string[]): number[] | typeof WRONG {
  const days = parts.map((part) => {
    const named = Math.max(RUSSIAN_DAYS.indexOf(part), ENGLISH_DAYS.indexOf(part)) + 1;
    return named > 0 ? named : /^[1-7]$/.test(part) ? Number(part) : 0;
  });
  return days.includes(0) ? WRONG : days;
}
