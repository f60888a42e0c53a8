import { type core, z } from "zod";
import { present } from "./present.ts";

/** The items and bounds of a list, for documentation and examples. */
interface ListSpec {
  item: z.ZodType;
  min: number;
  max: number;
}

/**
 * The items and bounds by schema. They are kept here because a bounded list checks its items itself, so its Zod type
 * does not show them. Zod keeps descriptions in a `WeakMap` too.
 */
const LISTS = new WeakMap<core.$ZodType, ListSpec>();

/**
 * Returns the items and bounds of a list. Undefined for a schema that `boundedList` did not make. When a description is added, Zod copies
 * the schema, so the schema's parent is searched too.
 */
export function listSpecOf(schema: core.$ZodType): ListSpec | undefined {
  return LISTS.get(schema) ?? (schema._zod.parent === undefined ? undefined : listSpecOf(schema._zod.parent));
}

/**
 * Returns the schema of a list of at most `max` items. It stops at the first error. Zod's own array would check the whole list and record
 * each of a hundred thousand errors. That takes seconds and a gigabyte of memory, although only the first error is reported.
 */
export function boundedList<Item extends z.ZodType>(item: Item, { min = 0, max }: { min?: number; max: number }) {
  const list = z.array(z.unknown()).transform((values, context): z.output<Item>[] => {
    const size = { origin: "array", inclusive: true, input: values } as const;
    if (values.length < min) return stopped(context, { ...size, code: "too_small", minimum: min, message: `fewer than ${min} items` });
    if (values.length > max) return stopped(context, { ...size, code: "too_big", maximum: max, message: `more than ${max} items` });
    const items: z.output<Item>[] = [];
    for (const [index, value] of values.entries()) {
      const read = item.safeParse(value);
      if (read.success) {
        items.push(read.data);
        continue;
      }
      const [issue] = read.error.issues;
      const params = issue?.code === "custom" ? issue.params : undefined;
      return stopped(context, {
        code: "custom",
        path: [index, ...(issue?.path ?? [])],
        ...present({ params }),
        ...(issue === undefined ? {} : { message: issue.message }),
        input: value,
      });
    }
    return items;
  });
  LISTS.set(list, { item, min, max });
  return list;
}

function stopped(context: Pick<z.RefinementCtx, "addIssue">, issue: Parameters<z.RefinementCtx["addIssue"]>[0]): never {
  context.addIssue(issue);
  return z.NEVER;
}
