import type { EntityType, Offer } from "./entity-type.ts";

/** The operations of a directory: all except `template` and `trash`. */
export const ALL_WRITES: ReadonlySet<Offer> = new Set<Offer>(["create", "update", "delete", "mass"]);
export const NO_WRITES: ReadonlySet<Offer> = new Set<Offer>();

/** The defaults of a type with only a table. A type's file states only the differences. */
export const BARE = {
  lists: {},
  offers: NO_WRITES,
  attributesOf: undefined,
  states: false,
  metadata: false,
  document: false,
  search: { match: "substring", fields: [] },
  order: [],
} as const satisfies Omit<EntityType, "name" | "fields">;

/** The shared properties of most types of json-api 13. */
export const DIRECTORY = {
  ...BARE,
  offers: ALL_WRITES,
  metadata: true,
  search: { match: "substring", fields: ["name"] },
  order: ["id", "version", "updated", "updatedBy", "name", "description", "code", "externalCode", "archived"],
} as const satisfies Omit<EntityType, "name" | "fields">;
