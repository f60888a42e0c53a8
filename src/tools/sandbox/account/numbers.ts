import type { Stored } from "../values/stored.ts";
import type { Objects, ObjectsWatcher } from "./objects.ts";

/** A name that ends in digits. */
const NUMBERED = /\d$/;

/**
 * The last created object of a type whose name ends in digits. The number of the next document follows from its name (D47).
 * The objects of a type are searched at the first call, and again only after the last object was renamed or removed.
 */
export class Numbers implements ObjectsWatcher {
  readonly #objects: Objects;
  readonly #last = new Map<string, Stored | undefined>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Returns the name of this object. Undefined: no name ends in digits. */
  last(type: string): string | undefined {
    if (!this.#last.has(type)) {
      let last: Stored | undefined;
      for (const stored of this.#objects.all(type).values()) if (isNumbered(stored)) last = stored;
      this.#last.set(type, last);
    }
    return nameOf(this.#last.get(type));
  }

  changed(before: Stored | undefined, after: Stored | undefined): void {
    const type = (after ?? before)?.type ?? "";
    if (!this.#last.has(type) || (before !== undefined && before.values.name === after?.values.name)) return;
    if (before === undefined && isNumbered(after)) this.#last.set(type, after);
    // The object was renamed or removed. The next call of `last` searches all objects again.
    else if (before !== undefined) this.#last.delete(type);
  }
}

function isNumbered(stored: Stored | undefined): boolean {
  return NUMBERED.test(nameOf(stored) ?? "");
}

function nameOf(stored: Stored | undefined): string | undefined {
  const name = stored?.values.name;
  return typeof name === "string" ? name : undefined;
}
