import { referenceIn, type Stored, type Value } from "../values/stored.ts";
import { Rows } from "./rows.ts";

export type Change = { readonly put: Stored } | { readonly remove: { readonly type: string; readonly id: string } };

/** Called at every change, even at an undo. Indexes use it. */
export interface ObjectsWatcher {
  changed(before: Stored | undefined, after: Stored | undefined): void;
}

const NONE: ReadonlyMap<string, Stored> = new Map();

/** Every object of the account in memory, by type and id, in the order of creation. */
export class Objects {
  readonly #tables = new Map<string, Map<string, Stored>>();
  readonly #rows = new Map<string, Rows>();
  readonly #watchers: ObjectsWatcher[] = [];

  watch(watcher: ObjectsWatcher): void {
    this.#watchers.push(watcher);
  }

  get(type: string, id: string): Stored | undefined {
    return this.#tables.get(type)?.get(id);
  }

  /** Returns the object of a reference. Undefined: the value is no reference, or the object does not exist. */
  pointedBy(value: Value | undefined): Stored | undefined {
    const reference = referenceIn(value);
    return reference === undefined ? undefined : this.get(reference.type, reference.id);
  }

  all(type: string): ReadonlyMap<string, Stored> {
    return this.#tables.get(type) ?? NONE;
  }

  /** Returns the objects of the type as rows with columns, for fast searches. The first call builds the rows. */
  rows(type: string): Rows {
    let rows = this.#rows.get(type);
    if (rows === undefined) {
      rows = new Rows(this.all(type).values());
      this.#rows.set(type, rows);
    }
    return rows;
  }

  types(): readonly string[] {
    return [...this.#tables.keys()];
  }

  /** Applies the change and returns its inverse. */
  apply(change: Change): Change {
    return "put" in change ? this.#put(change.put) : this.#remove(change.remove.type, change.remove.id);
  }

  #put(stored: Stored): Change {
    let table = this.#tables.get(stored.type);
    if (table === undefined) {
      table = new Map();
      this.#tables.set(stored.type, table);
    }
    const before = table.get(stored.id);
    table.set(stored.id, stored);
    this.#rows.get(stored.type)?.changed(before, stored);
    for (const watcher of this.#watchers) watcher.changed(before, stored);
    return before === undefined ? { remove: { type: stored.type, id: stored.id } } : { put: before };
  }

  #remove(type: string, id: string): Change {
    const table = this.#tables.get(type);
    const before = table?.get(id);
    if (table === undefined || before === undefined) throw new Error(`no ${type} ${id} to remove`);
    table.delete(id);
    this.#rows.get(type)?.changed(before, undefined);
    for (const watcher of this.#watchers) watcher.changed(before, undefined);
    return { put: before };
  }
}
