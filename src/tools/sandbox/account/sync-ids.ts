import type { Stored } from "../values/stored.ts";
import type { ObjectsWatcher } from "./objects.ts";

/** Ids of objects by type and `syncId`. Every creation with a `syncId` searches here (json-api 7.6). */
export class SyncIds implements ObjectsWatcher {
  readonly #byType = new Map<string, Map<string, string>>();

  changed(before: Stored | undefined, after: Stored | undefined): void {
    const old = before?.values.syncId;
    const now = after?.values.syncId;
    if (old === now) return;
    if (before !== undefined && typeof old === "string") this.#byType.get(before.type)?.delete(old);
    if (after === undefined || typeof now !== "string") return;
    const ids = this.#byType.get(after.type) ?? new Map<string, string>();
    ids.set(now, after.id);
    this.#byType.set(after.type, ids);
  }

  /** Returns the id of the object. The letter case of `syncId` does not matter. */
  idOf(type: string, syncId: string): string | undefined {
    return this.#byType.get(type)?.get(syncId.toLowerCase());
  }
}
