import { refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";

/** Query parameters that a list understands. */
const KNOWN = new Set(["limit", "offset", "filter", "order", "search", "expand", "fields", "namedfilter", "async", "groupBy"]);

/**
 * Throws 412/1040 for an unknown query parameter in strict mode. Otherwise unknown parameters are ignored, as are unknown
 * fields of a body (D11).
 */
export function checkParameters(query: URLSearchParams, { call }: Reading): void {
  if (call.settings.unknownFields !== "refuse") return;
  for (const name of query.keys()) if (!KNOWN.has(name)) throw refused(1040, undefined, name);
}
