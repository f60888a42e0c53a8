import { refused } from "../call/refusal.ts";
import { type Condition, conditionText, type Operator } from "../reading/filter/conditions.ts";
import {
  booleanConstant,
  datetimeConstant,
  listConstant,
  numberConstant,
  referenceConstant,
  uuidConstant,
} from "../reading/filter/constant.ts";
import type { Operand } from "../reading/filter/operand.ts";
import { productOf } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";
import { referenceIn, type Stored, shapeIn, shapesIn, type Value } from "../values/stored.ts";

/**
 * The keys of the assortment's filter (json-api 13.10): key, kind of value, operators. The assortment without stock refuses `full` keys. A
 * key of the kind `question` concerns the whole list instead of a value of the goods.
 */
const TABLE = `
  id                 uuid              = !=
  group              ref:group         = !=
  productFolder      folder            = !=
  supplier           ref:counterparty  = !=
  name               text              = != ~ ~= =~
  code               text              = != ~ ~= =~
  externalCode       text              = != ~ ~= =~
  description        text              = != ~ ~= =~
  pathName           text              = != ~ ~= =~
  article            text              = != ~ ~= =~  full
  barcode            barcode           =
  owner              ref:employee      = !=          full
  updatedBy          text              = !=          full
  updated            moment            = < <= > >=
  archived           bool              =
  type               type              =
  shared             bool              =             full
  weighed            bool              =             full
  isSerialTrackable  bool              =             full
  alcoholic.type     whole             = !=          full
  stockStore         question          = !=          full
  stockMoment        question          =             full
  stockMode          question          =             full
  quantityMode       question          =             full
  withSubFolders     question          =
  search             question          =             full
`;

export interface AssortmentKey {
  readonly name: string;
  readonly kind: string;
  readonly operators: ReadonlySet<Operator>;
  readonly full: boolean;
}

const KEYS: ReadonlyMap<string, AssortmentKey> = new Map(
  TABLE.trim()
    .split("\n")
    .map((row) => {
      const [name = "", kind = "", ...rest] = row.trim().split(/\s+/);
      const operators = new Set(rest.filter((word) => word !== "full") as Operator[]);
      return [name.toLowerCase(), { name, kind, operators, full: rest.includes("full") }];
    }),
);

/** The values of `type`. `consignment` (a batch) matches nothing: the sandbox has no batches. */
const TYPES = ["product", "service", "bundle", "variant", "consignment"];

/** Fields that a variant inherits from its product by default. `article` is always the product's article (json-api 13.10). */
const OF_PRODUCT = new Set(["group", "supplier", "owner", "shared", "weighed", "isSerialTrackable", "alcoholic.type", "pathName"]);

/**
 * Returns the key of a condition. Undefined: the key is unknown. Throws 1034 for a wrong operator, or for a `full` key in the assortment
 * without stock.
 */
export function keyOf(condition: Condition, light: boolean): AssortmentKey | undefined {
  const key = KEYS.get(condition.key.toLowerCase());
  if (key === undefined) return undefined;
  if (!key.operators.has(condition.operator) || (light && key.full)) throw refused(1034, undefined, conditionText(condition));
  return key;
}

/** Returns the operand for a key in objects of one type. `question.ts` handles folders and keys of the kind `question`. */
export function operandOf({ name, kind }: AssortmentKey, member: string, reading: Reading): Operand {
  const [word = "", type = ""] = kind.split(":");
  const value = valueReader(name, reading);
  const operators = KEYS.get(name.toLowerCase())?.operators ?? new Set<Operator>();
  // A variant can inherit a value of its product. The product can change without the variant, so a variant's value is not cached.
  const base = { name, operators, empties: true, single: false, kept: member !== "variant" };
  switch (word) {
    case "uuid":
      return { ...base, is: "text", read: ({ id }) => id, readConstant: (text) => uuidConstant(text, name) };
    case "ref":
      return {
        ...base,
        is: "text",
        read: (goods) => referenceIn(value(goods))?.id,
        readConstant: (text) => referenceConstant(text, name, [type], reading),
      };
    case "moment":
      return { ...base, is: "number", read: (goods) => numeric(value(goods)), readConstant: (text) => datetimeConstant(text, name) };
    case "whole":
      return {
        ...base,
        is: "number",
        read: (goods) => numeric(value(goods)),
        readConstant: (text) => ({ value: numberConstant(text, name), step: undefined }),
      };
    case "bool":
      return {
        ...base,
        is: "boolean",
        empties: false,
        single: name !== "archived",
        read: (goods) => value(goods) === true,
        readConstant: (text) => booleanConstant(text, name),
      };
    case "type":
      return { ...base, is: "text", empties: false, read: (goods) => goods.type, readConstant: (text) => listConstant(text, name, TYPES) };
    case "barcode":
      return { ...base, is: "texts", read: barcodesOf, readConstant: (text) => text };
    default:
      return { ...base, is: "text", read: (goods) => textOf(value(goods)), readConstant: (text) => text };
  }
}

function valueReader(name: string, { account }: Reading): (goods: Stored) => Value | undefined {
  const own = ({ values }: Stored) => (name === "alcoholic.type" ? shapeIn(values.alcoholic)?.type : values[name]);
  return (goods) => {
    if (goods.type !== "variant") return own(goods);
    const product = OF_PRODUCT.has(name) || name === "article" ? productOf(goods, account) : undefined;
    return (name === "article" ? undefined : own(goods)) ?? (product === undefined ? undefined : own(product));
  };
}

function barcodesOf({ values }: Stored): readonly string[] {
  return shapesIn(values.barcodes)
    .flatMap((each) => Object.values(each))
    .filter((value) => typeof value === "string");
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numeric(value: Value | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
