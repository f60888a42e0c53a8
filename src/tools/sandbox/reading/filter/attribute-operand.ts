import { referenceOf } from "../../addresses/address.ts";
import { pathIn } from "../../addresses/href.ts";
import { CUSTOM_TYPE, DEFINITION_TYPE_NAME, POINTING_TYPES } from "../../types/custom/definition.ts";
import type { EntityType, Reading } from "../../types/entity-type.ts";
import { isUuid } from "../../values/ids.ts";
import { referenceIn, type Stored, type Value, type Values } from "../../values/stored.ts";
import { booleanConstant, datetimeConstant, numberConstant, referenceConstant } from "./constant.ts";
import { EQUALITY, type Operand, ORDER, TEXT } from "./operand.ts";

/**
 * Returns the operand for an additional field by its full href (json-api 6.2). Undefined: the key is no href of a field of the type, or the
 * field is a file. Throws 1059 for a foreign host.
 */
export function attributeOperand(key: string, type: EntityType, reading: Reading): Operand | undefined {
  if (!/^https?:\/\//.test(key)) return undefined;
  const path = pathIn(key, "filter", reading);
  const reference = path === undefined ? undefined : referenceOf(path);
  if (reference?.type !== DEFINITION_TYPE_NAME || !isUuid(reference.id)) return undefined;
  const definition = reading.account.objects.get(DEFINITION_TYPE_NAME, reference.id.toLowerCase());
  return definition !== undefined && carries(type, definition, reading) ? ofType(definition, key, reading) : undefined;
}

/** Whether objects of the type have the field. A list of several types uses the fields of each. */
function carries({ attributesOf, gathers = [] }: EntityType, { values }: Stored, { catalogue }: Reading): boolean {
  const owners = [attributesOf, ...gathers.map((name) => catalogue.get(name)?.attributesOf)];
  return owners.some((owner) => owner !== undefined && owner === values.of);
}

function ofType({ id, values }: Stored, key: string, reading: Reading): Operand | undefined {
  const base = { name: `attribute ${id}`, empties: true, single: false, kept: true };
  const type = String(values.type);
  switch (type) {
    case "string":
    case "text":
    case "link":
      return { ...base, is: "text", operators: TEXT, read: (stored) => textOf(valueIn(stored, id)), readConstant: (text) => text };
    case "long":
    case "double":
      return {
        ...base,
        is: "number",
        operators: ORDER,
        read: (stored) => numberOf(valueIn(stored, id)),
        readConstant: (text) => ({ value: numberConstant(text, key), step: undefined }),
      };
    case "time":
      return {
        ...base,
        is: "number",
        operators: ORDER,
        read: (stored) => numberOf(valueIn(stored, id)),
        readConstant: (text) => datetimeConstant(text, key),
      };
    case "boolean":
      return {
        ...base,
        is: "boolean",
        operators: EQUALITY,
        empties: false,
        single: true,
        read: (stored) => valueIn(stored, id) === true,
        readConstant: (text) => booleanConstant(text, key),
      };
    default:
      // References and elements of custom directories can be compared, files cannot.
      return POINTING_TYPES.includes(type) || type === CUSTOM_TYPE
        ? {
            ...base,
            is: "text",
            operators: EQUALITY,
            read: (stored) => referenceIn(valueIn(stored, id))?.id,
            readConstant: (text) => referenceConstant(text, key, [type], reading),
          }
        : undefined;
  }
}

function valueIn({ values }: Stored, id: string): Value | undefined {
  const held = values.attributes;
  return held === undefined || held === null ? undefined : (held as Values)[id];
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: Value | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
