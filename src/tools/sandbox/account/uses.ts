import { type Reference, referenceIn, type Stored, type Value } from "../values/stored.ts";
import type { ObjectsWatcher } from "./objects.ts";

type Counts = Map<string, number>;

const NONE: ReadonlyMap<string, number> = new Map();

/**
 * The number of references to an object, by the type of the referring object. An object cannot be deleted while other objects refer to it
 * (1028), except for references that the deletion allows, such as those of a product's own variants. A product's number of variants also
 * comes from these counts. Only numbers are kept: a hundred thousand goods with one unit cost one number. Referring objects are searched
 * only when they are needed.
 */
export class Uses implements ObjectsWatcher {
  readonly #byType = new Map<string, Map<string, Counts>>();

  /** Counts the references of a changed object. `before` undefined: it is new. `after` undefined: it is deleted. */
  changed(before: Stored | undefined, after: Stored | undefined): void {
    const old = before?.values ?? {};
    const now = after?.values ?? {};
    const source = before ?? after;
    if (source === undefined) return;
    for (const name in old) if (old[name] !== now[name]) this.#walk(old[name], source, -1);
    for (const name in now) if (old[name] !== now[name]) this.#walk(now[name], source, 1);
  }

  /**
   * Returns how many references to the object exist, by the type of the referring object. An object's references to itself do not count.
   */
  of({ type, id }: Reference): ReadonlyMap<string, number> {
    return this.#byType.get(type)?.get(id) ?? NONE;
  }

  #walk(value: Value | undefined, source: Reference, by: number): void {
    if (typeof value !== "object" || value === null) return;
    const reference = referenceIn(value);
    if (reference !== undefined) {
      if (reference.type !== source.type || reference.id !== source.id) this.#add(reference, source.type, by);
      return;
    }
    if (Array.isArray(value)) for (const each of value) this.#walk(each, source, by);
    else for (const each of Object.values(value)) this.#walk(each, source, by);
  }

  #add({ type, id }: Reference, source: string, by: number): void {
    let byId = this.#byType.get(type);
    if (byId === undefined) {
      byId = new Map();
      this.#byType.set(type, byId);
    }
    let counts = byId.get(id);
    if (counts === undefined) {
      counts = new Map();
      byId.set(id, counts);
    }
    const next = (counts.get(source) ?? 0) + by;
    if (next === 0) counts.delete(source);
    else counts.set(source, next);
    if (counts.size === 0) byId.delete(id);
  }
}

/** Whether the value contains a reference to the target. */
export function pointsAt(value: Value | undefined, target: Reference): boolean {
  if (typeof value !== "object" || value === null) return false;
  const reference = referenceIn(value);
  if (reference !== undefined) return reference.type === target.type && reference.id === target.id;
  return Object.values(value).some((each) => pointsAt(each, target));
}
