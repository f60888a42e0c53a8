import type { JsonObject } from "../../values/json.ts";
import type { Catalogue, EntityType } from "../entity-type.ts";

/** Keys of the user and the plan beside those of types; the first is the administrator's alone. */
const ADMINISTRATOR = "admin";
const OF_USER = ["api", "customAttributes", "dashboard", "stock"];

/** What a user may do (13.12): everything with every type, since the sandbox knows no narrower rights. */
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
