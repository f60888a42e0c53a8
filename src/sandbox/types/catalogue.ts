import { DEFINITION } from "./definition.ts";
import { CUSTOMERORDER } from "./documents/customerorder.ts";
import { RETAILDRAWERCASHIN, RETAILDRAWERCASHOUT } from "./documents/drawer.ts";
import { RETAILDEMAND } from "./documents/retaildemand.ts";
import { RETAILSALESRETURN } from "./documents/retailsalesreturn.ts";
import { RETAILSHIFT } from "./documents/retailshift.ts";
import type { EntityType } from "./entity-type.ts";
import { PRODUCT } from "./product.ts";
import { STATE } from "./state.ts";
import { WEBHOOK } from "./webhook.ts";
import { WEBHOOKSTOCK } from "./webhookstock.ts";

/** The types that have addresses, by name. A new type is one line here. */
export type Catalogue = ReadonlyMap<string, EntityType>;

const DOCUMENTS: readonly EntityType[] = [
  RETAILSHIFT,
  RETAILDEMAND,
  RETAILSALESRETURN,
  RETAILDRAWERCASHIN,
  RETAILDRAWERCASHOUT,
  CUSTOMERORDER,
];

export const CATALOGUE: Catalogue = new Map(
  [PRODUCT, DEFINITION, STATE, WEBHOOK, WEBHOOKSTOCK, ...DOCUMENTS].map((type) => [type.name, type]),
);
