import type { PlatformClient } from "../../platform/client.ts";
import type { Bounds } from "../../platform/query/query.ts";
import { isGoodsType, type ShopName } from "./shop-object.ts";
import type { FoundObject } from "./shop-objects.ts";
import { MAX_GOODS_IN_REQUEST, readGoods, readObject } from "./sources.ts";

/** The objects of one request: a single object by its own address, or several goods of one type. */
type Group = readonly [ShopName, ...ShopName[]];

/**
 * The maximum number of goods that are read one by one because a list lacks them. Further missing goods are assumed to be of another shop
 * and are not read.
 */
const MAX_UNLISTED = 10;

/** Groups the names into as few requests as possible: up to a hundred goods of one type together, every other object alone. */
export function groupsOf(names: readonly ShopName[]): Group[] {
  const groups: [ShopName, ...ShopName[]][] = [];
  /** For each type, the group that still has room. */
  const open = new Map<string, [ShopName, ...ShopName[]]>();
  for (const name of names) {
    const room = isGoodsType(name.type) ? open.get(name.type) : undefined;
    if (room !== undefined && room.length < MAX_GOODS_IN_REQUEST) {
      room.push(name);
      continue;
    }
    const group: [ShopName, ...ShopName[]] = [name];
    groups.push(group);
    open.set(name.type, group);
  }
  return groups;
}

/**
 * Reads the objects of a group. An object that does not exist is returned without content. Unlisted objects beyond `MAX_UNLISTED` are left
 * out. @throws PlatformFailure
 */
export async function readGroup(client: PlatformClient, group: Group, bounds: Bounds): Promise<FoundObject[]> {
  const [first] = group;
  if (group.length === 1 || !isGoodsType(first.type)) return [await readOne(client, first, bounds)];
  const ids = group.map(({ id }) => id);
  const listed = new Map((await readGoods(client, first.type, ids, bounds)).map((object) => [object.id, object]));
  const found = group.flatMap((name): FoundObject[] => (listed.has(name.id) ? [{ ...name, object: listed.get(name.id) }] : []));
  // Lists leave out archived and very new objects. Only the object's own address proves that it does not exist.
  const unlisted = group.filter(({ id }) => !listed.has(id)).slice(0, MAX_UNLISTED);
  return [...found, ...(await Promise.all(unlisted.map((name) => readOne(client, name, bounds))))];
}

async function readOne(client: PlatformClient, name: ShopName, bounds: Bounds): Promise<FoundObject> {
  return { ...name, object: await readObject(client, name, bounds) };
}
