import { type core, z } from "zod";
import { present } from "./present.ts";

/** What a bounded list is of, for whoever documents it or makes examples of it. */
interface ListSpec {
  item: z.ZodType;
  min: number;
  max: number;
}

/** Lists check their items by themselves, so that their own type does not tell; as Zod keeps descriptions, by the schema. */
const LISTS = new WeakMap<core.$ZodType, ListSpec>();

/** What the schema is a list of; undefined for what `boundedList` has not made. A schema that was described is a copy. */
export function listSpecOf(schema: core.$ZodType): ListSpec | undefined {
  return LISTS.get(schema) ?? (schema._zod.parent === undefined ? undefined : listSpecOf(schema._zod.parent));
}

/**
 * A list of so many items at most. It ends at the first thing wrong: a list of Zod's own goes on to the end and notes down each of
 * a hundred thousand faults, which takes seconds and a gigabyte, and only the first is ever told.
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
