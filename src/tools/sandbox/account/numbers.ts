import type { Stored } from "../values/stored.ts";
import type { Objects, ObjectsWatcher } from "./objects.ts";

/** A document's name that is a plain number; longer ones are not exact any more. */
const NUMBER = /^\d{1,15}$/;

/**
 * The highest number among the names of a type: what the next document's is made of. A type is read out when it is first
 * asked for; after that only the departure of the highest makes it look again.
 */
export class Numbers implements ObjectsWatcher {
  readonly #objects: Objects;
  readonly #highest = new Map<string, number>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Zero where no name is a number. */
  highest(type: string): number {
    const known = this.#highest.get(type);
    if (known !== undefined) return known;
    let highest = 0;
    for (const stored of this.#objects.all(type).values()) highest = Math.max(highest, numberOf(stored));
    this.#highest.set(type, highest);
    return highest;
  }

  changed(before: Stored | undefined, after: Stored | undefined): void {
    const type = (after ?? before)?.type ?? "";
    const known = this.#highest.get(type);
    if (known === undefined || before?.values.name === after?.values.name) return;
    const gone = numberOf(before);
    const come = numberOf(after);
    if (come >= known) this.#highest.set(type, come);
    else if (gone === known) this.#highest.delete(type);
  }
}

function numberOf(stored: Stored | undefined): number {
  const name = String(stored?.values.name);
  return NUMBER.test(name) ? Number(name) : 0;
}
