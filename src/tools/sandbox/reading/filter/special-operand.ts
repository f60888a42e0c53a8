import type { Account } from "../../account/account.ts";
import { ofGoods } from "../../stock/stock.ts";
import type { EntityType, Reading } from "../../types/entity-type.ts";
import { elementsIn, referenceIn, type Stored, type Value, type Values } from "../../values/stored.ts";
import { booleanConstant, referenceConstant, uuidConstant } from "./constant.ts";
import { EQUALITY, type Operand, TEXT, type TextsOperand } from "./operand.ts";

/** The maximum number of nested folders to follow. Nobody nests deeper. The limit also stops the search if folders form a cycle. */
const MAX_FOLDERS = 100;

/** Undefined: the type lacks the compared field. */
type Maker = (type: EntityType, reading: Reading) => Operand | undefined;

/** Operands without a field in the table (json-api 6.2). Like references, their names ignore letter case (json-api D40). */
const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ["barcode", barcode],
  ["state.name", stateName],
  ["assortment", assortment],
  ["updatedby", updatedBy],
  ["isdeleted", isDeleted],
  ["accounts.accountnumber", accountNumber],
  ["productid", productId],
]);

export function specialOperand(key: string, type: EntityType, reading: Reading): Operand | undefined {
  return MAKERS.get(key.toLowerCase())?.(type, reading);
}

const BASE = { empties: true, single: false, kept: true } as const;

/** Compares any barcode of the goods. */
function barcode(type: EntityType): Operand | undefined {
  if (!has(type, "barcodes")) return undefined;
  const read = ({ values }: Stored) => {
    const barcodes = Array.isArray(values.barcodes) ? (values.barcodes as readonly Values[]) : [];
    return barcodes.flatMap((each) => Object.values(each)).filter((value) => typeof value === "string");
  };
  return { ...BASE, is: "texts", name: "barcode", operators: TEXT, read, readConstant: (text) => text };
}

/** Compares the state's name, which can change independently of the object. */
function stateName(type: EntityType, { account }: Reading): Operand | undefined {
  if (!type.states) return undefined;
  const read = ({ values }: Stored) => {
    const name = account.objects.get("state", referenceIn(values.state)?.id ?? "")?.values.name;
    return typeof name === "string" ? name : undefined;
  };
  return { ...BASE, is: "text", name: "state.name", operators: EQUALITY, kept: false, read, readConstant: (text) => text };
}

/** Compares the goods in a document's lines, or any folder above the goods. */
function assortment(type: EntityType, reading: Reading): Operand | undefined {
  const field = type.lists.positions?.fields.find(({ name }) => name === "assortment");
  if (field?.kind.is !== "reference") return undefined;
  const types = [...field.kind.types, "productfolder"];
  const operand: TextsOperand = {
    ...BASE,
    is: "texts",
    name: "assortment",
    operators: EQUALITY,
    empties: false,
    kept: false,
    read: ({ values }) => elementsIn(values.positions).flatMap((line) => goodsAndFolders(line.values.assortment, reading.account)),
    readConstant: (text) => referenceConstant(text, "assortment", types, reading),
  };
  return operand;
}

/** Returns the ids of the goods and of the folders above. A variant uses its product's folder. */
function goodsAndFolders(value: Value | undefined, account: Account): readonly string[] {
  const goods = account.objects.pointedBy(value);
  if (goods === undefined) return [];
  const ids = [goods.id];
  let folder = account.objects.pointedBy(ofGoods(goods, "productFolder", account));
  while (folder !== undefined && ids.length < MAX_FOLDERS) {
    ids.push(folder.id);
    folder = account.objects.pointedBy(folder.values.productFolder);
  }
  return ids;
}

/** Compares the login that made the last change. Answers do not show this login. */
function updatedBy(type: EntityType): Operand | undefined {
  if (!has(type, "updated")) return undefined;
  const read = ({ values }: Stored) => (typeof values.updatedBy === "string" ? values.updatedBy : undefined);
  return { ...BASE, is: "text", name: "updatedBy", operators: EQUALITY, read, readConstant: (text) => text };
}

/** Compares whether a document is in the recycle bin. `deleted` is the moment of the deletion. */
function isDeleted(type: EntityType): Operand | undefined {
  if (!type.document) return undefined;
  return {
    ...BASE,
    is: "boolean",
    name: "isDeleted",
    operators: EQUALITY,
    empties: false,
    read: ({ values }) => typeof values.deleted === "number",
    readConstant: (text) => booleanConstant(text, "isDeleted"),
  };
}

function accountNumber(type: EntityType): Operand | undefined {
  if (type.lists.accounts === undefined) return undefined;
  const read = ({ values }: Stored) =>
    elementsIn(values.accounts).flatMap(({ values: { accountNumber: number } }) => (typeof number === "string" ? [number] : []));
  return { ...BASE, is: "texts", name: "accounts.accountNumber", operators: TEXT, read, readConstant: (text) => text };
}

function productId(type: EntityType): Operand | undefined {
  const field = type.fields.find(({ name }) => name === "product");
  if (field?.kind.is !== "reference") return undefined;
  return {
    ...BASE,
    is: "text",
    name: "productid",
    operators: EQUALITY,
    empties: false,
    read: ({ values }) => referenceIn(values.product)?.id,
    readConstant: (text) => uuidConstant(text, "productid"),
  };
}

function has(type: EntityType, field: string): boolean {
  return type.fields.some(({ name }) => name === field);
}
