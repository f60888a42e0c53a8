import { openStore, type Store, type StoreServices } from "../../src/store/database.ts";
import { emptyTablesInMemory } from "./empty-tables.ts";

/** A store in memory with the newest tables. */
export async function openMemoryStore(services?: StoreServices): Promise<Store> {
  const store = await openStore({ kind: "sqlite", file: ":memory:", content: await emptyTablesInMemory() }, services);
  await store.migrate();
  return store;
}
