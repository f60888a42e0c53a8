import type { Reference, Value, Values } from "../../account/stored.ts";

/** A nested object of a shape; undefined for what is none. */
export function shapeIn(value: Value | undefined): Values | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : undefined;
}

/** An array of such objects; empty for what is none. */
export function shapesIn(value: Value | undefined): readonly Values[] {
  return Array.isArray(value) ? (value as readonly Values[]) : [];
}

/** A reference as it is kept. */
export function pointing({ type, id }: Reference): Value {
  return { type, id };
}

/** The values without those that have none: what has no value is not kept. */
export function withoutEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
