import type { Store } from "./database.ts";

interface StoredKeySet {
  body: string;
  fetchedAtMs: number;
  maxAgeMs: number;
}

interface KeySetMemory {
  load(address: string): Promise<StoredKeySet | undefined>;
  save(address: string, stored: StoredKeySet): Promise<void>;
}

/** Stores the last good answers of key addresses across a restart. */
export function storedKeySets(store: Pick<Store, "read" | "commit">): KeySetMemory {
  return {
    async load(address) {
      const row = await store.read((db) => db.selectFrom("key_sets").selectAll().where("address", "=", address).executeTakeFirst());
      return row === undefined ? undefined : { body: row.body, fetchedAtMs: row.fetched_at_ms, maxAgeMs: row.max_age_ms };
    },
    async save(address, { body, fetchedAtMs, maxAgeMs }) {
      const columns = { body, fetched_at_ms: fetchedAtMs, max_age_ms: maxAgeMs };
      await store.commit((tx) =>
        tx
          .insertInto("key_sets")
          .values({ address, ...columns })
          .onConflict((conflict) => conflict.column("address").doUpdateSet(columns))
          .execute(),
      );
    },
  };
}
