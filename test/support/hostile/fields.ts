import type { core, ZodType } from "zod";
import { listSpecOf } from "../../../src/kernel/list-schema.ts";

/** Names of members and places in lists that lead to a field of a body. */
export type FieldPath = readonly (string | number)[];

/** What a schema reads, by kind: single values of any type, and lists. */
export interface Fields {
  values: FieldPath[];
  lists: FieldPath[];
}

/** Every field that a schema names, each once, also those of the first item of a list and of every alternative. */
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
      // A step that only tidies what came in stands before what is read.
      walk(def.in._zod.def.type === "transform" ? def.out : def.in, path, found);
      break;
    case "union":
      for (const option of def.options) walk(option, path, found);
      break;
    case "record":
      // Its names are the caller's: it is filled with as many as fit.
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
