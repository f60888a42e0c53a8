import { withAsked } from "../reading/asked.ts";
import { type Expand, NOTHING_EXPANDED, readExpand } from "../reading/expand.ts";
import { matching } from "../reading/list.ts";
import { MAX_EXPANDED_LIMIT, pageHead, pageRows, readPage } from "../reading/page.ts";
import { available } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";
import { ASSORTMENT } from "../types/goods/assortment.ts";
import type { JsonObject } from "../values/json.ts";
import type { Stored } from "../values/stored.ts";
import { type Levels, levelsOf, readGroupBy } from "./levels.ts";
import { readQuestion } from "./question.ts";

/** The fields that the assortment without stock can expand (json-api 13.10). */
const LIGHT_EXPANDS = ["product", "images", "components"];
/** The types of goods with stock in their rows. Services have no stock. The stock of a bundle is the stock of its components. */
const WITH_STOCK = new Set(["product", "variant"]);

/**
 * Returns one page of everything that can be sold (json-api 13.10). `light`: without stock, and only with the expansions in
 * `LIGHT_EXPANDS`.
 */
export function assortmentPage(path: string, light: boolean, reading: Reading): { head: JsonObject; rows: Iterable<JsonObject> } {
  const { query } = reading.call;
  const page = readPage(path, reading.call);
  const stated = query.has("limit") && page.limit <= MAX_EXPANDED_LIMIT;
  const expand = stated ? expandOf(light, reading) : NOTHING_EXPANDED;
  const question = readQuestion(reading, light);
  const groupBy = readGroupBy(query.get("groupBy"));
  const levels = levelsOf(question, groupBy, reading);
  const found = matching(ASSORTMENT, reading, {
    testOf: (member, rows) => (groupBy === "product" && member === "variant" ? undefined : question.testOf(member, rows, levels)),
    search: question.search ?? query.get("search") ?? "",
  });
  const rows = pageRows(found, page, withAsked(reading, stated), expand);
  const shown = found.slice(page.offset, page.offset + page.limit);
  return { head: pageHead(path, ASSORTMENT.name, found.length, page, reading), rows: light ? rows : withStock(rows, shown, levels) };
}

function expandOf(light: boolean, reading: Reading): Expand {
  const expand = readExpand(reading.call.query, ASSORTMENT, reading.catalogue);
  return light ? Object.fromEntries(Object.entries(expand).filter(([name]) => LIGHT_EXPANDS.includes(name))) : expand;
}

/** Adds stock, reserve, inTransit and quantity, zeros included, to the rows of goods with stock. Changes the given rows. */
function* withStock(rows: Iterable<JsonObject>, shown: readonly Stored[], levels: Levels): Iterable<JsonObject> {
  let place = 0;
  for (const row of rows) {
    const goods = shown[place];
    place += 1;
    if (goods !== undefined && WITH_STOCK.has(goods.type)) {
      const level = levels(goods);
      Object.assign(row, { stock: level.stock, reserve: level.reserve, inTransit: level.inTransit, quantity: available(level) });
    }
    yield row;
  }
}
