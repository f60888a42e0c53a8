import type { Stored } from "../values/stored.ts";
import type { Objects, ObjectsWatcher } from "./objects.ts";

const NUMBERED = /\d$/;

/**
 * Finds the last created object with a numbered name, for each type. A numbered name ends in a digit. The next document's number continues
 * this name (json-api D47).
 * The first call for a type searches all its objects. After a renaming or a removal, the next call searches again.
 */
export class Numbers implements ObjectsWatcher {
  readonly #objects: Objects;
  readonly #last = new Map<string, Stored | undefined>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Returns the name of the last created object that has a numbered name. Undefined: no object of the type has such a name. */
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
