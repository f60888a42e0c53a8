import type { Account } from "../../account/account.ts";
import type { EntityType, Reading } from "../../types/entity-type.ts";
import { elementsIn, referenceIn, type Stored, type Value, type Values } from "../../values/stored.ts";
import { booleanConstant, referenceConstant, uuidConstant } from "./constant.ts";
import { EQUALITY, type Operand, TEXT, type TextsOperand } from "./operand.ts";

/** How many folders inside each other are followed. Nobody nests deeper, and the limit ends a ring of folders. */
const MAX_FOLDERS = 100;

/** Makes the operand; undefined when the type lacks a field that it needs. */
type Maker = (type: EntityType, reading: Reading) => Operand | undefined;

/**
 * Operands that are no field of the table (json-api 6.2). The letter case of their names does not matter, as with references (D40).
 */
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

/** Compares any barcode of the goods, of any kind. */
function barcode(type: EntityType): Operand | undefined {
  if (!has(type, "barcodes")) return undefined;
  const read = ({ values }: Stored) => {
    const barcodes = Array.isArray(values.barcodes) ? (values.barcodes as readonly Values[]) : [];
    return barcodes.flatMap((each) => Object.values(each)).filter((value) => typeof value === "string");
  };
  return { ...BASE, is: "texts", name: "barcode", operators: TEXT, read, readConstant: (text) => text };
}

/** Compares the name of the state. The name may change without a change of the object. */
function stateName(type: EntityType, { account }: Reading): Operand | undefined {
  if (!type.states) return undefined;
  const read = ({ values }: Stored) => {
    const name = account.objects.get("state", referenceIn(values.state)?.id ?? "")?.values.name;
    return typeof name === "string" ? name : undefined;
  };
  return { ...BASE, is: "text", name: "state.name", operators: EQUALITY, kept: false, read, readConstant: (text) => text };
}

/** Compares the goods in a document's lines, or a folder in which the goods lie at any depth. */
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

function goodsAndFolders(value: Value | undefined, account: Account): readonly string[] {
  const ids: string[] = [];
  let reference = referenceIn(value);
  while (reference !== undefined && ids.length < MAX_FOLDERS) {
    ids.push(reference.id);
    reference = referenceIn(account.objects.get(reference.type, reference.id)?.values.productFolder);
  }
  return ids;
}

/** Compares the login of the user who changed the object last. No field holds this key. */
function updatedBy(type: EntityType): Operand | undefined {
  if (!has(type, "updated")) return undefined;
  const read = ({ values }: Stored) => (typeof values.updatedBy === "string" ? values.updatedBy : undefined);
  return { ...BASE, is: "text", name: "updatedBy", operators: EQUALITY, read, readConstant: (text) => text };
}

/** Compares whether a document is in the recycle bin. Such a document has the moment when it was put there. */
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

/** Compares the id of a variant's product. */
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
