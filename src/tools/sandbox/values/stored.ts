/** A pointer at an object of the account. */
export interface Reference {
  readonly type: string;
  readonly id: string;
}

/** An element of a nested collection: a line, a component, a bank account. */
export interface Element {
  readonly id: string;
  readonly values: Values;
}

/** JSON, so that a record of the log holds it as it is: datetimes are milliseconds, references `{ type, id }`. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value | undefined };

/** Values by the name of their field; what has no value is not there. */
export type Values = Readonly<Record<string, Value | undefined>>;

/** An object of the account as it is kept. Never changed: a new one takes its place. */
export interface Stored {
  readonly type: string;
  readonly id: string;
  readonly values: Values;
}

/** The value as a reference, if it is one. */
export function referenceIn(value: Value | undefined): Reference | undefined {
  if (value === null || typeof value !== "object" || !("type" in value) || !("id" in value)) return undefined;
  const { type, id } = value;
  return typeof type === "string" && typeof id === "string" ? { type, id } : undefined;
}

/** The elements of a nested collection that is kept inside of its object. */
export function elementsIn(value: Value | undefined): readonly Element[] {
  return Array.isArray(value) ? (value as readonly Element[]) : [];
}

/** The references of a value: an array of them, or one. */
export function referencesIn(value: Value | undefined): readonly Reference[] {
  const one = referenceIn(value);
  if (one !== undefined) return [one];
  return Array.isArray(value) ? value.flatMap((each: Value) => referenceIn(each) ?? []) : [];
}

/** A nested object of a shape; undefined for what is none. */
export function shapeIn(value: Value | undefined): Values | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : undefined;
}

/** An array of such objects; empty for what is none. */
export function shapesIn(value: Value | undefined): readonly Values[] {
  return Array.isArray(value) ? (value as readonly Values[]) : [];
}

/** A reference as it is kept. */
export function referenceTo({ type, id }: Reference): Value {
  return { type, id };
}

/** The values without those that have none: what has no value is not kept. */
export function withoutEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
