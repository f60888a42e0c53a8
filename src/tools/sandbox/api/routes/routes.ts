import type { AsyncTasks } from "../../async/tasks.ts";
import type { Downloads } from "../../files/downloads.ts";
import { ASSORTMENT_ROUTES } from "./assortment-routes.ts";
import { asyncRoutes, withAsyncReading } from "./async-routes.ts";
import { CHARACTERISTIC_ROUTES } from "./characteristic-routes.ts";
import { CONTEXT_ROUTES } from "./context-routes.ts";
import { CUSTOM_ENTITY_ROUTES } from "./custom-entity-routes.ts";
import { DOCUMENT_ROUTES } from "./document-routes.ts";
import { ELEMENT_ROUTES } from "./element-routes.ts";
import { EMPLOYEE_ROUTES } from "./employee-routes.ts";
import { ENTITY_ROUTES } from "./entity-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { METADATA_ROUTES } from "./metadata-routes.ts";
import { PRICE_TYPE_ROUTES } from "./price-type-routes.ts";
import { REPORT_ROUTES } from "./report-routes.ts";
import type { ApiRoute } from "./route.ts";
import { SETTINGS_ROUTES } from "./settings-routes.ts";
import { SYNC_ID_ROUTES } from "./sync-id-routes.ts";

/** Returns the routes of the JSON API. The first match wins, so special routes come before general routes. */
export function routes({ tasks, downloads }: { tasks: AsyncTasks; downloads: Downloads }): readonly ApiRoute[] {
  const readings = [
    ...CHARACTERISTIC_ROUTES,
    ...ASSORTMENT_ROUTES,
    ...METADATA_ROUTES,
    ...CUSTOM_ENTITY_ROUTES,
    ...fileRoutes(downloads),
    ...DOCUMENT_ROUTES,
    ...REPORT_ROUTES,
    ...CONTEXT_ROUTES,
    ...PRICE_TYPE_ROUTES,
    ...SETTINGS_ROUTES,
    ...SYNC_ID_ROUTES,
    ...EMPLOYEE_ROUTES,
    ...ENTITY_ROUTES,
    ...ELEMENT_ROUTES,
  ];
  return [...asyncRoutes(tasks, downloads), ...withAsyncReading(readings, tasks)];
}
