import type { PlatformClient } from "../../platform/client.ts";
import type { Bounds } from "../../platform/query/query.ts";
import { isGoodsType, type ShopName } from "./shop-object.ts";
import type { FoundObject } from "./shop-objects.ts";
import { MAX_ASKED_AT_ONCE, readGoods, readObject } from "./sources.ts";

/** What one request asks for: an object by its own address, or several goods of one type. */
type Group = readonly [ShopName, ...ShopName[]];

/** Of what a list does not show: more of it is none of a shop's goods. */
const MAX_UNLISTED = 10;

/** As few requests as there can be: goods by a hundred of a type, everything else by itself. */
export function groupsOf(names: readonly ShopName[]): Group[] {
  const groups: [ShopName, ...ShopName[]][] = [];
  /** By type, the group that has room. */
  const open = new Map<string, [ShopName, ...ShopName[]]>();
  for (const name of names) {
    const room = isGoodsType(name.type) ? open.get(name.type) : undefined;
    if (room !== undefined && room.length < MAX_ASKED_AT_ONCE) {
      room.push(name);
      continue;
    }
    const group: [ShopName, ...ShopName[]] = [name];
    groups.push(group);
    open.set(name.type, group);
  }
  return groups;
}

/** What of a group was found, or found not to be; nothing of what is too much to be asked for one by one. @throws PlatformFailure */
export async function readGroup(client: PlatformClient, group: Group, bounds: Bounds): Promise<FoundObject[]> {
  const [first] = group;
  if (group.length === 1 || !isGoodsType(first.type)) return [await readOne(client, first, bounds)];
  const ids = group.map(({ id }) => id);
  const listed = new Map((await readGoods(client, first.type, ids, bounds)).map((object) => [object.id, object]));
  const found = group.flatMap((name): FoundObject[] => (listed.has(name.id) ? [{ ...name, object: listed.get(name.id) }] : []));
  // Lists pass over what is archived, and over what was made a moment ago: only its own address says that there is none.
  const unlisted = group.filter(({ id }) => !listed.has(id)).slice(0, MAX_UNLISTED);
  return [...found, ...(await Promise.all(unlisted.map((name) => readOne(client, name, bounds))))];
}

async function readOne(client: PlatformClient, name: ShopName, bounds: Bounds): Promise<FoundObject> {
  return { ...name, object: await readObject(client, name, bounds) };
}
