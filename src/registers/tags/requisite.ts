import type { RequisiteOf, RequisiteValue, Tag } from "./tags.ts";

export function requisite<T extends Tag>(tag: T, value: RequisiteValue<T>): RequisiteOf<T> {
  return { tag, value };
}

/** Returns a list with the requisite. Empty: there is no value. */
export function optional<T extends Tag>(tag: T, value: RequisiteValue<T> | undefined): RequisiteOf<T>[] {
  return value === undefined ? [] : [{ tag, value }];
}
