import { DEFINITION } from "./definition.ts";
import type { EntityType } from "./entity-type.ts";
import { PRODUCT } from "./product.ts";
import { STATE } from "./state.ts";

/** The types that have addresses, by name. A new type is one line here. */
export type Catalogue = ReadonlyMap<string, EntityType>;

export const CATALOGUE: Catalogue = new Map([PRODUCT, DEFINITION, STATE].map((type) => [type.name, type]));
