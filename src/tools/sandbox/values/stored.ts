/** A reference to an object of the account. */
export interface Reference {
  readonly type: string;
  readonly id: string;
}

/** An element of a nested collection: a line, a component, a bank account. */
export interface Element {
  readonly id: string;
  readonly values: Values;
}

/** A JSON value, so that the log can store it. Datetimes are milliseconds, references `{ type, id }`. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value | undefined };

/** Values by the name of their field. A field without a value is missing. */
export type Values = Readonly<Record<string, Value | undefined>>;

/** A stored object of the account. It is never changed: a new object replaces it. */
export interface Stored {
  readonly type: string;
  readonly id: string;
  readonly values: Values;
}

/** Returns the value as a reference. Undefined: the value is no reference. */
export function referenceIn(value: Value | undefined): Reference | undefined {
  if (value === null || typeof value !== "object" || !("type" in value) || !("id" in value)) return undefined;
  const { type, id } = value;
  return typeof type === "string" && typeof id === "string" ? { type, id } : undefined;
}

/** Returns the elements of a nested collection, which is stored inside its object. */
export function elementsIn(value: Value | undefined): readonly Element[] {
  return Array.isArray(value) ? (value as readonly Element[]) : [];
}

/** Returns the references in a value, which is one reference or an array of them. */
export function referencesIn(value: Value | undefined): readonly Reference[] {
  const one = referenceIn(value);
  if (one !== undefined) return [one];
  return Array.isArray(value) ? value.flatMap((each: Value) => referenceIn(each) ?? []) : [];
}

/** Returns the value as a nested object. Undefined: the value is no object. */
export function shapeIn(value: Value | undefined): Values | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : undefined;
}

/** Returns the value as an array of nested objects. The array is empty when the value is no array. */
export function shapesIn(value: Value | undefined): readonly Values[] {
  return Array.isArray(value) ? (value as readonly Values[]) : [];
}

/** Returns a reference in its stored form. */
export function referenceTo({ type, id }: Reference): Value {
  return { type, id };
}

/** Returns the values without undefined ones, because a field without a value is not stored. */
export function withoutEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
