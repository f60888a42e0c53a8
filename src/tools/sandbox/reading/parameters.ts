import { refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";

const KNOWN = new Set(["limit", "offset", "filter", "order", "search", "expand", "fields", "namedfilter", "async", "groupBy"]);

/**
 * Throws 1040 for an unknown query parameter, if `unknownFields` is `refuse`. By default unknown parameters are ignored, like unknown body
 * fields (json-api D11).
 */
export function checkParameters(query: URLSearchParams, { call }: Reading): void {
  if (call.settings.unknownFields !== "refuse") return;
  for (const name of query.keys()) if (!KNOWN.has(name)) throw refused(1040, undefined, name);
}
