import { Refusal, refused } from "../call/refusal.ts";
import { stockNow } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";

/** The allowed values of `fields` (json-api 6.5). */
const KNOWN = new Set(["stock", "declaration", "minimumStock", "downloadPermanentHref"]);

/**
 * Returns the reading with `asked` from `fields`. Throws 3042 for several values, 3043 for an unknown value. `allowed`: false for a list
 * without a limit of at most 100. Such a list ignores a known value of `fields` silently, as it ignores `expand`.
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
