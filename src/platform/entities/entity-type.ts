import type { Fields } from "./field.ts";

/** Describes a type of the platform. Most members are used only by the compiler. */
export interface EntityType<
  Name extends string = string,
  F extends Fields = Fields,
  Keys extends Fields = Fields,
  Order extends string = string,
  Lists extends Readonly<Record<string, Fields>> = Readonly<Record<string, Fields>>,
> {
  /** The segment in `entity/{name}`. */
  readonly name: Name;
  /** All fields except `meta` and `id`, which every object has. */
  readonly fields: F;
  /** Keys for filters that are not fields (json-api 6.2). */
  readonly keys: Keys;
  /** Keys to sort by (json-api 6.3). */
  readonly order: readonly Order[];
  /** The nested collections that have their own addresses (json-api 7.3), each with the fields of its elements. */
  readonly lists: Lists;
}

/** Returns the description with its exact types. */
export function entity<
  const Name extends string,
  F extends Fields,
  Keys extends Fields,
  const Order extends string,
  Lists extends Readonly<Record<string, Fields>>,
>(type: EntityType<Name, F, Keys, Order, Lists>): EntityType<Name, F, Keys, Order, Lists> {
  return type;
}
