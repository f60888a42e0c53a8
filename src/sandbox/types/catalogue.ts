import { DEFINITION } from "./definition.ts";
import type { EntityType } from "./entity-type.ts";
import { PRODUCT } from "./product.ts";
import { STATE } from "./state.ts";
import { WEBHOOK } from "./webhook.ts";
import { WEBHOOKSTOCK } from "./webhookstock.ts";

/** The types that have addresses, by name. A new type is one line here. */
export type Catalogue = ReadonlyMap<string, EntityType>;

export const CATALOGUE: Catalogue = new Map([PRODUCT, DEFINITION, STATE, WEBHOOK, WEBHOOKSTOCK].map((type) => [type.name, type]));
