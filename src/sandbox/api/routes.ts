import { ENTITY_ROUTES } from "./entity-routes.ts";
import { METADATA_ROUTES } from "./metadata-routes.ts";
import type { ApiRoute } from "./route.ts";

/** Every address of the JSON API; the first that fits wins, so the special ones stand first. */
export const ROUTES: readonly ApiRoute[] = [...METADATA_ROUTES, ...ENTITY_ROUTES];
