import type { RequisiteOf, RequisiteValue, Tag } from "./tags.ts";

export function requisite<T extends Tag>(tag: T, value: RequisiteValue<T>): RequisiteOf<T> {
  return { tag, value };
}

/** Returns the requisite when there is a value, otherwise an empty list. */
export function optional<T extends Tag>(tag: T, value: RequisiteValue<T> | undefined): RequisiteOf<T>[] {
  return value === undefined ? [] : [{ tag, value }];
}
