import type { core, ZodType } from "zod";
import { listSpecOf } from "../../../src/kernel/list-schema.ts";

/** The names of members and the indices of lists that lead to a field of a body. */
export type FieldPath = readonly (string | number)[];

/** The fields that a schema reads: single values of any type, and lists. */
export interface Fields {
  values: FieldPath[];
  lists: FieldPath[];
}

/** Every field of a schema, each once, including those of the first item of a list and of every alternative. */
export function fieldsOf(schema: ZodType): Fields {
  const found = { values: new Map<string, FieldPath>(), lists: new Map<string, FieldPath>() };
  walk(schema, [], found);
  return { values: [...found.values.values()], lists: [...found.lists.values()] };
}

interface Found {
  values: Map<string, FieldPath>;
  lists: Map<string, FieldPath>;
}

function walk(schema: core.$ZodType, path: FieldPath, found: Found): void {
  const list = listSpecOf(schema);
  if (list !== undefined) {
    found.lists.set(path.join("."), path);
    walk(list.item, [...path, 0], found);
    return;
  }
  const { def } = schema._zod as core.$ZodTypes["_zod"];
  switch (def.type) {
    case "object":
      for (const [name, member] of Object.entries(def.shape)) walk(member, [...path, name], found);
      break;
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "catch":
    case "readonly":
    case "nonoptional":
      walk(def.innerType, path, found);
      break;
    case "pipe":
      // A first step that only tidies the input is skipped.
      walk(def.in._zod.def.type === "transform" ? def.out : def.in, path, found);
      break;
    case "union":
      for (const option of def.options) walk(option, path, found);
      break;
    case "record":
      // The caller chooses the names of a record, so it is filled with as many members as fit.
      found.lists.set(path.join("."), path);
      break;
    case "array":
    case "tuple":
    case "map":
    case "set":
    case "lazy":
      throw new Error(`${path.join(".")}: a ${def.type} notes down each of its faults; a list is a boundedList`);
    default:
      found.values.set(path.join("."), path);
  }
}
