import type { EntityType, Offer } from "./entity-type.ts";

/** What a type of directory offers: everything but templates and a recycle bin. */
export const ALL_WRITES: ReadonlySet<Offer> = new Set<Offer>(["create", "update", "delete", "mass"]);
export const NO_WRITES: ReadonlySet<Offer> = new Set<Offer>();

/** What most types of chapter 13 have in common; a type's file says only where it differs. */
export const DIRECTORY = {
  lists: {},
  offers: ALL_WRITES,
  attributesOf: undefined,
  states: false,
  metadata: true,
  document: false,
  search: { match: "substring", fields: ["name"] },
  order: ["id", "version", "updated", "updatedBy", "name", "description", "code", "externalCode", "archived"],
} as const satisfies Omit<EntityType, "name" | "fields">;
