import type { EntityType, Reading } from "../../types/entity-type.ts";
import type { Field, FilterClass } from "../../types/field.ts";
import { referenceIn, type Stored, type Value } from "../../values/stored.ts";
import type { Operator } from "./conditions.ts";
import { booleanConstant, datetimeConstant, listConstant, numberConstant, referenceConstant, uuidConstant } from "./constant.ts";
import { EQUALITY, type Operand, ORDER, TEXT } from "./operand.ts";

const BY_CLASS: Readonly<Record<FilterClass, ReadonlySet<Operator> | undefined>> = {
  none: undefined,
  attributes: undefined,
  equality: EQUALITY,
  order: ORDER,
  text: TEXT,
};

/** Fields that allow two conditions. By default lists hide archived and deleted objects; both values together show all objects. */
const BOTH_VALUES = new Set(["archived", "isDeleted"]);

/**
 * Returns the operand for a field in the type's table. Undefined: filters do not support the field. Names of references may have any
 * letter case, names of other fields may not (json-api D40).
 */
export function fieldOperand(key: string, type: EntityType, reading: Reading): Operand | undefined {
  const field = type.fields.find(({ name, kind }) => name === key || (kind.is === "reference" && name.toLowerCase() === key.toLowerCase()));
  const operators = field === undefined ? undefined : BY_CLASS[field.filter];
  if (field === undefined || operators === undefined) return undefined;
  // json-api D9: the field is documented, but the live service refuses it. So a setting decides.
  if (field.name === "syncId" && !reading.call.settings.filterBySyncId) return undefined;
  return ofKind(field, operators, reading);
}

function ofKind({ name, kind }: Field, operators: ReadonlySet<Operator>, reading: Reading): Operand | undefined {
  const base = { name, operators, empties: true, single: false, kept: true };
  switch (kind.is) {
    case "int":
    case "long":
    case "number":
      return {
        ...base,
        is: "number",
        read: (stored) => numberIn(stored, name),
        readConstant: (text) => ({ value: numberConstant(text, name), step: undefined }),
      };
    case "datetime":
      return { ...base, is: "number", read: (stored) => numberIn(stored, name), readConstant: (text) => datetimeConstant(text, name) };
    case "boolean":
      return {
        ...base,
        is: "boolean",
        empties: false,
        single: !BOTH_VALUES.has(name),
        read: (stored) => stored.values[name] === true,
        readConstant: (text) => booleanConstant(text, name),
      };
    case "reference":
      if (operators === TEXT) return namedReference(name, kind.types, reading);
      return {
        ...base,
        is: "text",
        read: (stored) => referenceIn(stored.values[name])?.id,
        readConstant: (text) => referenceConstant(text, name, kind.types, reading),
      };
    case "uuid":
      return { ...base, is: "text", read: uuidOf(name, reading), readConstant: (text) => uuidConstant(text, name) };
    case "enumeration":
      return {
        ...base,
        is: "text",
        read: (stored) => textIn(stored, name),
        readConstant: (text) => (kind.open ? text : listConstant(text, name, kind.values)),
      };
    case "text":
      return { ...base, is: "text", read: (stored) => textIn(stored, name), readConstant: (text) => text };
    case "texts":
      return { ...base, is: "texts", read: ({ values }) => textsIn(values[name]), readConstant: (text) => text };
    default:
      // Filters do not support other kinds (objects, lists, images).
      return undefined;
  }
}

/**
 * Returns the operand for a reference that the table marks as text (a buyer's price type). A condition states the name or the whole href of
 * the object.
 */
function namedReference(name: string, types: readonly string[], reading: Reading): Operand {
  const { objects } = reading.account;
  return {
    is: "texts",
    name,
    operators: TEXT,
    empties: true,
    single: false,
    kept: false,
    read: ({ values }) => {
      const reference = referenceIn(values[name]);
      if (reference === undefined) return [];
      const target = objects.get(reference.type, reference.id)?.values.name;
      return typeof target === "string" ? [reference.id, target] : [reference.id];
    },
    readConstant: (text) => (/^https?:\/\//.test(text) ? referenceConstant(text, name, types, reading) : text),
  };
}

/** Returns a reader for an id. The values of an object contain neither its own id nor the account's id. */
function uuidOf(name: string, { account }: Reading): (stored: Stored) => string | undefined {
  if (name === "id") return ({ id }) => id;
  if (name === "accountId") return () => account.id;
  return (stored) => textIn(stored, name);
}

function textsIn(value: Value | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

function textIn(stored: Stored, name: string): string | undefined {
  const value = stored.values[name];
  return typeof value === "string" ? value : undefined;
}

function numberIn(stored: Stored, name: string): number | undefined {
  const value = stored.values[name];
  return typeof value === "number" ? value : undefined;
}
