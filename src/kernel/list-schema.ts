import { type core, z } from "zod";
import { present } from "./present.ts";

interface ListSpec {
  item: z.ZodType;
  min: number;
  max: number;
}

/** The item schema and bounds of each list, by the list's schema. A bounded list checks its items itself, so Zod does not know them. */
const LISTS = new WeakMap<core.$ZodType, ListSpec>();

/**
 * Returns the item schema and bounds of a list. Undefined for a schema that `boundedList` did not make. Zod copies a schema when a
 * description is added, so the search includes the schema's parents.
 */
export function listSpecOf(schema: core.$ZodType): ListSpec | undefined {
  return LISTS.get(schema) ?? (schema._zod.parent === undefined ? undefined : listSpecOf(schema._zod.parent));
}

/**
 * Returns the schema of a list of `min` to `max` items. The check stops at the first error, because only the first error is reported. Zod's
 * own array would record each of a hundred thousand errors, which takes seconds and a gigabyte of memory.
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

/**
 * Returns the schema of an object with at most `max` members, whose names fit `name`. The members are counted before Zod checks them.
 * Without the count, Zod would check all members and record every error, which takes a third of a second for a hundred thousand members.
 */
export function boundedRecord<Member extends z.ZodType>(member: Member, { max, name = z.string() }: { max: number; name?: z.ZodString }) {
  return z
    .unknown()
    .refine((value) => typeof value !== "object" || value === null || Object.keys(value).length <= max, {
      message: `more than ${max} members`,
      abort: true,
    })
    .pipe(z.record(name, member));
}

function stopped(context: Pick<z.RefinementCtx, "addIssue">, issue: Parameters<z.RefinementCtx["addIssue"]>[0]): never {
  context.addIssue(issue);
  return z.NEVER;
}
