export interface Reference {
  readonly type: string;
  readonly id: string;
}

/** An element of a nested collection: a line, a component, a bank account. */
export interface Element {
  readonly id: string;
  readonly values: Values;
}

/** A JSON value, so the log can store it. Datetimes are in milliseconds since the epoch, references are `{ type, id }`. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value | undefined };

/** Values by field name. A field without a value is missing. */
export type Values = Readonly<Record<string, Value | undefined>>;

/** A stored object of the account. It is immutable: a change replaces it by a new object. */
export interface Stored {
  readonly type: string;
  readonly id: string;
  readonly values: Values;
}

/** Returns the value if it is a reference. */
export function referenceIn(value: Value | undefined): Reference | undefined {
  if (value === null || typeof value !== "object" || !("type" in value) || !("id" in value)) return undefined;
  const { type, id } = value;
  return typeof type === "string" && typeof id === "string" ? { type, id } : undefined;
}

/** Returns the elements of a nested collection, which is stored inside its object. */
export function elementsIn(value: Value | undefined): readonly Element[] {
  return Array.isArray(value) ? (value as readonly Element[]) : [];
}

/** Returns the references in a value: a single reference or an array. */
export function referencesIn(value: Value | undefined): readonly Reference[] {
  const one = referenceIn(value);
  if (one !== undefined) return [one];
  return Array.isArray(value) ? value.flatMap((each: Value) => referenceIn(each) ?? []) : [];
}

/** Returns the value if it is a nested object. */
export function shapeIn(value: Value | undefined): Values | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : undefined;
}

/** Returns the value if it is an array of nested objects; otherwise an empty array. */
export function shapesIn(value: Value | undefined): readonly Values[] {
  return Array.isArray(value) ? (value as readonly Values[]) : [];
}

/** Returns the stored form of a reference. */
export function referenceTo({ type, id }: Reference): Value {
  return { type, id };
}

/** Removes undefined values: a field without a value is not stored. */
export function withoutEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
