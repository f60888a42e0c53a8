import { pathIn } from "../addresses/href.ts";
import { refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";

/**
 * Refuses `namedfilter=<href>`, a filter saved in the web application (json-api 6.2). Throws 63000 if the query also has `filter`, `search`
 * or `order`. Throws 1059 for a foreign host. Otherwise throws 63001, because the sandbox has no saved filters.
 */
export function refuseNamedFilter(query: URLSearchParams, reading: Reading): void {
  const href = query.get("namedfilter");
  if (href === null) return;
  if (["filter", "search", "order"].some((name) => query.has(name))) throw refused(63000);
  pathIn(href, "namedfilter", reading);
  throw refused(63001);
}
