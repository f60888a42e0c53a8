import type { RequisiteOf, RequisiteValue, Tag } from "./tags.ts";

/** One requisite. */
export function requisite<T extends Tag>(tag: T, value: RequisiteValue<T>): RequisiteOf<T> {
  return { tag, value };
}

/** The requisite where there is a value, else none. */
export function optional<T extends Tag>(tag: T, value: RequisiteValue<T> | undefined): RequisiteOf<T>[] {
  return value === undefined ? [] : [{ tag, value }];
}
