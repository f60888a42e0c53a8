import type { PlatformClient } from "../../platform/client.ts";
import type { Bounds } from "../../platform/query/query.ts";
import { allOf } from "./all-of.ts";
import { GOODS_TYPES, type GoodsType } from "./shop-object.ts";
import type { FoundObject } from "./shop-objects.ts";
import { MAX_GOODS_IN_REQUEST, readGoods, readObject } from "./sources.ts";

/** The maximum number of requests for goods that no list has. Further goods are assumed to be of another shop and are not read. */
const MAX_UNLISTED_REQUESTS = 10;
const OTHER_TYPES = GOODS_TYPES.filter((type) => type !== "product");

/**
 * Reads goods whose types are not known: the till may leave the type out (platform-contracts 6.3). Most goods are products, so only goods
 * that are no products are requested as goods of the other types. Calls `found` with each answer, because each answer is useful alone.
 * Goods that were not found are passed as products without content. @throws PlatformFailure
 */
export async function readUntypedGoods(
  client: PlatformClient,
  ids: readonly string[],
  bounds: Bounds,
  found: (objects: readonly FoundObject[]) => void,
): Promise<void> {
  const left = new Set(ids);
  const take = (objects: readonly FoundObject[]) => {
    for (const { id } of objects) left.delete(id);
    if (objects.length > 0) found(objects);
  };
  const list = async (type: GoodsType) => {
    const wanted = [...left];
    for (let from = 0; from < wanted.length; from += MAX_GOODS_IN_REQUEST) {
      const listed = await readGoods(client, type, wanted.slice(from, from + MAX_GOODS_IN_REQUEST), bounds);
      take(listed.filter(({ id }) => left.has(id)).map((object) => ({ type, id: object.id, object })));
    }
  };
  await list("product");
  if (left.size > 0) await allOf(OTHER_TYPES.map(list));
  // Lists leave out archived and very new objects. Only the object's own address proves that it does not exist. If the addresses of all
  // types would be too many requests, the goods are requested as products only.
  const types: readonly GoodsType[] = left.size * GOODS_TYPES.length <= MAX_UNLISTED_REQUESTS ? GOODS_TYPES : ["product"];
  const unlisted = [...left].slice(0, MAX_UNLISTED_REQUESTS);
  await allOf(unlisted.map(async (id) => take([await readAsAny(client, types, id, bounds)])));
}

async function readAsAny(client: PlatformClient, types: readonly GoodsType[], id: string, bounds: Bounds): Promise<FoundObject> {
  const objects = await Promise.all(types.map((type) => readObject(client, { type, id }, bounds)));
  const object = objects.find((each) => each !== undefined);
  return { type: object?.type ?? "product", id, object };
}
