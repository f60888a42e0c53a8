import type { EntityType, Offer } from "./entity-type.ts";

/** What a type of directory offers: everything but templates and a recycle bin. */
export const ALL_WRITES: ReadonlySet<Offer> = new Set<Offer>(["create", "update", "delete", "mass"]);
export const NO_WRITES: ReadonlySet<Offer> = new Set<Offer>();

/** A type with a table and nothing else; the file of a type says only where it differs. */
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

/** What most types of chapter 13 have in common. */
export const DIRECTORY = {
  ...BARE,
  offers: ALL_WRITES,
  metadata: true,
  search: { match: "substring", fields: ["name"] },
  order: ["id", "version", "updated", "updatedBy", "name", "description", "code", "externalCode", "archived"],
} as const satisfies Omit<EntityType, "name" | "fields">;
