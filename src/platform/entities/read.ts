import type { Catalogue } from "./catalogue.ts";
import type { Fields, FlagsOf, ReadValue } from "./field.ts";
import type { Meta, Nested, Ref } from "./meta.ts";

/**
 * An object as it is read. Only `meta` and `id` are always there: the platform leaves out what has no value, and writes
 * null here and there, which means the same (5.3). `Paths` are the expanded ones.
 */
export type Read<F extends Fields, Paths extends string = never> = { readonly meta: Meta; readonly id: string } & {
  readonly [Name in keyof F]?: (Name extends Head<Paths> ? Expanded<ReadValue<F[Name]>, Tail<Paths, Name>> : ReadValue<F[Name]>) | null;
};

/** The collection with its rows: at most 100, the rest is at its own address (5.2). */
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

/** The object in full; of a type that is not in the catalogue more is there than is said. */
type Whole<Type extends string, Rest extends string> = Type extends keyof Catalogue
  ? Read<Catalogue[Type]["fields"], Rest>
  : Ref<Type> & { readonly id: string; readonly name?: string };

/**
 * The path when it can be expanded, else `never`: every step is marked in the type's table, and there are at most three (6.5).
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

/** A reference may lead to several types (goods of each kind): the step has to exist in one of them. */
type PathInAny<F, P extends string, Depth extends readonly unknown[]> = F extends Fields ? Path<F, P, Depth> : never;

/** The tables of whatever the value leads to. */
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
