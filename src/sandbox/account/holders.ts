import type { Objects, ObjectsWatcher } from "./objects.ts";
import type { Stored, Value } from "./stored.ts";

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Which objects of a type have a value in a field: what is asked at every write of a field that must be unique. A field is
 * read out when it is first asked for and kept right from then on, so that nobody pays for fields that nobody asks for.
 */
export class Holders implements ObjectsWatcher {
  readonly #objects: Objects;
  readonly #byType = new Map<string, Map<string, Map<Value, Set<string>>>>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Ids of the objects whose field is the value itself: texts and numbers. */
  of(type: string, field: string, value: Value): ReadonlySet<string> {
    return (this.#byType.get(type)?.get(field) ?? this.#read(type, field)).get(value) ?? NOBODY;
  }

  changed(before: Stored | undefined, after: Stored | undefined): void {
    const fields = this.#byType.get((after ?? before)?.type ?? "");
    if (fields === undefined) return;
    for (const [field, ids] of fields) {
      const old = before?.values[field];
      const now = after?.values[field];
      if (old === now && before !== undefined && after !== undefined) continue;
      if (before !== undefined) drop(ids, old, before.id);
      if (after !== undefined) add(ids, now, after.id);
    }
  }

  #read(type: string, field: string): Map<Value, Set<string>> {
    const ids = new Map<Value, Set<string>>();
    for (const { id, values } of this.#objects.all(type).values()) add(ids, values[field], id);
    const fields = this.#byType.get(type) ?? new Map<string, Map<Value, Set<string>>>();
    fields.set(field, ids);
    this.#byType.set(type, fields);
    return ids;
  }
}

function add(ids: Map<Value, Set<string>>, value: Value | undefined, id: string): void {
  if (value === undefined) return;
  const held = ids.get(value);
  if (held === undefined) ids.set(value, new Set([id]));
  else held.add(id);
}

function drop(ids: Map<Value, Set<string>>, value: Value | undefined, id: string): void {
  if (value === undefined) return;
  const held = ids.get(value);
  held?.delete(id);
  if (held?.size === 0) ids.delete(value);
}
