import type { Store } from "../store/database.ts";
import type { Entry } from "./entry.ts";
import { entryOf } from "./rows.ts";
import { type EntrySearch, searchEntries } from "./search-queries.ts";

/** Returns the entries that match a person's search, the newest first. */
export async function searchJournal(store: Pick<Store, "read">, wanted: EntrySearch): Promise<Entry[]> {
  return (await store.read((db) => searchEntries(db, wanted))).map(entryOf);
}
