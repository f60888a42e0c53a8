import type { AttributeInput, AttributeValue, Moment, Nested, Ref, RefInput } from "./meta.ts";

/**
 * The columns of the tables in json-api 12 and 13. `required`: must be given on creation. `readOnly`: never written. `once`: written on
 * creation only. `always`: must be given in every change too. `kept`: null does not clear the field. `expand`: can be expanded. E, C, T, A:
 * the operators by which lists can be filtered: equality, comparison, parts of a text, conditions on additional fields.
 */
type Flag = "required" | "always" | "readOnly" | "once" | "kept" | "expand" | "E" | "C" | "T" | "A";

/** A row of a type's table. Only its TypeScript type describes the value. */
interface Field<Read, Write, F extends Flag> {
  readonly flags: readonly F[];
  /** For types only: no field has these members. */
  readonly read?: Read;
  readonly write?: Write;
}

type AnyField = Field<unknown, unknown, Flag>;
export type Fields = Readonly<Record<string, AnyField>>;

/** Makes rows of one kind. The flags are the row's columns. */
export function kind<Read, Write = Read>() {
  return <const F extends readonly Flag[]>(...flags: F): Field<Read, Write, F[number]> => ({ flags });
}

export const text = kind<string>();
export const uuid = kind<string>();
export const number = kind<number>();
export const bool = kind<boolean>();
export const moment = kind<Moment>();
export const texts = kind<readonly string[]>();
export const attributes = kind<readonly AttributeValue[], readonly AttributeInput[]>();

/** One of several known values. Any other value is accepted too, because the platform may add values. */
export function choice<Value extends string>() {
  return kind<Value | (string & {}), Value | (string & {})>();
}

/** A reference to an object of one of the types. Write it as the object that was read, or as `{ meta: { href, type } }`. */
export function ref<const Types extends readonly string[]>(..._types: Types) {
  return kind<Ref<Types[number]>, RefInput<Types[number]>>();
}

/** A nested collection of elements that exist only in their object, such as lines. Write it as an array of new elements. */
export function list<F extends Fields>(_element: F) {
  return kind<Nested<F>, readonly CreateOf<F>[]>();
}

/** A nested collection of objects. Write it as an array of references. */
export function refs<const Type extends string>(_type: Type) {
  return kind<Nested<Ref<Type>>, readonly RefInput<Type>[]>();
}

export type FlagsOf<F> = F extends Field<unknown, unknown, infer Flags> ? Flags : never;
export type ReadValue<F> = F extends Field<infer Read, unknown, Flag> ? Read : never;
type WriteValue<F> = F extends Field<unknown, infer Write, Flag> ? Write : never;

/** Names of the fields that have the flag. */
export type With<F extends Fields, Wanted extends Flag> = {
  [Name in keyof F]: Wanted extends FlagsOf<F[Name]> ? Name : never;
}[keyof F];

/** Null clears a field that is neither `required` nor `kept` (json-api 5.5). */
type Written<F> = WriteValue<F> | ("required" extends FlagsOf<F> ? never : "kept" extends FlagsOf<F> ? never : null);

/** A body that creates an object: required fields must be present, read-only fields must not. */
export type CreateOf<F extends Fields> = { readonly [Name in With<F, "required">]: WriteValue<F[Name]> } & {
  readonly [Name in Exclude<keyof F, With<F, "required"> | With<F, "readOnly">>]?: Written<F[Name]>;
};

/** A body that changes an object. Fields that are not named keep their value (json-api 7.1). */
export type UpdateOf<F extends Fields> = { readonly [Name in With<F, "always">]: WriteValue<F[Name]> } & {
  readonly [Name in Exclude<keyof F, With<F, "readOnly"> | With<F, "once"> | With<F, "always">>]?: Written<F[Name]>;
};
