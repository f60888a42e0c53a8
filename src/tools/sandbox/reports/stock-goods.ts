import { pathIn, readHref } from "../addresses/href.ts";
import { refused } from "../call/refusal.ts";
import { attributeOperand } from "../reading/filter/attribute-operand.ts";
import { type Condition, conditionText } from "../reading/filter/conditions.ts";
import { type Operand, TEXT } from "../reading/filter/operand.ts";
import { operandTest, type PlaceTest } from "../reading/filter/predicate.ts";
import { ofGoods, productOf } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";
import { CHARACTERISTIC } from "../types/goods/characteristics.ts";
import { PRODUCT } from "../types/goods/product.ts";
import { isUuid } from "../values/ids.ts";
import { referenceIn, type Stored, type Values } from "../values/stored.ts";

/** Keys of the report's filter that take hrefs with `=` or `!=`. */
export const REFERENCE_KEYS: readonly string[] = ["store", "product", "variant", "consignment", "supplier"];

/** The maximum number of nested folders to follow. The limit also stops the search if folders form a cycle. */
const MAX_FOLDERS = 100;
const CHARACTERISTIC_PATH = /^entity\/variant\/metadata\/characteristics\/([^/]+)$/;

/** Returns a test of the array's elements by their index. */
export type GoodsTest = (goods: readonly Stored[]) => PlaceTest;

/**
 * Returns the tests for goods in the stock report's filter (json-api 14.1): ids, supplier, folder, additional fields, characteristics.
 * `product`, `variant` and `consignment` form one list of hrefs, `supplier` another. `=` selects goods in the list, `!=` goods outside it.
 * `related`: the href of a product also means the product's variants.
 */
export function goodsTests(conditions: readonly Condition[], related: boolean, reading: Reading): readonly GoodsTest[] {
  const by = (...keys: readonly string[]) => conditions.filter(({ key }) => keys.includes(key));
  const one = (test: ((goods: Stored) => boolean) | undefined): GoodsTest[] =>
    test === undefined ? [] : [(goods) => (place) => goods[place] !== undefined && test(goods[place])];
  return [
    ...one(namedTest(by("product", "variant", "consignment"), related, reading)),
    ...one(supplierTest(by("supplier"), reading)),
    ...one(folderTest(by("productFolder"), by("withSubFolders"), reading)),
    ...valueTests(conditions, reading),
  ];
}

/** Returns the test for given goods. The sandbox has no batches, so a batch matches nothing. */
function namedTest(conditions: readonly Condition[], related: boolean, reading: Reading): ((goods: Stored) => boolean) | undefined {
  const [first] = conditions;
  if (first === undefined) return undefined;
  const ids = idsIn(conditions, reading);
  const named = (goods: Stored) => ids.has(goods.id) || (related && ids.has(productOf(goods, reading.account)?.id ?? ""));
  return (goods) => named(goods) === (first.operator === "=");
}

function supplierTest(conditions: readonly Condition[], reading: Reading): ((goods: Stored) => boolean) | undefined {
  const [first] = conditions;
  if (first === undefined) return undefined;
  const ids = idsIn(conditions, reading);
  return (goods) => ids.has(referenceIn(ofGoods(goods, "supplier", reading.account))?.id ?? "") === (first.operator === "=");
}

/** Returns the test for goods in the folder. Goods in the folders below it also match, except with `withSubFolders=false`. */
function folderTest(
  conditions: readonly Condition[],
  [deep]: readonly Condition[],
  reading: Reading,
): ((goods: Stored) => boolean) | undefined {
  const nested = deep === undefined || isOn(deep);
  if (conditions.length === 0) return undefined;
  const ids = idsIn(conditions, reading);
  const { account } = reading;
  return (goods) => {
    let folder = referenceIn(ofGoods(goods, "productFolder", account));
    for (let depth = 0; folder !== undefined && depth < MAX_FOLDERS; depth += 1) {
      if (ids.has(folder.id)) return true;
      if (!nested) return false;
      folder = referenceIn(account.objects.get(folder.type, folder.id)?.values.productFolder);
    }
    return false;
  };
}

function isOn({ key, constant }: Condition): boolean {
  if (constant !== "true" && constant !== "false") throw refused(1041, undefined, key, constant);
  return constant === "true";
}

function idsIn(conditions: readonly Condition[], reading: Reading): ReadonlySet<string> {
  return new Set(conditions.map(({ key, constant }) => readHref(constant, key, reading).id));
}

/**
 * Returns the tests for additional fields and characteristics. A variant uses its product's additional fields. Only variants have
 * characteristics.
 */
function valueTests(conditions: readonly Condition[], reading: Reading): readonly GoodsTest[] {
  const groups = new Map<string, { operand: Operand; conditions: Condition[] }>();
  for (const condition of conditions) {
    if (!/^https?:\/\//.test(condition.key)) continue;
    const operand = characteristicOperand(condition.key, reading) ?? attributeOperand(condition.key, PRODUCT, reading);
    if (operand === undefined) throw refused(1034, undefined, conditionText(condition));
    const group = groups.get(operand.name) ?? { operand, conditions: [] };
    group.conditions.push(condition);
    groups.set(operand.name, group);
  }
  const { account } = reading;
  return [...groups.values()].map(({ operand, conditions: own }): GoodsTest => {
    const carrier = (goods: Stored) => (operand.name.startsWith("attribute") ? (productOf(goods, account) ?? goods) : goods);
    return (goods) => {
      const stored = goods.map(carrier);
      return operandTest(operand, own, { stored, column: (_, read) => stored.map(read) });
    };
  });
}

function characteristicOperand(key: string, reading: Reading): Operand | undefined {
  const [, id = ""] = CHARACTERISTIC_PATH.exec(pathIn(key, "filter", reading) ?? "") ?? [];
  const known = isUuid(id) ? reading.account.objects.get(CHARACTERISTIC, id.toLowerCase()) : undefined;
  if (known === undefined) return undefined;
  const read = ({ values }: Stored) => {
    const all = Array.isArray(values.characteristics) ? (values.characteristics as readonly Values[]) : [];
    const value = all.find((each) => each.id === known.id)?.value;
    return typeof value === "string" ? value : undefined;
  };
  return {
    is: "text",
    name: `characteristic ${known.id}`,
    operators: TEXT,
    empties: true,
    single: false,
    kept: true,
    read,
    readConstant: (text) => text,
  };
}
