import type { Stored, Value } from "../values/stored.ts";
import type { Objects, ObjectsWatcher } from "./objects.ts";

/** The ids of the objects with the same value in a field. One id needs no set: a hundred thousand sets would take most of the memory. */
type Ids = string | Set<string>;
type Index = Map<Value, Ids>;

/**
 * An index of objects by type and field value. Writes of unique fields use it. The index of a field is built at its first use and updated
 * from then on, so unused fields cost nothing.
 */
export class Holders implements ObjectsWatcher {
  readonly #objects: Objects;
  readonly #byType = new Map<string, Map<string, Index>>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Returns the ids of the objects whose field equals the value, a text or a number. */
  of(type: string, field: string, value: Value): readonly string[] {
    const held = (this.#byType.get(type)?.get(field) ?? this.#read(type, field)).get(value);
    if (held === undefined) return [];
    return typeof held === "string" ? [held] : [...held];
  }

  changed(before: Stored | undefined, after: Stored | undefined): void {
    const fields = this.#byType.get((after ?? before)?.type ?? "");
    if (fields === undefined) return;
    for (const [field, index] of fields) {
      const old = before?.values[field];
      const now = after?.values[field];
      if (old === now && before !== undefined && after !== undefined) continue;
      if (before !== undefined) drop(index, old, before.id);
      if (after !== undefined) add(index, now, after.id);
    }
  }

  #read(type: string, field: string): Index {
    const index: Index = new Map();
    for (const { id, values } of this.#objects.all(type).values()) add(index, values[field], id);
    const fields = this.#byType.get(type) ?? new Map<string, Index>();
    fields.set(field, index);
    this.#byType.set(type, fields);
    return index;
  }
}

function add(index: Index, value: Value | undefined, id: string): void {
  if (value === undefined) return;
  const held = index.get(value);
  if (held === undefined) index.set(value, id);
  else if (typeof held === "string") index.set(value, new Set([held, id]));
  else held.add(id);
}

function drop(index: Index, value: Value | undefined, id: string): void {
  if (value === undefined) return;
  const held = index.get(value);
  if (held === id) index.delete(value);
  else if (held instanceof Set && held.delete(id) && held.size === 0) index.delete(value);
}
