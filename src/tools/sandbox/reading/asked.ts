import { Refusal, refused } from "../call/refusal.ts";
import { stockNow } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";

/** What `fields` may name (6.5). */
const KNOWN = new Set(["stock", "declaration", "minimumStock", "downloadPermanentHref"]);

/**
 * The reading with what `fields=<one key>` asks for. More than one key is 412/3042, an unknown one 3043. `allowed`: a list
 * gives it only with a stated limit of at most 100, and ignores the wish in silence otherwise, as it does with `expand`.
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
