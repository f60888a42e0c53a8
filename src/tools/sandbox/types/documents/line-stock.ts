import { available, ofGoods, STOCKED_TYPES } from "../../stock/stock.ts";
import type { JsonObject } from "../../values/json.ts";
import { type Element, referenceIn, type Values } from "../../values/stored.ts";
import type { Reading } from "../entity-type.ts";

/**
 * What `fields=stock` adds to a line (reference 6.5): what lies of the goods in the document's warehouse now, and their
 * cost. The names are the platform's, `intransit` in small letters too. Services have no stock.
 */
export function lineStock({ values }: Element, href: string, reading: Reading): { meta: JsonObject; body: JsonObject } {
  const nothing = { meta: {}, body: {} };
  if (reading.stock === undefined) return nothing;
  const goods = reading.account.objects.pointedBy(values.assortment);
  if (goods === undefined || !STOCKED_TYPES.some((type) => type === goods.type)) return nothing;
  const level = reading.stock().levels.get(goods.id)?.get(storeOf(href, reading)) ?? { stock: 0, reserve: 0, inTransit: 0 };
  const price = (ofGoods(goods, "buyPrice", reading.account) as Values | undefined)?.value;
  return {
    meta: {},
    body: {
      stock: {
        cost: typeof price === "number" ? price : 0,
        quantity: level.stock,
        reserve: level.reserve,
        intransit: level.inTransit,
        available: available(level),
      },
    },
  };
}

/** Id of the warehouse of the document that the line's address names; a document without one reserves under "". */
function storeOf(href: string, { account }: Reading): string {
  const [type = "", id = ""] = href.split("/").slice(-4);
  return referenceIn(account.objects.get(type, id)?.values.store)?.id ?? "";
}
