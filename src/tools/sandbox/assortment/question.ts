import type { Rows } from "../account/rows.ts";
import { refused } from "../call/refusal.ts";
import { attributeOperand } from "../reading/filter/attribute-operand.ts";
import { type Condition, conditionText, readConditions } from "../reading/filter/conditions.ts";
import { booleanConstant, datetimeConstant, referenceConstant } from "../reading/filter/constant.ts";
import { EQUALITY, type Operand, type TextsOperand } from "../reading/filter/operand.ts";
import { all, operandTest, type PlaceTest } from "../reading/filter/predicate.ts";
import { fits, modeOf, type StockMode } from "../reports/stock-filter.ts";
import { available, ofGoods, STOCKED_TYPES, type StockLevel } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";
import { ASSORTMENT } from "../types/goods/assortment.ts";
import { referenceIn, type Stored } from "../values/stored.ts";
import { type AssortmentKey, keyOf, operandOf } from "./keys.ts";
import type { Levels, StockScope } from "./levels.ts";

/** The maximum number of nested folders to follow. The limit also stops the search if folders form a cycle. */
const MAX_FOLDERS = 100;

/** The filter of an assortment list (json-api 13.10). */
interface AssortmentQuestion extends StockScope {
  readonly search: string | undefined;
  /** Returns the test for the goods of one type (`member`). Undefined: the filter excludes the whole type. */
  testOf(member: string, rows: Rows, levels: Levels): PlaceTest | undefined;
}

interface Sorted {
  readonly goods: readonly { key: AssortmentKey; conditions: Condition[] }[];
  readonly attributes: readonly { operand: Operand; conditions: Condition[] }[];
  questions(name: string): readonly Condition[];
}

/** Reads the filter. `light`: the assortment without stock, where the filter has fewer keys. Throws a `Refusal`. */
export function readQuestion(reading: Reading, light: boolean): AssortmentQuestion {
  const sorted = sort(readConditions(reading.call.query.get("filter") ?? ""), light, reading);
  const modes = { stock: modeOf(sorted.questions("stockMode")) ?? "all", quantity: modeOf(sorted.questions("quantityMode")) ?? "all" };
  const folders = folderOperand(sorted, reading);
  const [search, again] = sorted.questions("search");
  if (again !== undefined) throw refused(1030, undefined, "search");
  return {
    stores: storeTest(sorted.questions("stockStore"), reading),
    momentMs: momentOf(sorted.questions("stockMoment")),
    search: search?.constant,
    testOf(member, rows, levels) {
      if (!isStocked(member) && asksOfStockedGoods(sorted, modes)) return undefined;
      const tests = sorted.goods.map(({ key, conditions }) =>
        operandTest(key.kind === "folder" ? folders : operandOf(key, member, reading), conditions, rows),
      );
      tests.push(...sorted.attributes.map(({ operand, conditions }) => operandTest(operand, conditions, rows)));
      if (modes.stock !== "all" || modes.quantity !== "all") tests.push(modeTest(modes, rows, levels));
      return all(tests);
    },
  };
}

function isStocked(member: string): boolean {
  return STOCKED_TYPES.some((type) => type === member);
}

/** Whether the filter excludes services and bundles (json-api 13.10). */
function asksOfStockedGoods({ goods }: Sorted, modes: Readonly<Record<"stock" | "quantity", StockMode>>): boolean {
  const named = goods.some(({ key }) => key.name === "alcoholic.type" || key.name === "weighed");
  return named || modes.stock !== "all" || modes.quantity !== "all";
}

function sort(conditions: readonly Condition[], light: boolean, reading: Reading): Sorted {
  const goods = new Map<string, { key: AssortmentKey; conditions: Condition[] }>();
  const attributes = new Map<string, { operand: Operand; conditions: Condition[] }>();
  const questions = new Map<string, Condition[]>();
  for (const condition of conditions) {
    const key = keyOf(condition, light);
    const operand = key === undefined ? attributeOperand(condition.key, ASSORTMENT, reading) : undefined;
    if (operand !== undefined) put(attributes, operand.name, { operand }, condition);
    else if (key === undefined) throw refused(1034, undefined, conditionText(condition));
    else if (key.kind === "question") questions.set(key.name, [...(questions.get(key.name) ?? []), condition]);
    else put(goods, key.name, { key }, inclusive(condition, key));
  }
  if (!goods.has("archived")) {
    const hidden: Condition = { key: "archived", operator: "=", constant: "false" };
    const key = keyOf(hidden, light);
    if (key !== undefined) put(goods, key.name, { key }, hidden);
  }
  return { goods: [...goods.values()], attributes: [...attributes.values()], questions: (name) => questions.get(name) ?? [] };
}

function put<T>(groups: Map<string, T & { conditions: Condition[] }>, name: string, part: T, condition: Condition): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, { ...part, conditions: [condition] });
  else group.conditions.push(condition);
}

/**
 * Changes `<` to `<=` and `>` to `>=` in a condition on a moment, because the assortment includes the bounds (json-api 13.10). Returns
 * other conditions unchanged.
 */
function inclusive(condition: Condition, { kind }: AssortmentKey): Condition {
  if (kind !== "moment" || (condition.operator !== "<" && condition.operator !== ">")) return condition;
  return { ...condition, operator: `${condition.operator}=` };
}

/** Compares the folder of the goods. The folders above it also match, except with `withSubFolders=false`. */
function folderOperand(sorted: Sorted, reading: Reading): TextsOperand {
  const stated = sorted.questions("withSubFolders");
  const [first, again] = stated;
  if (first !== undefined && !sorted.goods.some(({ key }) => key.kind === "folder")) throw refused(1034, undefined, conditionText(first));
  if (again !== undefined) throw refused(1030, undefined, first?.key ?? "");
  const deep = first === undefined || booleanConstant(first.constant, "withSubFolders");
  const { account } = reading;
  return {
    is: "texts",
    name: "productFolder",
    operators: EQUALITY,
    empties: true,
    single: false,
    kept: false,
    read(goods) {
      const ids: string[] = [];
      let folder = referenceIn(ofGoods(goods, "productFolder", account));
      while (folder !== undefined && ids.length < (deep ? MAX_FOLDERS : 1)) {
        ids.push(folder.id);
        folder = referenceIn(account.objects.get(folder.type, folder.id)?.values.productFolder);
      }
      return ids;
    },
    readConstant: (text) => referenceConstant(text, "productFolder", ["productfolder"], reading),
  };
}

function storeTest(conditions: readonly Condition[], reading: Reading): ((id: string) => boolean) | undefined {
  if (conditions.length === 0) return undefined;
  const idsOf = (operator: string) =>
    new Set(
      conditions
        .filter((condition) => condition.operator === operator)
        .map(({ constant }) => referenceConstant(constant, "stockStore", ["store"], reading)),
    );
  const [counted, left] = [idsOf("="), idsOf("!=")];
  return (id) => (counted.size === 0 || counted.has(id)) && !left.has(id);
}

function momentOf([condition, again]: readonly Condition[]): number | undefined {
  if (condition === undefined) return undefined;
  if (again !== undefined) throw refused(1030, undefined, condition.key);
  return datetimeConstant(condition.constant, condition.key).value;
}

function modeTest(modes: Readonly<Record<"stock" | "quantity", StockMode>>, rows: Rows, levels: Levels): PlaceTest {
  const shown = (goods: Stored, level: StockLevel) =>
    fits(modes.stock, level.stock, goods) && fits(modes.quantity, available(level), goods);
  return (place) => {
    const goods = rows.stored[place];
    return goods !== undefined && shown(goods, levels(goods));
  };
}
