import { Refusal, refused } from "../call/refusal.ts";
import { stockNow } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";

/** Names that `fields` may contain (json-api 6.5). */
const KNOWN = new Set(["stock", "declaration", "minimumStock", "downloadPermanentHref"]);

/**
 * Returns the reading with the key of `fields=<key>`. Throws 3042 for more than one key, 3043 for an unknown key. `allowed` is
 * false for a list without a stated limit of at most 100. Such a list ignores `fields` silently, as it ignores `expand`.
 */
export function withAsked(reading: Reading, allowed: boolean): Reading {
  const all = reading.call.query.getAll("fields").filter((text) => text !== "");
  const [asked] = all;
  if (asked === undefined) return reading;
  if (all.length > 1 || asked.includes(",")) throw refused(3042, "fields");
  if (!KNOWN.has(asked)) throw new Refusal({ code: 3043, parameter: "fields", details: [asked] });
  if (!allowed) return reading;
  return asked === "stock" ? { ...reading, asked, stock: () => stockNow(reading.account) } : { ...reading, asked };
}
