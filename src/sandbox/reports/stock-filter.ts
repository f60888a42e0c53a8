import { referenceIn, type Stored } from "../account/stored.ts";
import { refused } from "../call/refusal.ts";
import { readDatetime } from "../reading/datetime.ts";
import { type Condition, readConditions } from "../reading/filter/conditions.ts";
import type { Reading } from "../reading/reading.ts";
import { readHref } from "../writing/read-reference.ts";
import { available, type StockLevel } from "./stock.ts";

/** One line of the report before it is written: goods and their level over the warehouses asked for. */
export interface StockRow {
  readonly goods: Stored;
  readonly level: StockLevel;
  /** Whole days since the goods last moved. */
  readonly stockDays: number;
}

/** What the report was asked for (14.1). */
export interface StockQuestion {
  readonly momentMs: number | undefined;
  /** Warehouses that count; undefined: all. */
  readonly stores: ((id: string) => boolean) | undefined;
  readonly accepts: (row: StockRow) => boolean;
}

const MODES = ["all", "positiveOnly", "negativeOnly", "empty", "nonEmpty", "underMinimum"] as const;
type Mode = (typeof MODES)[number];

const FLAGS = ["archived", "withSubFolders", "reserveOnly", "inTransitOnly", "soldByWeight"];
const REFERENCES = ["store", "product", "variant", "consignment", "supplier", "productFolder"];

/**
 * Reads `filter`, `stockMode` and `moment` (D36): without a parameter rows of zero stock are hidden, a plain `stockMode=all`
 * shows every row, and inside of `filter` the public rules hold, so that `quantityMode` stays nonEmpty.
 */
export function readStockQuestion(reading: Reading): StockQuestion {
  const { query } = reading.call;
  const conditions = readConditions(query.get("filter") ?? "");
  const by = (key: string) => conditions.filter((condition) => condition.key === key);
  for (const { key } of conditions) if (!KNOWN.has(key)) throw refused(1034, undefined, `неизвестное поле '${key}'`);
  refuseMixed(conditions.filter(({ key }) => REFERENCES.includes(key)));
  const modes = readModes(query.get("stockMode"), by("stockMode"), by("quantityMode"));
  const tests = [
    ({ level }: StockRow) => fits(modes.stock, level.stock, 0) && fits(modes.quantity, available(level), 0),
    archivedTest(by("archived")),
    searchTest(by("search")),
    ...goodsTests(conditions, reading),
    ...flagTests(by),
    daysTest(by("stockDaysFrom"), by("stockDaysTo")),
  ];
  return {
    momentMs: readMoment(by("moment")),
    stores: storeTest(by("store"), reading),
    accepts: (row) => tests.every((test) => test(row)),
  };
}

const KNOWN = new Set([...FLAGS, ...REFERENCES, "moment", "stockMode", "quantityMode", "stockDaysFrom", "stockDaysTo", "search"]);

/** All reference keys of one request use the same operator. */
function refuseMixed(conditions: readonly Condition[]): void {
  const operators = new Set(conditions.map(({ operator }) => operator));
  if (operators.size > 1) throw refused(1034, undefined, "условия на объекты используют разные операторы");
  const [operator] = operators;
  if (operator !== undefined && operator !== "=" && operator !== "!=") throw refused(1034, undefined, `недопустимый оператор ${operator}`);
}

function readModes(plain: string | null, stock: readonly Condition[], quantity: readonly Condition[]): { stock: Mode; quantity: Mode } {
  if (stock.length === 0 && quantity.length === 0) return { stock: plainMode(plain), quantity: "all" };
  return { stock: modeOf(stock) ?? "all", quantity: modeOf(quantity) ?? "nonEmpty" };
}

/** A query parameter takes the same words as the condition; another one is 1091. */
function plainMode(plain: string | null): Mode {
  const mode = MODES.find((each) => each === (plain ?? "nonEmpty"));
  if (mode === undefined) throw refused(1091, "stockMode");
  return mode;
}

function modeOf([condition]: readonly Condition[]): Mode | undefined {
  if (condition === undefined) return undefined;
  const mode = MODES.find((each) => each === condition.constant);
  if (mode === undefined) throw refused(1041, undefined, condition.key, condition.constant);
  return mode;
}

function fits(mode: Mode, value: number, minimum: number): boolean {
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
      return value < minimum;
  }
}

function archivedTest(conditions: readonly Condition[]): (row: StockRow) => boolean {
  const wanted = conditions.length === 0 ? [false] : conditions.map(booleanOf);
  return ({ goods }) => wanted.includes(goods.values.archived === true);
}

function booleanOf({ key, constant }: Condition): boolean {
  if (constant !== "true" && constant !== "false") throw refused(1041, undefined, key, constant);
  return constant === "true";
}

/** Substring of the name; `!~` turns it round. */
function searchTest(conditions: readonly Condition[]): (row: StockRow) => boolean {
  return ({ goods }) => {
    const name = String(goods.values.name).toLowerCase();
    return conditions.every(({ operator, constant }) => name.includes(constant.toLowerCase()) === (operator !== "!~"));
  };
}

function goodsTests(conditions: readonly Condition[], reading: Reading): ((row: StockRow) => boolean)[] {
  const wanted = conditions
    .filter(({ key }) => key === "product" || key === "variant")
    .map((condition) => ({ condition, id: readHref(condition.constant, condition.key, reading).id }));
  const ids = new Set(wanted.map(({ id }) => id));
  const excluded = wanted[0]?.condition.operator === "!=";
  const byField = conditions
    .filter(({ key }) => key === "supplier" || key === "productFolder")
    .map((condition) => fieldTest(condition, reading));
  return [({ goods }) => ids.size === 0 || (ids.has(goods.id) || ids.has(productOf(goods))) !== excluded, ...byField];
}

/** A variant belongs to its product. */
function productOf(goods: Stored): string {
  return referenceIn(goods.values.product)?.id ?? "";
}

function fieldTest({ key, operator, constant }: Condition, reading: Reading): (row: StockRow) => boolean {
  const { id } = readHref(constant, key, reading);
  return ({ goods }) => (referenceIn(goods.values[key])?.id === id) === (operator === "=");
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
