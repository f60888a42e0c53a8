import { nextTurn } from "../../kernel/clock.ts";
import { jsonIn, wordIn } from "../../store/columns.ts";
import type { Store } from "../../store/database.ts";
import type { InstallationKey } from "../installation.ts";
import type { Db } from "../installation-queries.ts";
import { SHOP_TYPES, type ShopName, type ShopObject, type ShopType } from "./shop-object.ts";
import {
  deleteNextShopObjectsBefore,
  deleteShopObject,
  markNextShopObjectsStale,
  markShopObjectStale,
  type ShopObjectRow,
  selectNextShopObjects,
  selectShopObjects,
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
 * A mark may be newer than a reading by at most this time. If the difference is larger, the mark was made before the clock was set back,
 * and is ignored.
 */
const LATEST_MARK_MS = 3_600_000;
/** The number of objects that a commit marks or deletes by their names. In SQLite a commit blocks the event loop, here for about 5 ms. */
const NAMED_AT_ONCE = 300;
/** The number of objects that a commit looks at while it marks a whole type or deletes unread objects. In SQLite this takes about 5 ms. */
const MARKED_AT_ONCE = 2_000;
/** The number of listed objects that are read at once. The longest objects, with a hundred cashiers, take about 5 ms. */
const LISTED_AT_ONCE = 100;

/** The platform's data about points of sale, people and goods, stored so that a sale need not wait for the platform. */
export class ShopObjects {
  readonly #store: Store;
  /** When this process last marked each object or type as changed. The answer to an earlier request must not clear the mark. */
  readonly #markedAt = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  async find(key: InstallationKey, names: readonly ShopName[]): Promise<KeptObject[]> {
    if (names.length === 0) return [];
    return (await this.#store.read((db) => selectShopObjects(db, key, names))).map(keptOf);
  }

  /** Returns all objects of the types. Other work runs between the steps in which they are read. */
  async list(key: InstallationKey, types: readonly ShopType[]): Promise<KeptObject[]> {
    const all: KeptObject[] = [];
    for (const type of types.toSorted()) {
      let from = { type, afterId: "", limit: LISTED_AT_ONCE };
      for (;;) {
        const rows = await this.#store.read((db) => selectNextShopObjects(db, key, from));
        for (const row of rows) all.push(keptOf(row));
        const last = rows.at(-1);
        if (last === undefined || rows.length < LISTED_AT_ONCE) break;
        from = { ...from, afterId: last.object_id };
        await nextTurn();
      }
    }
    return all;
  }

  /** Stores the objects in one commit. `readAtMs`: when the reading began. */
  async keep(key: InstallationKey, read: readonly FoundObject[], readAtMs: number): Promise<void> {
    if (read.length === 0) return;
    // One statement may write each row only once, so only the last of several objects with one id is written.
    const rows = new Map(read.map((each) => [`${each.type} ${each.id}`, this.#rowOf(key, each, readAtMs)]));
    await this.#store.commit((tx) => upsertShopObjects(tx, [...rows.values()], readAtMs));
  }

  /**
   * Marks objects as changed at `atMs`, so that they are read again. A type without an id stands for all objects of the type, which are
   * marked in several commits. After a failure some objects are marked. Safe to repeat.
   */
  async mark(key: InstallationKey, of: readonly { type: ShopType; id?: string }[], atMs: number): Promise<void> {
    if (of.length === 0) return;
    for (const each of of) this.#remember(markOf(key, each), atMs);
    await this.#named(of.flatMap(named), (tx, name) => markShopObjectStale(tx, key, name));
    for (const { type, id } of of) if (id === undefined) await this.#markType(key, type);
  }

  async remove(key: InstallationKey, names: readonly ShopName[]): Promise<void> {
    await this.#named(names, (tx, name) => deleteShopObject(tx, key, name));
  }

  /** Deletes the objects of a type that were not read since `readBeforeMs`, in several commits. Safe to repeat. */
  async removeUnread(key: InstallationKey, type: ShopType, readBeforeMs: number): Promise<void> {
    let from = { type, afterId: "", limit: MARKED_AT_ONCE };
    for (;;) {
      const last = await this.#store.commit((tx) => deleteNextShopObjectsBefore(tx, key, { ...from, readBeforeMs }));
      if (last === undefined) return;
      from = { ...from, afterId: last };
    }
  }

  /** Does the work for each name, in as many commits as needed. */
  async #named(names: readonly ShopName[], work: (tx: Db, name: ShopName) => Promise<void>): Promise<void> {
    for (let from = 0; from < names.length; from += NAMED_AT_ONCE) {
      await this.#store.commit(async (tx) => {
        for (const name of names.slice(from, from + NAMED_AT_ONCE)) await work(tx, name);
      });
    }
  }

  async #markType(key: InstallationKey, type: ShopType): Promise<void> {
    let from = { type, afterId: "", limit: MARKED_AT_ONCE };
    for (;;) {
      const last = await this.#store.commit((tx) => markNextShopObjectsStale(tx, key, from));
      if (last === undefined) return;
      from = { ...from, afterId: last };
    }
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

function named({ type, id }: { type: ShopType; id?: string }): ShopName[] {
  return id === undefined ? [] : [{ type, id }];
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
