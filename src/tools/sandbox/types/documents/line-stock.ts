import { available, ofGoods, STOCKED_TYPES } from "../../stock/stock.ts";
import type { JsonObject } from "../../values/json.ts";
import { type Element, referenceIn, type Values } from "../../values/stored.ts";
import type { Reading } from "../entity-type.ts";

/**
 * Returns what `fields=stock` adds to a line (json-api 6.5): the current stock of the goods in the document's warehouse, and their cost.
 * `intransit` is in lower case on the platform. Lines of services and bundles get nothing.
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

/** Returns the warehouse id of the line's document. Stock without a warehouse has the id "". */
function storeOf(href: string, { account }: Reading): string {
  const [type = "", id = ""] = href.split("/").slice(-4);
  return referenceIn(account.objects.get(type, id)?.values.store)?.id ?? "";
}
