import { pathIn } from "../addresses/href.ts";
import { refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";

/**
 * `namedfilter=<href>` applies a filter that somebody has saved in the web application (6.2). It stands alone: 63000.
 * Here nobody saves any, so that every other one is 63001.
 */
export function refuseNamedFilter(query: URLSearchParams, reading: Reading): void {
  const href = query.get("namedfilter");
  if (href === null) return;
  if (["filter", "search", "order"].some((name) => query.has(name))) throw refused(63000);
  pathIn(href, "namedfilter", reading);
  throw refused(63001);
}
