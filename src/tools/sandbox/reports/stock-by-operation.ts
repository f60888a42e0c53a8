import { refused } from "../call/refusal.ts";
import { metaOf } from "../reading/render.ts";
import { stockNow } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";
import { isUuid } from "../values/ids.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { elementsIn, referenceIn, type Stored } from "../values/stored.ts";

/** Answers `report/stock/byoperation?operation.id=…`: the stock for the lines of a document (json-api 14.2). */
export function stockByOperation(reading: Reading): JsonObject {
  const document = documentOf(reading);
  const store = referenceIn(document.values.store)?.id ?? "";
  const { levels } = stockNow(reading.account);
  const positions = elementsIn(document.values.positions).map(({ values }): Json => {
    const goods = referenceIn(values.assortment);
    const level = goods === undefined ? undefined : levels.get(goods.id)?.get(store);
    return {
      ...(goods === undefined ? {} : { meta: metaOf(goods, reading) }),
      stock: level?.stock ?? 0,
      reserve: level?.reserve ?? 0,
      inTransit: level?.inTransit ?? 0,
    };
  });
  return { rows: [{ meta: metaOf(document, reading), positions }] };
}

function documentOf({ account, call, catalogue }: Reading): Stored {
  const id = call.query.get("operation.id");
  if (id === null) throw refused(13000);
  if (!isUuid(id)) throw refused(13001);
  for (const type of catalogue.values()) {
    const document = type.document ? account.objects.get(type.name, id.toLowerCase()) : undefined;
    if (document !== undefined) return document;
  }
  throw refused(13002);
}
