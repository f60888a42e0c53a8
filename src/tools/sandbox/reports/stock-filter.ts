import { readHref } from "../addresses/href.ts";
import { refused } from "../call/refusal.ts";
import { type Condition, conditionText, type Operator, readConditions } from "../reading/filter/conditions.ts";
import { available, type StockLevel } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";
import { minimumStockOf } from "../types/goods/minimum-stock.ts";
import { readDatetime } from "../values/datetime.ts";
import type { Stored, Values } from "../values/stored.ts";
import { type GoodsTest, goodsTests, REFERENCE_KEYS } from "./stock-goods.ts";

/** One row of the report: goods with their stock in the selected warehouses. */
export interface StockRow {
  readonly goods: Stored;
  readonly level: StockLevel;
  /** Whole days since the last movement, at the moment of the report. */
  readonly stockDays: number;
}

/** The filter of the report (json-api 14.1). */
interface StockQuestion {
  readonly momentMs: number | undefined;
  /** Whether a warehouse counts. Undefined: all count. */
  readonly stores: ((id: string) => boolean) | undefined;
  /** `includeRelated=true`: the variants of the given products also have rows, and `groupBy` is ignored. */
  readonly related: boolean;
  select(rows: readonly StockRow[]): readonly StockRow[];
}

/** Modes that select rows by stock (json-api 13.10, 14.1). */
const MODES = ["all", "positiveOnly", "negativeOnly", "empty", "nonEmpty", "underMinimum"] as const;
export type StockMode = (typeof MODES)[number];

const EQUAL: readonly Operator[] = ["="];
/** The filter keys with their operators. All conditions on `REFERENCE_KEYS` in one request must have the same operator. */
const OPERATORS: ReadonlyMap<string, readonly Operator[]> = new Map<string, readonly Operator[]>([
  ...REFERENCE_KEYS.map((key): [string, readonly Operator[]] => [key, ["=", "!="]]),
  ...["archived", "productFolder", "withSubFolders", "moment", "stockMode", "quantityMode", "reserveOnly"].map(
    (key): [string, readonly Operator[]] => [key, EQUAL],
  ),
  ...["inTransitOnly", "soldByWeight", "stockDaysFrom", "stockDaysTo"].map((key): [string, readonly Operator[]] => [key, EQUAL]),
  ["search", ["=", "!~"]],
]);

/**
 * Reads `filter`, and the parameters `stockMode` (json-api D36) and `includeRelated`. By default, rows without stock are hidden. The
 * parameter `stockMode=all` shows them.
 * As in the live service, a mode in `filter` has two effects: the parameter `stockMode` is ignored, and the default of `quantityMode` is
 * nonEmpty.
 */
export function readStockQuestion(reading: Reading): StockQuestion {
  const { query } = reading.call;
  const conditions = readConditions(query.get("filter") ?? "");
  const by = (key: string) => conditions.filter((condition) => condition.key === key);
  checkConditions(conditions);
  const related = readRelated(query.get("includeRelated"), conditions);
  const modes = readModes(query.get("stockMode"), by("stockMode"), by("quantityMode"));
  const tests = [
    ({ goods, level }: StockRow) => fits(modes.stock, level.stock, goods) && fits(modes.quantity, available(level), goods),
    archivedTest(by("archived")),
    searchTest(by("search")),
    ...flagTests(by),
    daysTest(by("stockDaysFrom"), by("stockDaysTo")),
  ];
  const ofGoods = goodsTests(conditions, related, reading);
  return {
    momentMs: readMoment(by("moment")),
    stores: storeTest(by("store"), reading),
    related,
    select: (rows) => taken(rows, tests, ofGoods),
  };
}

function taken(
  rows: readonly StockRow[],
  tests: readonly ((row: StockRow) => boolean)[],
  ofGoods: readonly GoodsTest[],
): readonly StockRow[] {
  const goods = rows.map((row) => row.goods);
  const places = ofGoods.map((test) => test(goods));
  return rows.filter((row, place) => tests.every((test) => test(row)) && places.every((test) => test(place)));
}

/**
 * Throws 1034 for an unknown key, a wrong operator, or different operators on `REFERENCE_KEYS`. A key that is an href names an additional
 * field or a characteristic, which `goodsTests` checks.
 */
function checkConditions(conditions: readonly Condition[]): void {
  for (const condition of conditions) {
    if (/^https?:\/\//.test(condition.key)) continue;
    if (OPERATORS.get(condition.key)?.includes(condition.operator) !== true) throw refused(1034, undefined, conditionText(condition));
  }
  const operators = new Set(conditions.filter(({ key }) => REFERENCE_KEYS.includes(key)).map(({ operator }) => operator));
  if (operators.size > 1) throw refused(1034, undefined, "условия на объекты используют разные операторы");
}

/** Reads `includeRelated`. Throws 1091 for a value other than `true` or `false`, 13005 if the filter has neither product nor variant. */
function readRelated(text: string | null, conditions: readonly Condition[]): boolean {
  if (text === null || text === "false") return false;
  if (text !== "true") throw refused(1091, "includeRelated");
  if (!conditions.some(({ key }) => key === "product" || key === "variant")) throw refused(13005, undefined, "includeRelated");
  return true;
}

function readModes(
  plain: string | null,
  stock: readonly Condition[],
  quantity: readonly Condition[],
): { stock: StockMode; quantity: StockMode } {
  if (stock.length === 0 && quantity.length === 0) return { stock: plainMode(plain), quantity: "all" };
  return { stock: modeOf(stock) ?? "all", quantity: modeOf(quantity) ?? "nonEmpty" };
}

/** Returns the mode of the query parameter, which has the same values as the condition in `filter`. Throws 1091 for an unknown value. */
function plainMode(plain: string | null): StockMode {
  const mode = MODES.find((each) => each === (plain ?? "nonEmpty"));
  if (mode === undefined) throw refused(1091, "stockMode");
  return mode;
}

/** Returns the mode of the condition. Throws 1041 for an unknown value. */
export function modeOf([condition]: readonly Condition[]): StockMode | undefined {
  if (condition === undefined) return undefined;
  const mode = MODES.find((each) => each === condition.constant);
  if (mode === undefined) throw refused(1041, undefined, condition.key, condition.constant);
  return mode;
}

/** Whether the mode shows goods with this stock. */
export function fits(mode: StockMode, value: number, goods: Stored): boolean {
  switch (mode) {
    case "all":
      return true;
    case "positiveOnly":
      return value > 0;
    case "negativeOnly":
      return value < 0;
    case "empty":
      return value === 0;
    case "nonEmpty":
      return value !== 0;
    case "underMinimum":
      return value < minimumOf(goods);
  }
}

/** Returns the quantity of the minimum stock of any kind, zero by default. */
export function minimumOf(goods: Stored): number {
  const { quantity } = minimumStockOf(goods) as Values;
  return typeof quantity === "number" ? quantity : 0;
}

function archivedTest(conditions: readonly Condition[]): (row: StockRow) => boolean {
  const wanted = conditions.length === 0 ? [false] : conditions.map(booleanOf);
  return ({ goods }) => wanted.includes(goods.values.archived === true);
}

function booleanOf({ key, constant }: Condition): boolean {
  if (constant !== "true" && constant !== "false") throw refused(1041, undefined, key, constant);
  return constant === "true";
}

/** Returns the test for a part of the name. `!~` negates it. */
function searchTest(conditions: readonly Condition[]): (row: StockRow) => boolean {
  return ({ goods }) => {
    const name = String(goods.values.name).toLowerCase();
    return conditions.every(({ operator, constant }) => name.includes(constant.toLowerCase()) === (operator !== "!~"));
  };
}

function flagTests(by: (key: string) => readonly Condition[]): ((row: StockRow) => boolean)[] {
  const asked = (key: string) => by(key).some(booleanOf);
  const [reserveOnly, inTransitOnly, soldByWeight] = [asked("reserveOnly"), asked("inTransitOnly"), asked("soldByWeight")];
  return [
    ({ level }) => !reserveOnly || level.reserve !== 0,
    ({ level }) => !inTransitOnly || level.inTransit !== 0,
    ({ goods }) => !soldByWeight || goods.values.weighed === true,
  ];
}

function daysTest([from]: readonly Condition[], [to]: readonly Condition[]): (row: StockRow) => boolean {
  const least = from === undefined ? 0 : wholeOf(from);
  const most = to === undefined ? Number.POSITIVE_INFINITY : wholeOf(to);
  return ({ stockDays }) => stockDays >= least && stockDays <= most;
}

function wholeOf({ key, constant }: Condition): number {
  if (!/^\d+$/.test(constant)) throw refused(1014, undefined, key, constant);
  return Number(constant);
}

function readMoment([condition]: readonly Condition[]): number | undefined {
  if (condition === undefined) return undefined;
  const instant = readDatetime(condition.constant);
  if (instant === undefined) throw refused(1035, undefined, condition.key, condition.constant);
  return instant;
}

function storeTest(conditions: readonly Condition[], reading: Reading): ((id: string) => boolean) | undefined {
  if (conditions.length === 0) return undefined;
  const ids = new Set(conditions.map(({ constant }) => readHref(constant, "store", reading).id));
  const wanted = conditions[0]?.operator === "=";
  return (id) => ids.has(id) === wanted;
}
