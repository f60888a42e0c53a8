import { jsonIn, wordIn } from "../../store/columns.ts";
import type { Store } from "../../store/database.ts";
import type { InstallationKey } from "../installation.ts";
import { SHOP_TYPES, type ShopName, type ShopObject, type ShopType } from "./shop-object.ts";
import {
  deleteShopObject,
  deleteShopObjectsBefore,
  markShopObjectsStale,
  type ShopObjectRow,
  selectShopObjects,
  selectShopObjectsOfTypes,
  upsertShopObjects,
} from "./shop-object-queries.ts";
import { shopObjectSchema } from "./stored-schema.ts";

export interface KeptObject extends ShopName {
  /** Absent: the platform answered that the object does not exist. */
  object?: ShopObject;
  /** True when the object may have changed since it was read. */
  stale: boolean;
  readAtMs: number;
}

export interface FoundObject extends ShopName {
  /** Undefined: the platform has no object with this id. */
  object: ShopObject | undefined;
}

/** The maximum number of remembered marks. A mark matters only while a request is running, and far fewer marks come in that time. */
const MAX_MARKS = 10_000;
/**
 * A mark may be newer than a reading by at most this time. A mark that is still newer was made before the clock was set back, and is
 * ignored.
 */
const LATEST_MARK_MS = 3_600_000;

/** The platform's data about points of sale, people and goods, stored so that a sale need not wait for the platform. */
export class ShopObjects {
  readonly #store: Store;
  /** When each object was last marked as changed. The answer to an earlier request must not clear the mark. */
  readonly #markedAt = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  async find(key: InstallationKey, names: readonly ShopName[]): Promise<KeptObject[]> {
    if (names.length === 0) return [];
    return (await this.#store.read((db) => selectShopObjects(db, key, names))).map(keptOf);
  }

  async list(key: InstallationKey, types: readonly ShopType[]): Promise<KeptObject[]> {
    return (await this.#store.read((db) => selectShopObjectsOfTypes(db, key, types))).map(keptOf);
  }

  /** Stores the objects in one commit. `readAtMs`: when the reading began. */
  async keep(key: InstallationKey, read: readonly FoundObject[], readAtMs: number): Promise<void> {
    if (read.length === 0) return;
    // One statement may write each row only once, so only the last of several objects with one id is written.
    const rows = new Map(read.map((each) => [`${each.type} ${each.id}`, this.#rowOf(key, each, readAtMs)]));
    await this.#store.commit((tx) => upsertShopObjects(tx, [...rows.values()], readAtMs));
  }

  /** Marks objects as changed at `atMs`, so that they are read again. A type without an id stands for all objects of the type. */
  async mark(key: InstallationKey, of: readonly { type: ShopType; id?: string }[], atMs: number): Promise<void> {
    if (of.length === 0) return;
    for (const each of of) this.#remember(markOf(key, each), atMs);
    await this.#store.commit(async (tx) => {
      for (const each of of) await markShopObjectsStale(tx, key, each);
    });
  }

  async remove(key: InstallationKey, names: readonly ShopName[]): Promise<void> {
    if (names.length === 0) return;
    await this.#store.commit(async (tx) => {
      for (const name of names) await deleteShopObject(tx, key, name);
    });
  }

  /** Deletes the objects of a type that a reading of the whole type did not find. */
  async removeUnread(key: InstallationKey, type: ShopType, readBeforeMs: number): Promise<void> {
    await this.#store.commit((tx) => deleteShopObjectsBefore(tx, key, { type, readBeforeMs }));
  }

  /** Remembers the mark as the newest. Forgets the oldest marks above `MAX_MARKS`. */
  #remember(mark: string, atMs: number): void {
    this.#markedAt.delete(mark);
    this.#markedAt.set(mark, atMs);
    for (const oldest of this.#markedAt.keys()) {
      if (this.#markedAt.size <= MAX_MARKS) break;
      this.#markedAt.delete(oldest);
    }
  }

  #rowOf(key: InstallationKey, { type, id, object }: FoundObject, readAtMs: number): ShopObjectRow {
    const marks = [markOf(key, { type }), markOf(key, { type, id })].map((mark) => this.#markedAt.get(mark) ?? 0);
    const isStale = marks.some((atMs) => readAtMs < atMs && atMs <= readAtMs + LATEST_MARK_MS);
    const body = JSON.stringify(object ?? null);
    return {
      app_id: key.appId,
      account_id: key.accountId,
      type,
      object_id: id,
      body,
      stale: isStale ? 1 : 0,
      read_at_ms: readAtMs,
    };
  }
}

function markOf({ appId, accountId }: InstallationKey, { type, id = "" }: { type: ShopType; id?: string }): string {
  return `${appId}/${accountId}/${type}/${id}`;
}

/** Throws `shop-object-unreadable` for a broken column. */
function keptOf(row: ShopObjectRow): KeptObject {
  const place = {
    failure: "shop-object-unreadable",
    table: "shop_objects",
    row: `${row.account_id}/${row.type}/${row.object_id}`,
  } as const;
  const object: ShopObject | null = jsonIn(place, "body", row.body, shopObjectSchema);
  const kept = { type: wordIn(place, "type", row.type, SHOP_TYPES), id: row.object_id, stale: row.stale === 1, readAtMs: row.read_at_ms };
  return object === null ? kept : { ...kept, object };
}
