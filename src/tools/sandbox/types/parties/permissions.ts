import type { JsonObject } from "../../values/json.ts";
import type { Catalogue, EntityType } from "../entity-type.ts";

/** Permission keys without a type. Every user has `OF_USER`. A user with administrator rights also has `admin`. */
const ADMINISTRATOR = "admin";
const OF_USER = ["api", "customAttributes", "dashboard", "stock"];

/**
 * Returns the permissions of a user (json-api 13.12). Every user has all rights to every type, because the sandbox has no narrower rights.
 */
export function permissionsOf(catalogue: Catalogue, administrator: boolean): JsonObject {
  const types = [...catalogue.values()].filter(({ inner, gathers }) => inner !== true && gathers === undefined);
  const beside = administrator ? [ADMINISTRATOR, ...OF_USER] : OF_USER;
  return {
    ...Object.fromEntries(types.map((type) => [type.name, rightsTo(type)])),
    ...Object.fromEntries(beside.map((key) => [key, { view: "ALL" }])),
  };
}

function rightsTo({ document }: EntityType): JsonObject {
  return { view: "ALL", create: "ALL", update: "ALL", delete: "ALL", print: "ALL", ...(document ? { approve: "ALL" } : {}) };
}
