import type { EntityType } from "./entity-type.ts";
import { PRODUCT } from "./product.ts";

/** The types that have addresses, by name. A new type is one line here. */
export type Catalogue = ReadonlyMap<string, EntityType>;

export const CATALOGUE: Catalogue = new Map([PRODUCT].map((type) => [type.name, type]));
