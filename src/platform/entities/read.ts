import type { Catalogue } from "./catalogue.ts";
import type { Fields, FlagsOf, ReadValue } from "./field.ts";
import type { Meta, Nested, Ref } from "./meta.ts";

/**
 * An object that was read. `meta` and `id` are always present. A field without a value is absent or null; both mean the same (json-api
 * 5.3). `Paths`: the expanded paths.
 */
export type Read<F extends Fields, Paths extends string = never> = { readonly meta: Meta; readonly id: string } & {
  readonly [Name in keyof F]?: (Name extends Head<Paths> ? Expanded<ReadValue<F[Name]>, Tail<Paths, Name>> : ReadValue<F[Name]>) | null;
};

/** A collection with at most 100 rows. Its address returns the further rows (json-api 5.2). */
interface Rows<Element, Row> extends Nested<Element> {
  readonly rows: readonly Row[];
}

type Head<Path extends string> = Path extends `${infer First}.${string}` ? First : Path;
type Tail<Path extends string, Name> = Name extends string ? (Path extends `${Name}.${infer Rest}` ? Rest : never) : never;

type Expanded<Value, Rest extends string> =
  Value extends Nested<infer Element>
    ? Element extends Ref<infer Type>
      ? Rows<Element, Whole<Type, Rest>>
      : Element extends Fields
        ? Rows<Element, Read<Element, Rest>>
        : never
    : Value extends Ref<infer Type>
      ? Whole<Type, Rest>
      : Value extends readonly (infer Each)[]
        ? readonly Expanded<Each, Rest>[]
        : Value;

/** The whole object. A type outside the catalogue has more fields than are described. */
type Whole<Type extends string, Rest extends string> = Type extends keyof Catalogue
  ? Read<Catalogue[Type]["fields"], Rest>
  : Ref<Type> & { readonly id: string; readonly name?: string };

/**
 * The path if it can be expanded, otherwise `never`. The type's table must mark each step, and three steps are the maximum (json-api 6.5).
 */
export type Path<F extends Fields, P extends string, Depth extends readonly unknown[] = []> = Depth["length"] extends 3
  ? never
  : P extends `${infer First}.${infer Rest}`
    ? First extends keyof F
      ? "expand" extends FlagsOf<F[First]>
        ? [PathInAny<FieldsBelow<ReadValue<F[First]>>, Rest, [...Depth, unknown]>] extends [never]
          ? never
          : P
        : never
      : never
    : P extends keyof F
      ? "expand" extends FlagsOf<F[P]>
        ? P
        : never
      : never;

/** A reference may lead to several types (goods of each kind). At least one of these types must have the step. */
type PathInAny<F, P extends string, Depth extends readonly unknown[]> = F extends Fields ? Path<F, P, Depth> : never;

type FieldsBelow<Value> =
  Value extends Nested<infer Element>
    ? Element extends Ref<infer Type>
      ? FieldsOfType<Type>
      : Element extends Fields
        ? Element
        : never
    : Value extends Ref<infer Type>
      ? FieldsOfType<Type>
      : Value extends readonly (infer Each)[]
        ? FieldsBelow<Each>
        : never;

type FieldsOfType<Type extends string> = Type extends keyof Catalogue ? Catalogue[Type]["fields"] : Fields;
